import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { toId } from '../../../platform/lib/id.ts'
import { hasEnded } from '../../../platform/queue/lease.ts'
import { longestDelay, RETRY_DELAYS, steppedDelay } from '../../../platform/queue/retry-delays.ts'
import type { GovernanceEvent } from '../event-message.ts'
import type { MailNotificationTable } from '../tables.ts'
import type { NotificationTopic } from '../topic.ts'
import { MAIL_LIFETIME_MS } from './enqueue-mail.ts'

/** Longer than an attempt: another node sends the e-mail of one that has stopped. */
const LEASE_MS = 5 * 60_000
/** Events of one e-mail. */
const MOST = 500

/** An event that this node sends to an operator. */
export interface ClaimedNotification extends GovernanceEvent {
  readonly uuid: string
  readonly topic: NotificationTopic
  readonly attempts: number
}

const isFree = (now: Date) => hasEnded(sql`leased_until`, now, LEASE_MS)
const isDue = (now: Date) => hasEnded(sql`due_at`, now, longestDelay(RETRY_DELAYS.mail))

/** The operators (`opr_…`) for whom an e-mail is due. */
export async function listDueOperators(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('mail_notification')
    .select('operator_id')
    .distinct()
    .where(isDue(now))
    .where(isFree(now))
    .limit(100)
    .execute()
  return rows.map(({ operator_id }) => operator_id)
}

/** Claims all notifications of an operator, oldest first, also those that are not due yet: they share the e-mail. */
export async function claimNotifications(db: Db, operatorId: string, now: Date): Promise<ClaimedNotification[]> {
  const free = db
    .selectFrom('mail_notification')
    .select('id')
    .where('operator_id', '=', operatorId)
    .where(isFree(now))
    .orderBy('id')
    .limit(MOST)
    .forUpdate()
    .skipLocked()
  const rows = await db
    .updateTable('mail_notification')
    .set({ leased_until: new Date(now.getTime() + LEASE_MS) })
    .where('id', 'in', free)
    .returningAll()
    .execute()
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(toClaimed)
}

const toClaimed = (row: Selectable<MailNotificationTable>): ClaimedNotification => ({
  uuid: row.id,
  workspaceId: toId('ws', row.workspace_id),
  topic: row.topic,
  type: row.type,
  payload: row.payload,
  attempts: row.attempts,
})

/** Removes notifications that were sent, or that are no longer needed. */
export async function removeNotifications(db: Db, claimed: readonly ClaimedNotification[]): Promise<void> {
  if (claimed.length > 0)
    await db
      .deleteFrom('mail_notification')
      .where(
        'id',
        'in',
        claimed.map(({ uuid }) => uuid),
      )
      .execute()
}

/** Plans the next attempt, and removes what is too old for one. Returns how many were removed. */
export async function postponeNotifications(
  db: Db,
  claimed: readonly ClaimedNotification[],
  { now, random }: { readonly now: Date; readonly random: () => number },
): Promise<number> {
  const ids = claimed.map(({ uuid }) => uuid)
  const failures = Math.max(...claimed.map(({ attempts }) => attempts)) + 1
  const due = new Date(now.getTime() + steppedDelay(failures, RETRY_DELAYS.mail, random))
  await db
    .updateTable('mail_notification')
    .set({ attempts: sql<number>`attempts + 1`, due_at: due, leased_until: null })
    .where('id', 'in', ids)
    .execute()
  const { numDeletedRows } = await db
    .deleteFrom('mail_notification')
    .where('id', 'in', ids)
    .where('created_at', '<', new Date(due.getTime() - MAIL_LIFETIME_MS))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
