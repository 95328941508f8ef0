import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { takeAlerts } from '../budgets/alert-store.ts'
import type { BudgetLedger } from '../budgets/ledger.ts'
import type { BudgetMeter } from '../budgets/open-budgets.ts'
import { expireReservations } from '../budgets/reservation-store.ts'
import { removeOldWindows } from '../budgets/window-store.ts'
import { emit } from '../messaging/events/event.ts'
import type { EventRelay } from '../messaging/events/event-relay.ts'
import { DAY, HOUR, inBatches, type Job, MINUTE, nodeJob, SECOND } from './jobs.ts'

const BATCH = 500
const ALERTS = 100
/** How long the counts of past windows are kept: a year can be compared with the one before. */
const WINDOWS_MS = 800 * DAY
const UNSPENT_MS = DAY

export interface BudgetJobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly budgetLedger: Pick<BudgetLedger, 'renew' | 'returnUnused'>
  readonly budgetMeter: BudgetMeter
  readonly relay: Pick<EventRelay, 'wake'>
}

export function budgetJobs(deps: BudgetJobDeps): Job[] {
  const { db, clock, budgetLedger, budgetMeter } = deps
  const ago = (ms: number): Date => new Date(clock.now().getTime() - ms)
  const oldWindows = () => ({ before: ago(WINDOWS_MS), unspent: ago(UNSPENT_MS) })
  return [
    // Each process renews its own.
    { name: 'renew reservations of budgets', everyMs: 20 * SECOND, run: () => budgetLedger.renew() },
    { name: 'give back unused reservations of budgets', everyMs: SECOND, run: () => budgetLedger.returnUnused() },
    nodeJob('release reservations of dead nodes', 10 * SECOND, () => inBatches(BATCH, (most) => expireReservations(db, most))),
    nodeJob('measure budgets', MINUTE, () => budgetMeter.run()),
    nodeJob('send alerts of budgets', SECOND, () => sendAlerts(deps)),
    nodeJob('remove old counts of budgets', HOUR, () => inBatches(BATCH, (most) => removeOldWindows(db, oldWindows(), most))),
  ]
}

/** Webhooks of the Workspace receive alerts; no member of a conversation does. */
async function sendAlerts({ db, clock, relay }: BudgetJobDeps): Promise<void> {
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
