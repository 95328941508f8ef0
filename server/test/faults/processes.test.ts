import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../bench/support/free-port.ts'
import { postgresUrl } from '../support/database.ts'
import { cleanupsAfterEach, nodeEnvironment, postChat } from '../support/nodes.ts'
import { launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'

const url = postgresUrl()
const PROCESSES = 2
const WAIT = { timeout: 60_000, interval: 100 }

const cleanups = cleanupsAfterEach()

interface Health {
  readonly code: number
  readonly checks: readonly { readonly name: string; readonly status: string; readonly message?: string }[]
}

interface Node {
  readonly server: ServerProcess
  readonly status: (path: string) => Promise<number>
  readonly readiness: () => Promise<Health>
  /** The values of a metric by process. */
  readonly metric: (name: string) => Promise<Readonly<Record<string, number>>>
  readonly chat: () => Promise<number>
}

const workersOf = ({ own }: ServerProcess): number[] =>
  readFileSync(`/proc/${own.pid}/task/${own.pid}/children`, 'utf8').trim().split(' ').map(Number)

async function environment() {
  const { database, env } = await nodeEnvironment(url, cleanups)
  return { database, env: { ...env, GATEHOUSE_PROCESSES: String(PROCESSES), GATEHOUSE_DRAIN_SECONDS: '0' } }
}

/** A frozen process keeps one connection of each port without a response. */
const get = (address: string) => fetch(address, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) })

async function startNode(env: Readonly<Record<string, string>>): Promise<Node> {
  const healthPort = await freePort()
  const server = await startServerProcess({ ...env, GATEHOUSE_HEALTH_PORT: String(healthPort) })
  cleanups.push(server.remove)
  const health = `http://127.0.0.1:${healthPort}`
  const key = server.demo().applications[0]?.api_key
  return {
    server,
    status: async (path) => (await get(health + path)).status,
    readiness: async () => {
      const response = await get(`${health}/readyz`)
      return { code: response.status, ...((await response.json()) as Omit<Health, 'code'>) }
    },
    metric: async (name) => {
      // Each process answers for the node, on both ports.
      const text = await (await get(`${[health, server.base][scrapes++ % 2]}/metrics`)).text()
      const values: Record<string, number> = {}
      for (const [, labels = '', value] of text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))) {
        const [, process = ''] = /process="(.*?)"/.exec(labels) ?? []
        values[process] = (values[process] ?? 0) + Number(value)
      }
      return values
    },
    chat: async () => {
      const options = { headers: { connection: 'close' } }
      const response = await postChat(server.base, key, 'hello', { model: 'demo-mini' }, options)
      await response.arrayBuffer()
      return response.status
    },
  }
}

let scrapes = 0
const BOTH_UP = { 1: 1, 2: 1 }
const waitForAll = ({ metric }: Node) =>
  vi.waitFor(async () => expect(await metric('gatehouse_process_up')).toEqual(BOTH_UP), WAIT)
const checkOf = ({ checks }: Health) => checks.find(({ name }) => name === 'processes')
const sumOf = (values: Readonly<Record<string, number>>) => Object.values(values).reduce((sum, value) => sum + value, 0)

