import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { expect, test, vi } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { runCommandLine } from '../../../test/support/command-line.ts'
import { runGatehouse } from '../../../test/support/gatehouse-process.ts'
import { Browser } from '../../../test/support/operators.ts'
import { startServer } from '../../../test/support/server.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { newId } from '../../platform/lib/id.ts'
import { CLIENT_SNIPPETS } from '../../shared/client-snippets.ts'

const folder = temporaryFolder()
writeFileSync(join(folder, 'gatehouse.yaml'), 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')
const server = await closeAfterAll(startServer())
const environment = { GATEHOUSE_DATA: server.config.dataDir, PORT: new URL(server.base).port }

/** Runs a command while the server is running. */
const runCommand = (...args: string[]) => runCommandLine(args, environment)

/** The changes that the newest records of the demo have, newest first. */
async function recordedActions(): Promise<string[]> {
  const headers = { authorization: `Bearer ${server.demo.admin_token}` }
  const log = (await (await fetch(`${server.base}/admin/v1/audit?limit=5`, { headers })).json()) as {
    data: { change: { action: string } | null }[]
  }
  return log.data.flatMap(({ change }) => change?.action ?? [])
}

test('application create: key works with tools and the printed curl command at a running server', async () => {
  const { code, out, err } = await runGatehouse(folder, environment, ['application', 'create', 'portal'])
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
  for (const name of ['Node', 'Anthropic SDK']) {
    const [, code = ''] = new RegExp(`--- ${name}\\n([\\s\\S]*?)\\n\\n---`).exec(err) ?? []
    const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
      env,
      cwd: import.meta.dirname,
    })
    expect([name, ran.stdout.trim() === '']).toEqual([name, false])
  }
})

test('application create: prints the code of each client with address and a model, and records both changes', async () => {
  const { out, err } = await runCommand('application', 'create', 'intranet')
  const [{ id: model = '' } = {}] = (await new OpenAI({ baseURL: `${server.base}/v1`, apiKey: out.trim() }).models.list()).data
  for (const { name, code } of CLIENT_SNIPPETS) expect(err).toContain(`--- ${name}\n${code({ base: server.base, model })}\n`)
  expect((await recordedActions()).slice(0, 2).sort()).toEqual(['application.create', 'key.issue'])
})

test('application create: prints the address of the running demo when the command does not know its port', async () => {
  await server.announce()
  const { err } = await runCommandLine(['application', 'create', 'kiosk'], { GATEHOUSE_DATA: server.config.dataDir })
  expect(err).toContain(`${server.base}/v1`)
  const elsewhere = { GATEHOUSE_DATA: server.config.dataDir, GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' }
  expect((await runCommandLine(['application', 'create', 'foyer'], elsewhere)).err).toContain('https://gatehouse.example.com/v1')
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

const statusWith = async (key: string): Promise<number> =>
  (await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status

test('key: works at once when issued, is listed by its first letters, and gets 401 when revoked', async () => {
  const issued = await runCommand('key', 'issue', '--application', 'support', '--name', 'ci')
  expect(issued.out).toMatch(/^gk_[A-Za-z0-9_-]{43}\n$/)
  const key = issued.out.trim()
  expect(await statusWith(key)).toBe(200)

  const [id = ''] = /key_\w+/.exec(issued.err) ?? []
  const listed = (await runCommand('key', 'list')).out
  expect(listed).toMatch(new RegExp(`^${id}  demo +support +ci +${key.slice(0, 7)}…`, 'm'))
  expect(listed).not.toContain(key)

  expect(await runCommand('key', 'revoke', id)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await statusWith(key)).toBe(401), { timeout: 20_000, interval: 50 })
  expect(await runCommand('key', 'revoke', 'key_nothing')).toMatchObject({ code: 1, err: expect.stringContaining('key list') })
})

test('token: works for the admin API when created', async () => {
  const { out } = await runCommand('token', 'create', '--name', 'ops')
  const headers = { authorization: `Bearer ${out.trim()}` }
  expect((await fetch(`${server.base}/admin/v1/applications`, { headers })).status).toBe(200)
})

test('operator invite: link works once when the operator is locked out, and an audit record names the invitation', async () => {
  const { email, password } = server.demo.dashboard
  const browser = () => new Browser(server.base)
  const signIn = async (word: string) => (await browser().signIn(email, word)).status
  for (let at = 0; at < 10; at++) await signIn('not it at all')
  expect(await signIn(password)).toBe(429)

  const { code, out } = await runCommand('operator', 'invite', email.toUpperCase())
  expect([code, out]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/dashboard\/welcome\?token=[\w-]{43}\n$/)])
  const token = new URL(out.trim()).searchParams.get('token')
  const accept = async () => (await browser().post('/auth/gatehouse/accept', { token, password: 'another horse battery' })).status
  expect([await accept(), await accept()]).toEqual([200, 404])
  expect(await signIn('another horse battery')).toBe(200)

  expect(await recordedActions()).toContain('operator_invitation.issue')
  expect(await runCommand('operator', 'invite', 'absent@example.com')).toMatchObject({ code: 1, out: '' })
})

test('token user: works for the messaging API when issued, is listed by name, and gets 401 when revoked', async () => {
  const [{ id: user = '' } = {}] = server.demo.users
  const issued = await runCommand('token', 'user', 'create', '--user', user, '--name', 'laptop')
  expect(issued.out).toMatch(/^gu_[A-Za-z0-9_-]{43}\n$/)
  const headers = { authorization: `Bearer ${issued.out.trim()}` }
  const status = async (): Promise<number> => (await fetch(`${server.base}/v1/contacts`, { headers })).status
  expect(await status()).toBe(200)

  const [id = ''] = /tok_\w+/.exec(issued.err) ?? []
  expect((await runCommand('token', 'user', 'list', '--user', user)).out).toMatch(new RegExp(`^${id} +laptop `, 'm'))
  expect(await runCommand('token', 'user', 'revoke', id)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await status()).toBe(401), { timeout: 20_000, interval: 50 })
  expect(await runCommand('token', 'user', 'revoke', 'tok_nothing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('user list'),
  })
  expect(await runCommand('token', 'user', 'create', '--user', 'absent')).toMatchObject({ code: 1 })
})

