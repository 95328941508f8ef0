import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSealer, seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import { appendInTransaction } from '../audit/chain/append-in-transaction.ts'
import { AuditWriter } from '../audit/chain/writer.ts'
import type { Database } from '../db/database.ts'
import { uuidOf } from '../db/values.ts'
import { USD_SCALE } from '../domain/spending.ts'
import { type Budget, newBudgetOf } from './budget.ts'
import { createBudget } from './budget-store.ts'
import { BudgetLedger, expireReservations, type Reservation, settlementOf } from './ledger.ts'

const LIMIT = 100
const USERS = ['ada', 'bob']
const T0 = Date.parse('2026-03-03T10:00:00Z')

/** One step of a request on one of two nodes, or of the server. `share`: of the reservation that the request really uses. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('reserve' as const),
      user: fc.nat(1),
      amount: fc.integer({ min: 1, max: 60 }),
      node: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('settle' as const, 'settle in transaction' as const),
      which: fc.nat(9),
      share: fc.constantFrom(0, 0.25, 1, 1.5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), which: fc.nat(9) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('expire' as const, 'renew' as const), minutes: fc.integer({ min: 1, max: 3 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe.each(testDatabases())('on $name', ({ open }) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Runs batches of steps; the steps of one batch run at the same time. Checks the ledger after each batch. */
  async function run(batches: readonly (readonly Step[])[]): Promise<void> {
    const { workspaceId, keys } = await seedAuditedWorkspace(database.db)
    const budgets = await createBudgets(database, workspaceId)
    let now = T0
    const ledgers = [0, 1].map(() => new BudgetLedger({ db: database.db, loadMs: 60_000, now: () => new Date(now) }))
    const writer = new AuditWriter(database, { findSealer: findSealer(database.db) })
    const open: { reservation: Reservation; ledger: BudgetLedger; amount: number }[] = []
    const take = (which: number) => open.splice(which % Math.max(1, open.length), 1)[0]

    async function perform(each: Step): Promise<void> {
      if (each.do === 'reserve') {
        const ledger = ledgers[each.node] as BudgetLedger
        const matched = budgets.map((budget) => ({ budget, subject: budget.scope === 'user' ? (USERS[each.user] ?? '') : '' }))
        const reservation = await ledger.reserve(workspaceId, matched, { usd: each.amount * USD_SCALE, tokens: each.amount })
        if (reservation.ok) open.push({ reservation, ledger, amount: each.amount })
      } else if ('minutes' in each) {
        now += each.minutes * 60_000
        if (each.do === 'renew') await Promise.all(ledgers.map((ledger) => ledger.renew()))
        await expireReservations(database.db, 100, new Date(now))
      } else {
        const taken = take(each.which)
        if (!taken) return
        taken.ledger.close(taken.reservation)
        if (!('share' in each)) return
        const cost = taken.amount * each.share
        const spent = { usd: cost * USD_SCALE, tokens: Math.ceil(cost) }
        const draft = testDraft(workspaceId, { charge: { cost, estimated: false, tokens: spent.tokens } })
        const settlements = [settlementOf(taken.reservation, spent)]
        if (each.do === 'settle') await writer.append(workspaceId, draft, { settlements })
        else
          await database.db
            .transaction()
            .execute((tx) => appendInTransaction(tx, workspaceId, [draft], keys.hasher, { settlements }))
      }
    }

    for (const batch of batches) {
      await Promise.all(batch.map(perform))
      await expectExact(database, workspaceId, budgets)
    }
    now += 3_600_000
    while ((await expireReservations(database.db, 100, new Date(now))) > 0);
    await expectExact(database, workspaceId, budgets, true)
  }

  test('ledger: is exact in every interleaving of reserve, settle, crash, renew and expire [GW-BUD-5]', () =>
    fc.assert(fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 12 }), run), {
      numRuns: 15,
    }))
})

async function createBudgets({ db }: Database, workspaceId: string): Promise<readonly Budget[]> {
  const bodies = [
    { name: 'all', scope: 'workspace', unit: 'usd', limit: LIMIT, period: 'day' },
    { name: 'each', scope: 'user', unit: 'tokens', limit: 70, period: 'month' },
  ] as const
  return db.transaction().execute(async (tx) => {
    const created = []
    for (const body of bodies) created.push((await createBudget(tx, workspaceId, newBudgetOf(body), new Date(T0))) as Budget)
    return created
  })
}

/** The sum over records is the amount spent, and no budget holds more than its limit and the overruns that it has counted. */
async function expectExact({ pool }: Database, workspaceId: string, budgets: readonly Budget[], isOver = false): Promise<void> {
  const { rows: records } = await pool.query<{ cost: number; tokens: number }>(
    `select coalesce(sum(((body::jsonb #>> '{charge,cost}')::numeric) * 1e9), 0)::bigint as cost,
      coalesce(sum((body::jsonb #>> '{charge,tokens}')::bigint), 0)::bigint as tokens
      from audit_record where workspace_id = $1`,
    [uuidOf('ws', workspaceId)],
  )
  const [recorded] = records
  for (const budget of budgets) {
    const { rows } = await pool.query<{ spent: number; reserved: number; overrun: number }>(
      'select spent, reserved, overrun from budget_window where budget_id = $1',
      [uuidOf('bud', budget.id)],
    )
    const spent = rows.reduce((sum, row) => sum + row.spent, 0)
    expect(spent).toBe(budget.unit === 'usd' ? recorded?.cost : recorded?.tokens)
    for (const row of rows) {
      expect(row.reserved).toBeGreaterThanOrEqual(0)
      expect(row.spent + row.reserved).toBeLessThanOrEqual(budget.amount + row.overrun)
      if (isOver) expect(row.reserved).toBe(0)
    }
  }
}
