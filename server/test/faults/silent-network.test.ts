import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { expectError } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { startLoad } from '../support/load.ts'
import { cleanupsAfterEach, nodeEnvironment, openLimits, postChat } from '../support/nodes.ts'
import { Browser } from '../support/operators.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { startDatabaseRelay } from '../support/tcp-relay.ts'

const url = postgresUrl()
const SECRET = 'x'.repeat(32)
/** A lock that a frozen node held would be noticed: by default the database ends its transaction after two seconds. */
const LONG_TRANSACTIONS = { GATEHOUSE_DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '20000' }

const cleanups = cleanupsAfterEach()

const timed = async <T>(work: Promise<T>): Promise<{ value: T; ms: number }> => {
  const since = performance.now()
  return { value: await work, ms: performance.now() - since }
}

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('database behind a network that drops all packets', { timeout: 240_000 }, () => {
  test('silent network: requests and /readyz get 503 in a bounded time, and 200 when the network is back', async () => {
    const database = await createOwnDatabase(url ?? '')
    const relay = await startDatabaseRelay(database.url)
    const governed = await startGoverned({ DATABASE_URL: relay.url, GATEHOUSE_SECRET_KEY: SECRET })
    cleanups.push(database.drop, relay.close, governed.close)
    // Opens connections and a session of the dashboard.
    await Promise.all(Array.from({ length: 8 }, () => governed.sendPrompt()))
    const { email, password } = governed.demo.dashboard
    const browser = new Browser(governed.base)
    expect((await browser.signIn(email, password)).status).toBe(200)

    relay.silence()
    await sleep(1_000)
    const userToken = governed.demo.users[0]?.user_token ?? ''
    const asked = await Promise.all([
      timed(governed.chat('Good morning')),
      timed(governed.chat('Good morning', {}, { userToken })),
      timed(governed.api('GET', '/v1/models')),
      timed(governed.admin('GET', '/applications')),
      timed(governed.api('GET', '/v1/conversations', { token: 'gu_0123456789012345678901234567890123456789012' })),
      timed(governed.api('GET', '/admin/v1/applications', { token: null, headers: { cookie: browser.cookie } })),
    ])
    for (const { value } of asked) expectError(value, 'UNAVAILABLE')
    // These are callers of the faulty node itself. A credential look-up has a timeout of 3 s, the statements of a session 11 s.
    // Callers of the other nodes: unreachable-node.test.ts.
    expect(Math.max(...asked.slice(0, 5).map(({ ms }) => ms))).toBeLessThan(8_000)
    expect(Math.max(...asked.map(({ ms }) => ms))).toBeLessThan(20_000)
    const ready = await timed(governed.api('GET', '/readyz', { token: null }))
    expect(ready.value.status).toBe(503)
    expect(ready.ms).toBeLessThan(6_000)
    expect((await governed.api('GET', '/healthz', { token: null })).status).toBe(200)

    relay.restore()
    await vi.waitFor(async () => expect((await governed.sendPrompt()).response.status).toBe(200), {
      timeout: 30_000,
      interval: 250,
    })
    expect((await governed.api('GET', '/readyz', { token: null })).status).toBe(200)
  })

  test('readyz: names the failed check when the database is read-only or lacks a migration', async () => {
    const database = await createOwnDatabase(url ?? '')
    const governed = await startGoverned({ DATABASE_URL: database.url, GATEHOUSE_SECRET_KEY: SECRET })
    cleanups.push(database.drop, governed.close)
    const failing = async (): Promise<unknown[]> => {
      const { body } = await governed.api('GET', '/readyz', { token: null })
      return (body.checks as { name: string; status: string }[]).filter(({ status }) => status === 'fail').map(({ name }) => name)
    }
    expect(await failing()).toEqual([])
    const direct = new pg.Client({ connectionString: database.url })
    await direct.connect()
    await direct.query("update kysely_migration set name = '0000-' || name where name like '0008%'")
    expect(await failing()).toEqual(['schema'])
    await direct.query("update kysely_migration set name = substr(name, 6) where name like '0000-%'")
    await direct.query(`alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`)
    await direct.end()
    await database.endConnections()
    await vi.waitFor(async () => expect(await failing()).toEqual(['writable']), { timeout: 15_000, interval: 250 })
    expectError(await governed.chat('Good morning'), 'UNAVAILABLE')
  })

  test('serve: refuses to start when the secret key does not fit the database', async () => {
    const env = { ...(await nodeEnvironment(url, cleanups)).env, GATEHOUSE_DRAIN_SECONDS: '0' }
    const right = await startServerProcess(env)
    cleanups.push(right.remove)
    const wrong = await launchServer({ ...env, GATEHOUSE_SECRET_KEY: 'y'.repeat(32) })
    cleanups.push(wrong.remove)
    expect(await wrong.exitCode()).toBe(2)
    expect(wrong.output()).toContain('GATEHOUSE_SECRET_KEY is not the key of this database')
    expect(wrong.output()).not.toContain('"listening"')
  })
})

/** Sends a chat; returns the status, or 0 if there is no response. */
async function sendChat(base: string, key: string | undefined): Promise<number> {
  const options = { signal: AbortSignal.timeout(30_000) }
  const response = await postChat(base, key, 'hello', { model: 'demo-mini' }, options).catch(() => undefined)
  await response?.arrayBuffer().catch(() => {})
  return response?.status ?? 0
}

/** Freezes the node at some point of its work, measures chats with the other one, and lets the node go on. */
async function chatWhileFrozen(node: ServerProcess, chat: () => Promise<number>) {
  node.own.child.kill('SIGSTOP')
  try {
    return await Promise.all([timed(chat()), timed(chat())])
  } finally {
    node.own.child.kill('SIGCONT')
    await sleep(20)
  }
}

const FREEZES = 40

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('two nodes of which one is frozen', { timeout: 300_000 }, () => {
  test('frozen node: the other node responds within seconds, at whatever point the node is frozen', async () => {
    const env = { ...(await nodeEnvironment(url, cleanups)).env, ...LONG_TRANSACTIONS }
    const start = async (name: string): Promise<ServerProcess> => {
      const node = await startServerProcess({ ...env, PGAPPNAME: name })
      cleanups.push(node.remove)
      return node
    }
    const frozen = await start('node_frozen')
    const other = await start('node_other')
    await openLimits({ ...frozen, base: other.base })
    const { applications } = frozen.demo()
    const chat = (base: string) => sendChat(base, applications[0]?.api_key)
    const stop = startLoad(
      [frozen, other, frozen, other].map(
        ({ base }) =>
          () =>
            chat(base),
      ),
    )
    const usual = Math.max(...(await Promise.all(Array.from({ length: 4 }, () => timed(chat(other.base))))).map(({ ms }) => ms))
    const answers: { value: number; ms: number }[] = []
    for (let freeze = 0; freeze < FREEZES; freeze++) answers.push(...(await chatWhileFrozen(frozen, () => chat(other.base))))
    await stop()
    expect(answers.filter(({ value }) => value !== 200)).toEqual([])
    // No node holds the lock on the chain's end while it runs its own code.
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(3_000 + 2 * usual)
  })
})
