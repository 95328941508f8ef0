import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findSealer, seedAuditedWorkspace, testDraft } from '../../../test/support/audit.ts'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { ledgerFixture } from '../../../test/support/ledger-fixture.ts'
import { GatehouseError } from '../../errors.ts'
import type { Database } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { USD_SCALE } from '../../shared/spending.ts'
import { appendInTransaction } from '../audit/chain/append-in-transaction.ts'
import { AuditWriter } from '../audit/chain/writer.ts'
import type { Budget } from './budget.ts'
import { loadBudgets, updateBudget } from './budget-store.ts'
import { BudgetLedger, type Reservation, settlementOf } from './ledger.ts'
import { expireReservations } from './reservation-store.ts'

const LIMIT = 400
const USERS = ['ada', 'bob']
const T0 = Date.parse('2026-03-03T10:00:00Z')

const weighted = <const T extends object>(weight: number, model: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  weight,
  arbitrary: fc.record(model),
})
/** Of one node. */
const node = fc.nat(1)
const user = fc.nat(1)

/** One step of requests on one of two nodes, or of the server. A burst gets slices. `share`: of the reservation that a request really uses. */
const step = fc.oneof(
  weighted(3, {
    do: fc.constant('reserve' as const),
    user,
    amount: fc.integer({ min: 1, max: 90 }),
    node,
    count: fc.constant(1),
  }),
  weighted(4, { do: fc.constant('reserve' as const), user, amount: fc.integer({ min: 1, max: 3 }), node, count: fc.constant(8) }),
  weighted(5, {
    do: fc.constantFrom('settle' as const, 'settle in transaction' as const),
    which: fc.nat(9),
    share: fc.constantFrom(0, 0.25, 1, 1.5),
  }),
  weighted(1, { do: fc.constant('fail' as const), which: fc.nat(9) }),
  weighted(3, { do: fc.constantFrom('return' as const, 'stop' as const, 'crash' as const), node }),
  weighted(2, { do: fc.constantFrom('expire' as const, 'renew' as const), minutes: fc.constantFrom(1, 2, 3, 24 * 60) }),
  weighted(1, { do: fc.constant('change' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  /** UUIDs of reservations, and the requests that they admitted. */
  const calls = new Set<string>()
  let admitted = 0

  /** Runs batches of steps; the steps of one batch run at the same time. Checks the ledger after each batch. */
  async function run(batches: readonly (readonly Step[])[]): Promise<void> {
    const { db } = database
    const { workspaceId, keys } = await seedAuditedWorkspace(db)
    const { create } = ledgerFixture(database, workspaceId)
    await create({ unit: 'usd', limit: LIMIT })
    await create({ scope: 'user', unit: 'tokens', limit: 280, period: 'month' })
    let budgets = await loadBudgets(db, workspaceId)
    let now = T0
    const start = () => new BudgetLedger({ db, loadMs: 60_000, now: () => new Date(now), clock: () => now })
    const ledgers = [start(), start()]
    const writer = new AuditWriter(database, { findSealer: findSealer(db) })
    let open: { reservation: Reservation; ledger: BudgetLedger; amount: number }[] = []

    async function settle({ do: how, which, share }: Extract<Step, { share: number }>): Promise<void> {
      const [taken] = open.splice(which % Math.max(1, open.length), 1)
      if (!taken) return
      const cost = taken.amount * share
      const spent = { usd: cost * USD_SCALE, tokens: Math.ceil(cost) }
      const draft = testDraft(workspaceId, { charge: { cost, estimated: false, tokens: spent.tokens } })
      const settlements = [settlementOf(taken.reservation, spent)]
      if (how === 'settle') await writer.append(workspaceId, draft, { settlements })
      else await db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, [draft], keys.hasher, { settlements }))
      taken.ledger.close(taken.reservation)
    }

    async function reserve({ user, amount, node, count }: Extract<Step, { count: number }>): Promise<void> {
      const ledger = ledgers[node] as BudgetLedger
      const matched = budgets.map((budget) => ({ budget, subject: budget.scope === 'user' ? (USERS[user] ?? '') : '' }))
      for (let i = 0; i < count; i++) {
        const reserving = ledger.reserve(workspaceId, matched, { usd: amount * USD_SCALE, tokens: amount })
        // Other steps let minutes pass: then the answer came too late.
        const reservation = await reserving.catch((error: unknown) => {
          if (error instanceof GatehouseError && error.code === 'UNAVAILABLE') return undefined
          throw error
        })
        if (!reservation?.ok) return
        calls.add(reservation.id)
        admitted += 1
        open.push({ reservation, ledger, amount })
      }
    }

    async function perform(each: Step): Promise<void> {
      if ('count' in each) return reserve(each)
      if ('share' in each) return settle(each)
      if ('which' in each) {
        const [failed] = open.splice(each.which % Math.max(1, open.length), 1)
        failed?.ledger.close(failed.reservation)
      } else if ('minutes' in each) {
        now += each.minutes * 60_000
        if (each.do === 'renew') await Promise.all(ledgers.map((ledger) => ledger.renew()))
        await expireReservations(db, 100, new Date(now))
      } else if (each.do === 'change') {
        await raise(database, workspaceId, budgets)
        budgets = await loadBudgets(db, workspaceId)
      } else if (each.do === 'crash') {
        open = open.filter(({ ledger }) => ledger !== ledgers[each.node])
        ledgers[each.node] = start()
      } else {
        now += 2_000
        await (each.do === 'return' ? ledgers[each.node]?.returnUnused() : ledgers[each.node]?.stop())
      }
    }

    for (const batch of batches) {
      await Promise.all(batch.map(perform))
      await expectExact(database, workspaceId)
    }
    now += 3_600_000
    while ((await expireReservations(db, 100, new Date(now))) > 0);
    await expectExact(database, workspaceId, true)
  }

  test('ledger: is exact in every interleaving of reserve, settle, return, crash, renew, expire and change [GW-BUD-5, GW-BUD-14]', async () => {
    const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 12 })
    await fc.assert(fc.asyncProperty(batches, run), { numRuns: 10 })
    expect(admitted).toBeGreaterThan(calls.size + 10)
  })
})