test('health port: serves the three paths and no other, and its requests are not logged', { timeout: 120_000 }, async () => {
  const node = await startNode({})
  const statuses = await Promise.all(['/healthz', '/readyz', '/metrics', '/', '/v1/models', '/healthzz'].map(node.status))
  expect(statuses).toEqual([200, 200, 200, 404, 404, 404])
  const { checks } = await node.readiness()
  expect(checks.map(({ name }) => name)).not.toContain('processes')
  expect(await node.metric('gatehouse_ready')).toEqual({ '': 1 })
  await fetch(`${node.server.base}/openapi.json`)
  expect(await node.server.stop()).toBe(0)
  const logged = node.server.output().match(/"route":"[^"]*"/g) ?? []
  expect(logged).toContain('"route":"/openapi.json"')
  // The start waits for /readyz of the main port.
  expect(logged.filter((route) => /healthz/.test(route))).toEqual([])
})

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('node of several processes', { timeout: 300_000 }, () => {
  test('processes: all serve on one port, metrics name the process, and one that is killed is replaced', async () => {
    const node = await startNode((await environment()).env)
    await waitForAll(node)
    for (let i = 0; i < 20; i++) expect(await node.chat()).toBe(200)
    const requests = await node.metric('gatehouse_requests_total')
    expect([Object.keys(requests), sumOf(requests)]).toEqual([['1', '2'], 20])
    expect(await node.metric('gatehouse_ready')).toEqual(BOTH_UP)
    await vi.waitFor(async () => expect(checkOf(await node.readiness())).toEqual({ name: 'processes', status: 'ok' }), WAIT)

    const [first = 0] = workersOf(node.server)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(async () => expect(await node.metric('gatehouse_process_restarts_total')).toEqual({ 1: 1, 2: 0 }), WAIT)
    await waitForAll(node)
    for (let i = 0; i < 6; i++) expect(await node.chat()).toBe(200)
    expect(sumOf(await node.metric('gatehouse_requests_total'))).toBe((requests[2] ?? 0) + 6)
    // The process that replaced the first one prepared nothing again.
    expect(node.server.output().split('Gatehouse is running').length).toBe(2)
    expect(await node.server.stop()).toBe(0)
  })

  test('frozen process: the others serve, /healthz fails so that the node is restarted, and a stop kills it', async () => {
    const node = await startNode({ ...(await environment()).env, GATEHOUSE_STOP_SECONDS: '1' })
    await waitForAll(node)
    expect(await node.status('/healthz')).toBe(200)
    const [, second = 0] = workersOf(node.server)
    process.kill(second, 'SIGSTOP')
    const frozen = { name: 'processes', status: 'degraded', message: 'Process 2 does not answer.' }
    await vi.waitFor(async () => {
      const health = await node.readiness()
      expect([health.code, checkOf(health)]).toEqual([200, frozen])
    }, WAIT)
    await vi.waitFor(async () => expect(await node.status('/healthz')).toBe(503), WAIT)
    await vi.waitFor(async () => expect(await node.metric('gatehouse_process_up')).toEqual({ 1: 1, 2: 0 }), WAIT)
    // A frozen process holds at most one connection that the primary process gave it.
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => Promise.race([node.chat(), sleep(20_000).then(() => 'no answer')])),
    )
    expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5)
    expect(await node.server.stop()).toBe(1)
    expect(() => process.kill(second, 0)).toThrow('ESRCH')
  })

  test('stop: /readyz responds with 503, and a second signal ends all processes at once', async () => {
    const node = await startNode({ ...(await environment()).env, GATEHOUSE_DRAIN_SECONDS: '600' })
    await waitForAll(node)
    const workers = workersOf(node.server)
    node.server.own.child.kill('SIGTERM')
    await vi.waitFor(async () => expect((await node.readiness()).code).toBe(503), WAIT)
    expect(await node.server.stop()).toBe(1)
    await vi.waitFor(() => {
      for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow('ESRCH')
    }, WAIT)
  })

  test('restarts: pauses grow, and the node ends with exit code 1 when no process can start any more', async () => {
    const { env, database } = await environment()
    const node = await startNode(env)
    await waitForAll(node)
    await database.allowConnections(false)
    await database.endConnections()
    for (const worker of workersOf(node.server)) process.kill(worker, 'SIGKILL')
    expect(await node.server.exitCode()).toBe(1)
    expect(node.server.output()).toContain('no process of this node can start: the node ends')
    const pauses = [...node.server.output().matchAll(/"pause_ms":(\d+)/g)].map(([, ms]) => Number(ms))
    // The first end is no failed start if the process has run for 10 s.
    expect([500, 1_000, 2_000, 4_000].filter((ms) => !pauses.includes(ms))).toEqual([])
  })

  test('start: fails once, with one message and exit code 2, when the secret key is wrong', async () => {
    const { env } = await environment()
    const right = await startNode(env)
    await waitForAll(right)
    const wrong = await launchServer({ ...env, GATEHOUSE_SECRET_KEY: 'y'.repeat(32) })
    cleanups.push(wrong.remove)
    expect(await wrong.exitCode()).toBe(2)
    expect(wrong.output().split('GATEHOUSE_SECRET_KEY is not the key of this database').length).toBe(2)
    const { port } = new URL(right.server.base)
    for (const [name, healthPort] of [
      ['PORT', {}],
      ['GATEHOUSE_HEALTH_PORT', { PORT: String(await freePort()), GATEHOUSE_HEALTH_PORT: port }],
    ] as const) {
      const taken = await launchServer({ ...env, PORT: port, ...healthPort })
      cleanups.push(taken.remove)
      expect(await taken.exitCode()).toBe(1)
      expect(taken.output().split(`is in use: set ${name} or HOST to another value`).length).toBe(2)
    }
  })

  test('SIGHUP: applies log level and gatehouse.yaml, names what needs a restart, and changes nothing when a file is invalid', async () => {
    const { env } = await environment()
    const variables = join(env.GATEHOUSE_DATA, 'gatehouse.env')
    const file = join(env.GATEHOUSE_DATA, 'gatehouse.yaml')
    writeFileSync(variables, 'LOG_LEVEL=info\nGATEHOUSE_MAX_MESSAGES=100\n')
    writeFileSync(file, 'workspaces: [{ name: acme }]\n')
    const key = join(env.GATEHOUSE_DATA, 'provider-key')
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
