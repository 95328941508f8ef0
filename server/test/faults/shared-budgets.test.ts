import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { budgetLoad } from '../support/limits/budget-load.ts'
import { type LimitedNodes, startLimitedNodes } from '../support/limits/nodes.ts'
import { cleanupsAfterAll } from '../support/nodes.ts'

const url = postgresUrl()
const NODES = 3
const CLIENTS = 4
const WAIT = { timeout: 60_000, interval: 100 }
/** The scripted provider reports 11 and 7 tokens: 11 × 0.001 + 7 × 0.01 USD. */
const COST = 0.081
const TOKENS = 18
/** Requests that a budget covers. The last ones are refused, because more is set aside for a request than it costs. */
const COVERED = 240
const LAST = 6
/** Nodes admit requests from a slice for two seconds. */
const SLICE_MS = 2_100

describe.skipIf(url === null)('budgets of three nodes on one PostgreSQL', { timeout: 480_000 }, () => {
  const cleanups = cleanupsAfterAll()
  let limited: LimitedNodes
  beforeAll(async () => {
    limited = await startLimitedNodes(url ?? '', NODES, cleanups)
    await limited.admin('PUT', '/providers/openai/models/scripted', { input_price: 1_000, output_price: 10_000 })
  }, 240_000)
  /** Ends all reservations, as if their lease was over. */
  const expireAll = async () => {
    const client = new pg.Client({ connectionString: limited.databaseUrl })
    await client.connect()
    await client.query("select budget_expire('2100-01-01', 1000)")
    await client.end()
  }

  test('budgets: nodes admit the limit together and charge what the records say [GW-BUD-5, GW-BUD-13]', async () => {
    const load = await budgetLoad(limited)
    const tokens = await load.create({ unit: 'tokens', limit: 10 * COVERED * TOKENS })
    const money = await load.create({ unit: 'usd', limit: COVERED * COST })
    const before = await load.read(tokens)
    const watched = load.watch([money, tokens])
    const { admitted, refused, others } = await load.run([0, 1, 2], CLIENTS)
    expect(await watched.stop()).toEqual([])
    expect(others).toEqual([])
    expect(refused).toBe(NODES * CLIENTS)
    expect(admitted).toBeLessThanOrEqual(COVERED)
    expect(admitted).toBeGreaterThanOrEqual(COVERED - LAST)
    const charges = await load.charges()
    expect(charges.requests).toBe(admitted)
    await vi.waitFor(async () => expect(await load.read(money)).toMatchObject({ reserved: 0, overruns: 0, expired: 0 }), WAIT)
    expect((await load.read(money)).spent).toBeCloseTo(charges.cost, 6)
    const spent = { spent: before.spent + charges.tokens, reserved: 0, overruns: 0 }
    await vi.waitFor(async () => expect(await load.read(tokens)).toMatchObject(spent), WAIT)
    for (const budget of [money, tokens]) await load.disable(budget)
  })

  test('budgets: a frozen node that wakes does not admit from a slice that has ended [GW-BUD-13]', async () => {
    const load = await budgetLoad(limited)
    const budget = await load.create({ unit: 'tokens', limit: COVERED * TOKENS })
    const watched = load.watch([budget])
    const holdsSlice = async () => {
      expect(await load.send(2, 3 * CLIENTS)).toEqual(Array.from({ length: 3 * CLIENTS }, () => 200))
      expect((await load.read(budget)).reserved).toBeGreaterThan(0)
    }
    await vi.waitFor(holdsSlice, WAIT)
    limited.nodes[2]?.own.child.kill('SIGSTOP')
    await expireAll()
    await load.run([0, 1], CLIENTS)
    await sleep(SLICE_MS)
    limited.nodes[2]?.own.child.kill('SIGCONT')
    expect(await load.run([2], CLIENTS)).toEqual({ admitted: 0, refused: CLIENTS, others: [] })
    expect(await watched.stop()).toEqual([])
    const spent = (await load.charges()).tokens
    await vi.waitFor(async () => expect(await load.read(budget)).toMatchObject({ spent, reserved: 0, overruns: 0 }), WAIT)
    expect(spent).toBeLessThanOrEqual(COVERED * TOKENS)
    await load.disable(budget)
  })

  test('budgets: reservations of a killed node end by themselves, and the rest can be spent [GW-BUD-13]', async () => {
    const load = await budgetLoad(limited)
    const budget = await load.create({ unit: 'tokens', limit: COVERED * TOKENS })
    await load.hang(2, CLIENTS)
    const watched = load.watch([budget])
    const running = load.run([0, 1, 2], CLIENTS)
    await vi.waitFor(async () => expect((await load.read(budget)).spent).toBeGreaterThan(20 * TOKENS), WAIT)
    limited.nodes[2]?.own.child.kill('SIGKILL')
    // The clients of the other nodes wait until the reservations of the killed one end, 90 s after it renewed them.
    const { admitted, refused, others } = await running
    expect(await watched.stop()).toEqual([])
    expect(others).toEqual(Array.from({ length: CLIENTS }, () => 0))
    expect(refused).toBe(2 * CLIENTS)
    const { spent, ...count } = await load.read(budget)
    expect(count).toMatchObject({ reserved: 0, overruns: 0 })
    // Requests that were admitted from one slice have one reservation.
    expect(count.expired).toBeGreaterThanOrEqual(1)
    expect(spent).toBe((await load.charges()).tokens)
    // A response of the killed node that was recorded may not have reached its client.
    expect(spent).toBeGreaterThanOrEqual(admitted * TOKENS)
    expect(spent).toBeLessThanOrEqual(COVERED * TOKENS)
    expect(spent).toBeGreaterThanOrEqual((COVERED - LAST) * TOKENS)
  })
})