/** Raises each limit, as an operator does. */
async function raise({ db }: Database, workspaceId: string, budgets: readonly Budget[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const { id, amount, updatedAt } of budgets)
      await updateBudget(tx, workspaceId, id, { amount: amount + 10 }, new Date(updatedAt.getTime() + 1))
  })
}

/**
 * The sum over records is the amount spent, the sum over reservations is the amount reserved, and no budget holds more than its limit and
 * the overruns that it has counted.
 */
async function expectExact({ db, pool }: Database, workspaceId: string, isOver = false): Promise<void> {
  const { rows: records } = await pool.query<{ cost: number; tokens: number }>(
    `select coalesce(sum(((body::jsonb #>> '{charge,cost}')::numeric) * 1e9), 0)::bigint as cost,
      coalesce(sum((body::jsonb #>> '{charge,tokens}')::bigint), 0)::bigint as tokens
      from audit_record where workspace_id = $1`,
    [uuidOf('ws', workspaceId)],
  )
  const [recorded] = records
  for (const budget of await loadBudgets(db, workspaceId)) {
    const { rows } = await pool.query<{ spent: number; reserved: number; overrun: number; open: number }>(
      `select spent, reserved, overrun, (
        select coalesce(sum(case e.unit when 'usd' then r.usd else r.tokens end), 0)::bigint
        from budget_reservation r, jsonb_to_recordset(r.entries) as e(budget uuid, subject text, starts timestamptz, unit text)
        where e.budget = w.budget_id and e.subject = w.subject and e.starts = w.starts_at
      ) as open from budget_window w where budget_id = $1`,
      [uuidOf('bud', budget.id)],
    )
    const spent = rows.reduce((sum, row) => sum + row.spent, 0)
    expect(spent).toBe(budget.unit === 'usd' ? recorded?.cost : recorded?.tokens)
    for (const row of rows) {
      expect(row.reserved).toBe(isOver ? 0 : row.open)
      expect(row.spent + row.reserved).toBeLessThanOrEqual(budget.amount + row.overrun)
    }
  }
}
