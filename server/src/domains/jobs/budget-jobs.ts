import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { takeAlerts } from '../budgets/alert-store.ts'
import type { BudgetMeter } from '../budgets/budget-meter.ts'
import type { BudgetLedger } from '../budgets/ledger.ts'
import { expireReservations } from '../budgets/reservation-store.ts'
import { removeOldWindows } from '../budgets/window-store.ts'
import { emit } from '../messaging/events/event.ts'
import type { EventRelay } from '../messaging/events/event-relay.ts'
import type { Job } from './jobs.ts'
import { inBatches } from './jobs.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 3_600 * SECOND
const BATCH = 500
const ALERTS = 100
/** How long the counts of past windows are kept: a year can be compared with the one before. */
const WINDOWS_MS = 800 * 24 * HOUR
const UNSPENT_MS = 24 * HOUR

export interface BudgetJobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly budgetLedger: Pick<BudgetLedger, 'renew' | 'returnUnused'>
  readonly budgetMeter: BudgetMeter
  readonly relay: Pick<EventRelay, 'wake'>
}

export const budgetJobs = ({ db, clock, budgetLedger, budgetMeter, relay }: BudgetJobDeps): Job[] => [
  // Each process renews its own.
  { name: 'renew reservations of budgets', everyMs: 20 * SECOND, run: () => budgetLedger.renew() },
  { name: 'give back unused reservations of budgets', everyMs: SECOND, run: () => budgetLedger.returnUnused() },
  {
    name: 'release reservations of dead nodes',
    oncePerNode: true,
    everyMs: 10 * SECOND,
    run: () => inBatches(BATCH, (most) => expireReservations(db, most)),
  },
  { name: 'measure budgets', oncePerNode: true, everyMs: MINUTE, run: () => budgetMeter.run() },
  { name: 'send alerts of budgets', oncePerNode: true, everyMs: SECOND, run: () => sendAlerts({ db, clock, relay }) },
  {
    name: 'remove old counts of budgets',
    oncePerNode: true,
    everyMs: HOUR,
    run: () =>
      inBatches(BATCH, (most) => removeOldWindows(db, { before: ago(clock, WINDOWS_MS), unspent: ago(clock, UNSPENT_MS) }, most)),
  },
]

const ago = (clock: Clock, ms: number): Date => new Date(clock.now().getTime() - ms)

/** Webhooks of the Workspace receive alerts; no member of a conversation does. */
async function sendAlerts({ db, clock, relay }: Pick<BudgetJobDeps, 'db' | 'clock' | 'relay'>): Promise<void> {
  const sent = await db.transaction().execute(async (tx) => {
    const alerts = await takeAlerts(tx, clock.now(), ALERTS)
    await emit(
      tx,
      ...alerts.map(({ workspaceId, payload }) => ({ workspaceId, type: 'budget.alert' as const, audience: [], payload })),
    )
    return alerts.length
  })
  if (sent > 0) relay.wake()
}
