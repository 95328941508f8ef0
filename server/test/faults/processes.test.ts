import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../bench/support/free-port.ts'
import { postgresUrl } from '../support/database.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'

const url = postgresUrl()
const PROCESSES = 2
const WAIT = { timeout: 60_000, interval: 100 }

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Health {
  readonly code: number
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message?: string }[]
}

interface Node {
  readonly server: ServerProcess
  readonly readiness: () => Promise<Health>
  readonly metric: (name: string) => Promise<number>
  readonly chat: () => Promise<number>
}

/** Process ids of the serving processes. */
const workersOf = ({ own }: ServerProcess): number[] =>
  readFileSync(`/proc/${own.pid}/task/${own.pid}/children`, 'utf8').trim().split(' ').map(Number)

async function environment(): Promise<Record<string, string>> {
  const database = await createOwnDatabase(url ?? '')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-processes-'))
  cleanups.push(database.drop, async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return {
    DATABASE_URL: database.url,
    GATEHOUSE_SECRET_KEY: 'x'.repeat(32),
    GATEHOUSE_DATA: folder,
    GATEHOUSE_DEMO: '1',
    GATEHOUSE_PROCESSES: String(PROCESSES),
    GATEHOUSE_DRAIN_SECONDS: '0',
  }
}

async function startNode(env: Readonly<Record<string, string>>): Promise<Node> {
  const healthPort = await freePort()
  const server = await startServerProcess({ ...env, GATEHOUSE_HEALTH_PORT: String(healthPort) })
  cleanups.push(server.remove)
  const health = (path: string) => fetch(`http://127.0.0.1:${healthPort}${path}`, { headers: { connection: 'close' } })
  const key = server.demo().applications[0]?.api_key
  return {
    server,
    readiness: async () => {
      const response = await health('/readyz')
      return { code: response.status, ...((await response.json()) as Omit<Health, 'code'>) }
    },
    metric: async (name) => {
      const text = await (await health('/metrics')).text()
      const lines = text.split('\n').filter((line) => line.startsWith(name) && /^[ {]/.test(line.slice(name.length)))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    chat: async () => {
      const response = await fetch(`${server.base}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ model: 'demo-mini', messages: [{ role: 'user', content: 'hello' }] }),
      })
      await response.arrayBuffer()
      return response.status
    },
  }
}

const waitForAll = ({ metric }: Node) => vi.waitFor(async () => expect(await metric('gatehouse_processes')).toBe(PROCESSES), WAIT)
const checkOf = ({ checks }: Health) => checks.find(({ name }) => name === 'processes')

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('node of several processes', { timeout: 300_000 }, () => {
  test('processes: all serve on one port, and metrics do not fall when one is killed and replaced', async () => {
    const node = await startNode(await environment())
    await waitForAll(node)
    for (let i = 0; i < 20; i++) expect(await node.chat()).toBe(200)
    const requests = () => node.metric('gatehouse_requests_total')
    expect(await requests()).toBe(20)
    // States that all processes see count once.
    expect(await node.metric('gatehouse_info')).toBe(1)
    expect(await node.metric('gatehouse_ready')).toBe(1)
    const output = node.server.output()
    for (const number of [1, 2]) expect(output).toContain(`"process":${number},"reqId"`)

    const [first = 0] = workersOf(node.server)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(async () => expect(await node.metric('gatehouse_process_restarts_total')).toBe(1), WAIT)
    expect(await requests()).toBe(20)
    await waitForAll(node)
    for (let i = 0; i < 6; i++) expect(await node.chat()).toBe(200)
    expect(await requests()).toBe(26)
    // The process that replaced the first one prepared nothing again.
    expect(node.server.output().split('Gatehouse is running').length).toBe(2)
    node.server.own.child.kill('SIGTERM')
    expect(await node.server.exitCode()).toBe(0)
  })

  test('health port: names the process that does not answer, the others serve, and it is replaced after 30 s', async () => {
    const node = await startNode(await environment())
    await waitForAll(node)
    await vi.waitFor(async () => expect(checkOf(await node.readiness())?.status).toBe('ok'), WAIT)
    const [, second = 0] = workersOf(node.server)
    process.kill(second, 'SIGSTOP')
    const frozen = { name: 'processes', status: 'degraded', message: 'Process 2 does not answer.' }
    await vi.waitFor(async () => {
      const health = await node.readiness()
      expect([health.code, checkOf(health)]).toEqual([200, frozen])
    }, WAIT)
    // A frozen process holds at most one connection that the primary process gave it.
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => Promise.race([node.chat(), sleep(20_000).then(() => 'no answer')])),
    )
    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5)
    await vi.waitFor(async () => expect(await node.metric('gatehouse_process_restarts_total')).toBe(1), WAIT)
    expect(node.server.output()).toContain('"hung":2,"msg":"a process does not respond: it is ended"')
    await vi.waitFor(async () => expect(checkOf(await node.readiness())?.status).toBe('ok'), WAIT)
  })

  test('start: fails once, with one message and exit code 2, when the secret key is wrong', async () => {
    const env = await environment()
    const right = await startNode(env)
    await waitForAll(right)
    const wrong = await launchServer({ ...env, GATEHOUSE_SECRET_KEY: 'y'.repeat(32) })
    cleanups.push(wrong.remove)
    expect(await wrong.exitCode()).toBe(2)
    expect(wrong.output().split('GATEHOUSE_SECRET_KEY is not the key of this database').length).toBe(2)
    const taken = await launchServer({ ...env, PORT: new URL(right.server.base).port })
    cleanups.push(taken.remove)
    expect(await taken.exitCode()).toBe(1)
    expect(taken.output()).toContain('is in use: set PORT or HOST to another value')
  })

  test('SIGHUP: applies log level and gatehouse.yaml, names what needs a restart, and changes nothing when a file is invalid', async () => {
    const env = await environment()
    const variables = join(env.GATEHOUSE_DATA ?? '', 'gatehouse.env')
    const file = join(env.GATEHOUSE_DATA ?? '', 'gatehouse.yaml')
    writeFileSync(variables, 'LOG_LEVEL=info\nGATEHOUSE_MAX_MESSAGES=100\n')
    writeFileSync(file, 'workspaces: [{ name: acme }]\n')
    const key = join(env.GATEHOUSE_DATA ?? '', 'provider-key')
    writeFileSync(key, 'sk-1')
    const server = await startServerProcess({
      ...env,
      OPENAI_API_KEY_FILE: key,
      GATEHOUSE_ENV_FILE: variables,
      GATEHOUSE_CONFIG: file,
    })
    cleanups.push(server.remove)
    const reload = async (text: RegExp) => {
      server.own.child.kill('SIGHUP')
      await vi.waitFor(() => expect(server.output()).toMatch(text), WAIT)
    }
    writeFileSync(file, 'workspaces: [{ nam: acme }]\n')
    await reload(/the configuration is invalid: nothing was changed/)
    writeFileSync(file, 'workspaces: [{ name: acme, applications: [{ name: portal }] }]\n')
    writeFileSync(variables, 'LOG_LEVEL=warn\nGATEHOUSE_MAX_MESSAGES=200\n')
    writeFileSync(key, 'sk-2')
    await reload(
      /"changed":\["GATEHOUSE_MAX_MESSAGES","LOG_LEVEL","OPENAI_API_KEY"\],"need_restart":\["GATEHOUSE_MAX_MESSAGES"\]/,
    )
    await vi.waitFor(async () => {
      const before = server.output().length
      await fetch(`${server.base}/healthz`)
      await sleep(1_000)
      expect(server.output().slice(before)).not.toContain('answered')
    }, WAIT)
    const database = new pg.Client({ connectionString: env.DATABASE_URL })
    await database.connect()
    const applications = async () => (await database.query("select 1 from application where name = 'portal'")).rowCount
    await vi.waitFor(async () => expect(await applications()).toBe(1), WAIT)
    await database.end()
  })
})
