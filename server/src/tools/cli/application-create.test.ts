import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../test/support/command-line.ts'
import { runGatehouse } from '../../../test/support/gatehouse-process.ts'
import { startServer } from '../../../test/support/server.ts'
import { CLIENT_SNIPPETS } from '../../shared/client-snippets.ts'

const server = await startServer()
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const environment = () => ({ GATEHOUSE_DATA: server.config.dataDir, PORT: new URL(server.base).port })
const runCommand = (...args: string[]) => runCommandLine(args, environment())

test('application create: key works with tools and the printed curl command at a running server', async () => {
  const { code, out, err } = await runGatehouse(folder, environment(), ['application', 'create', 'portal'])
  expect([code, out], err).toEqual([0, expect.stringMatching(/^gk_[A-Za-z0-9_-]{43}\n$/)])
  const apiKey = out.trim()
  expect(err).not.toContain(apiKey)

  const client = new OpenAI({ baseURL: `${server.base}/v1`, apiKey, maxRetries: 0 })
  const completion = await client.chat.completions.create({
    model: 'demo-mini',
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
    ],
    tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }],
  })
  expect(completion.choices[0]?.message.role).toBe('assistant')

  const [, curl = ''] = /--- curl\n([\s\S]*?)\n\n---/.exec(err) ?? []
  const env = { PATH: process.env.PATH, GATEHOUSE_KEY: apiKey }
  const { stdout } = await promisify(execFile)('sh', ['-c', `${curl.replace('curl', 'curl --silent --max-time 30')}`], { env })
  expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion', governance: { decision: { verdict: 'allow' } } })
})

test('application create: prints the code of each client with address and a model, and records both changes', async () => {
  const { out, err } = await runCommand('application', 'create', 'intranet')
  const [{ id: model = '' } = {}] = (await new OpenAI({ baseURL: `${server.base}/v1`, apiKey: out.trim() }).models.list()).data
  for (const { name, code } of CLIENT_SNIPPETS) expect(err).toContain(`--- ${name}\n${code({ base: server.base, model })}\n`)
  const headers = { authorization: `Bearer ${server.demo.admin_token}` }
  const log = (await (await fetch(`${server.base}/admin/v1/audit?limit=5`, { headers })).json()) as {
    data: { change: { action: string } | null }[]
  }
  const actions = log.data.flatMap(({ change }) => change?.action ?? [])
  expect(actions.slice(0, 2).sort()).toEqual(['application.create', 'key.issue'])
})

test('application create: fails and issues no key when the name is taken, the name is empty or the Workspace is unknown', async () => {
  const [{ name = '' } = {}] = server.demo.applications
  expect(await runCommand('application', 'create', name)).toEqual({
    code: 1,
    out: '',
    err: `gatehouse: there is an Application ${name} in demo already: choose another name, or issue a key with \`gatehouse key issue --application ${name}\`\n`,
  })
  expect(await runCommand('application', 'create', '')).toMatchObject({
    code: 1,
    out: '',
    err: /the name of the Application must/,
  })
  expect(await runCommand('application', 'create', 'x', '--workspace', 'absent')).toMatchObject({
    code: 1,
    out: '',
    err: 'gatehouse: there is no Workspace absent. The Workspaces are demo\n',
  })
})
