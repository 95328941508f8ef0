import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { ledgerFixture } from '../../../test/support/ledger-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Spending } from '../../shared/spending.ts'
import type { Budget } from './budget.ts'
import { BudgetLedger, type Reservation } from './ledger.ts'

/** After the times of the other tests, which let reservations expire. */
const START = Date.parse('2027-02-03T09:00:00Z')
const CHAT = { usd: 3_450_000, tokens: 200 }
const EMBEDDING = { usd: 100_000, tokens: 5_000 }

describe.each(testDatabases())('slices of different requests on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)

  const money = (): Promise<Budget> => ledgerFixture(database, workspaceId).create({ unit: 'usd', limit: 1_000 })
  const reserved = async (budget: Budget) => (await ledgerFixture(database, workspaceId).counts(budget))[0]?.reserved
  /** Sends the requests one after the other, all within one second. Returns those that were admitted. */
  async function send(budgets: readonly Budget[], requests: readonly Spending[]) {
    const ledger = new BudgetLedger({ db: database.db, loadMs: 30_000, now: () => new Date(START), clock: () => START })
    const admitted: Reservation[] = []
    for (const spending of requests) {
      const answer = await ledger.reserve(
        workspaceId,
        budgets.map((budget) => ({ budget, subject: '' })),
        spending,
      )
      if (answer.ok) admitted.push(answer)
    }
    return { admitted, calls: new Set(admitted.map(({ id }) => id)).size }
  }
  const repeat = (times: number, requests: readonly Spending[]): Spending[] =>
    Array.from({ length: times }, () => requests).flat()

  test('ledger: tokens do not end a slice when only money is counted [GW-BUD-14]', async () => {
    const budget = await money()
    const { admitted, calls } = await send([budget], repeat(50, [CHAT, EMBEDDING]))
    expect(admitted).toHaveLength(100)
    expect(calls).toBeLessThan(20)
  })

  test('ledger: a request that does not fit into a fresh slice asks for itself, and the slice stays [GW-BUD-14]', async () => {
    const budget = await money()
    const large = { usd: 10 * CHAT.usd, tokens: 2_000 }
    const { admitted } = await send([budget], [...repeat(5, [CHAT]), large, CHAT])
    const ids = admitted.map(({ id }) => id)
    expect(new Set(ids.slice(0, 6)).size).toBe(5)
    expect(ids[6]).toBe(ids[4])
    expect(await reserved(budget)).toBe((3 + 4 + 10) * CHAT.usd)
  })

  test('ledger: requests that are too large do not end the slices of others [GW-BUD-14]', async () => {
    const budget = await money()
    const impossible = { usd: 2 * budget.amount, tokens: 1_000 }
    const { admitted, calls } = await send([budget], repeat(10, [impossible, ...repeat(9, [CHAT])]))
    expect(admitted).toHaveLength(90)
    expect(calls).toBeLessThan(20)
  })

  test('ledger: a large request sets no more aside than all recent requests together [GW-BUD-14]', async () => {
    const budget = await money()
    const large = { usd: 450_000_000, tokens: 40_000 }
    const { admitted } = await send([budget], repeat(10, [large, ...repeat(19, [CHAT])]))
    const running = admitted.reduce((sum, { spending }) => sum + spending.usd, 0)
    expect(await reserved(budget)).toBeLessThan(3 * running)
  })
})