test('apply: prints each change, and no changes when it is repeated', async () => {
  const first = await runCommand('apply', join(folder, 'gatehouse.yaml'))
  expect(first).toMatchObject({ code: 0, out: 'created workspace acme\ncreated application support\n' })
  const second = await runCommand('apply', join(folder, 'gatehouse.yaml'))
  expect(second.out).toBe('unchanged workspace acme\nunchanged application support\n')
  expect(second.err).toBe('no changes\n')
  const unclear = await runCommand('key', 'issue', '--application', 'support')
  expect(unclear).toMatchObject({
    code: 1,
    err: 'gatehouse: there are several Workspaces. Choose one with --workspace: demo, acme\n',
  })
})

test('audit verify and export: verify names the record when it was altered [GW-AUD-7]', async () => {
  expect(await runCommand('audit', 'verify')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^acme: \d+ records? and \d+ checkpoints? verified/m),
  })
  const { out } = await runCommand('audit', 'export', '--workspace', 'acme')
  const [header, , second] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(header).toMatchObject({ object: 'audit_export' })
  expect(second).toMatchObject({ object: 'audit_record', change: { action: 'application.create' } })

  const { db } = server.context.database
  await db.updateTable('audit_record').set({ status: 500 }).where('body', 'like', `%${second.id}%`).execute()
  const tampered = await runCommand('audit', 'verify', '--workspace', 'acme')
  expect(tampered.code).toBe(1)
  expect(tampered.out).toBe(
    `acme: 1 record verified, then a fault: record 2 (${second.id}): the record was altered after it was sealed\n`,
  )
})

test('audit verify and resume: fail when a kept checkpoint or the log was altered, and resume accepts it on request', async () => {
  const kept = join(folder, 'kept.ndjson')
  const ofAcme = ['--workspace', 'acme']
  const newestCheckpoint = async () => (await runCommand('audit', 'export', ...ofAcme)).out.trim().split('\n').at(-1) ?? ''
  const resume = (...more: string[]) => runCommand('audit', 'resume', ...ofAcme, ...more)
  const verify = (lines: readonly string[], ...more: string[]) => {
    writeFileSync(kept, lines.map((line) => `${line}\n`).join(''))
    return runCommand('audit', 'verify', '--kept', kept, ...more)
  }
  const failure = (pattern: RegExp) => ({ code: 1, err: expect.stringMatching(pattern) })

  const last = await newestCheckpoint()
  const signed = JSON.parse(last) as { size: number; workspace_id: string }
  // The previous test altered record 2.
  expect(await resume()).toMatchObject(failure(/does not verify: record 2 .*--accept-as-found/))
  const accepted = await resume('--accept-as-found')
  expect(accepted).toMatchObject({ code: 0, err: expect.stringMatching(/records up to \d+ are no longer checked \(aud_/) })
  const good = await verify([last], ...ofAcme)
  expect(good).toMatchObject({ code: 0, out: expect.stringMatching(/were accepted by an operator and not checked\n$/) })
  expect(await resume()).toMatchObject({ code: 0, out: expect.stringMatching(/signing was not stopped/) })
  const newest = await newestCheckpoint()
  expect(JSON.parse(newest).size).toBeGreaterThan(signed.size)
  expect(await verify([last, newest], ...ofAcme)).toMatchObject({ code: 0 })
  const altered = await verify([newest.replace('"size":', '"size":1')], ...ofAcme)
  expect(altered).toMatchObject(failure(/a kept checkpoint .* was altered or signed with another key/))
  // Checkpoints of a Workspace that is not in the database.
  const other = newId('ws')
  const foreign = last.replace(signed.workspace_id, other)
  expect(await verify([last, foreign], ...ofAcme)).toMatchObject({ code: 0 })
  expect(await verify([last, foreign])).toMatchObject(failure(new RegExp(other)))
  expect(await verify([foreign], ...ofAcme)).toMatchObject(failure(/no kept checkpoint belongs to acme/))
  expect(await verify(['nothing'])).toMatchObject(failure(/line 1 is not an audit checkpoint/))
})

test('serve: fails when another server uses the data folder', async () => {
  const { code, err } = await runCommand('serve')
  expect([code, err]).toEqual([1, expect.stringMatching(/another Gatehouse is running on .*: stop it, or set GATEHOUSE_DATA/)])
})
