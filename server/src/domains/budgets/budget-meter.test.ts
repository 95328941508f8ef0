import { expect, onTestFinished, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { newBudgetOf } from './budget.ts'
import { createBudget } from './budget-store.ts'
import { budgetMeter } from './open-budgets.ts'

test.each(freshDatabases())(
  'budget meter: counts the windows that are nearly or completely spent, by scope, on $name',
  async ({ open }) => {
    const { database, remove } = await open()
    onTestFinished(remove)
    const { db, pool } = database
    const { workspaceId } = await seedWorkspace(db)
    const add = async (name: string, change: object) => {
      const body = { name, scope: 'workspace', unit: 'tokens', limit: 100, period: 'day', ...change } as const
      await db.transaction().execute((tx) => createBudget(tx, workspaceId, newBudgetOf(body), new Date()))
    }
    const spend = (name: string, subject: string, spent: number, endsAt = 'tomorrow') =>
      pool.query(
        `insert into budget_window (budget_id, subject, starts_at, ends_at, spent)
        select id, $2, $4::timestamptz - interval '1 day', $4::timestamptz, $3 from budget where name = $1`,
        [name, subject, spent, endsAt],
      )
    const meter = budgetMeter({ db, clock: systemClock })
    await meter.run()
    expect(meter.readings).toEqual([])

    await add('all', {})
    await add('off', { enabled: false })
    await add('each user', { scope: 'user' })
    await spend('all', '', 79)
    await spend('all', '', 100, 'yesterday')
    await spend('off', '', 100)
    for (const [subject, spent] of [
      ['ada', 80],
      ['bob', 99],
      ['cy', 100],
      ['dee', 150],
      ['eve', 0],
    ] as const)
      await spend('each user', subject, spent)
    await meter.run()
    expect(meter.readings.toSorted((a, b) => a.scope.localeCompare(b.scope))).toEqual([
      { scope: 'user', near: 2, usedUp: 2 },
      { scope: 'workspace', near: 0, usedUp: 0 },
    ])
  },
)
