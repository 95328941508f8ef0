import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../support/database.ts'
import { budgetLoad } from '../support/limits/budget-load.ts'
import { type LimitedNodes, startLimitedNodes } from '../support/limits/nodes.ts'

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

describe.skipIf(url === null)('budgets of three nodes on one PostgreSQL', { timeout: 480_000 }, () => {
  const cleanups: (() => Promise<unknown>)[] = []
  let limited: LimitedNodes
  beforeAll(async () => {
    limited = await startLimitedNodes(url ?? '', NODES, cleanups)
    await limited.admin('PUT', '/providers/openai/models/scripted', { input_price: 1_000, output_price: 10_000 })
  }, 240_000)
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup()
  })

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
    const spent = await load.read(money)
    expect(spent).toMatchObject({ reserved: 0, overruns: 0, expired: 0 })
    expect(spent.spent).toBeCloseTo(charges.cost, 6)
    expect(await load.read(tokens)).toMatchObject({ spent: before.spent + charges.tokens, reserved: 0, overruns: 0 })
    for (const budget of [money, tokens]) await load.disable(budget)
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
    expect(count.expired).toBeGreaterThanOrEqual(CLIENTS)
    expect(spent).toBe((await load.charges()).tokens)
    // A response of the killed node that was recorded may not have reached its client.
    expect(spent).toBeGreaterThanOrEqual(admitted * TOKENS)
    expect(spent).toBeLessThanOrEqual(COVERED * TOKENS)
    expect(spent).toBeGreaterThanOrEqual((COVERED - LAST) * TOKENS)
  })
})
