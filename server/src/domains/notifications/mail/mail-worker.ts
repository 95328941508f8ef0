import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { toId } from '../../../platform/lib/id.ts'
import { hasEnded } from '../../../platform/queue/lease.ts'
import { longestDelay, RETRY_DELAYS, steppedDelay } from '../../../platform/queue/retry-delays.ts'
import { WorkQueue } from '../../../platform/queue/work-queue.ts'
import { findWorkspace } from '../../identity/workspace-store.ts'
import { findPerson } from '../../operators/operator-store.ts'
import { findDecidedReviews } from '../../review/review-store.ts'
import { dashboardUrl, type GovernanceEvent, messageOf } from '../event-message.ts'
import { findNames } from '../find-names.ts'
import { neutralize } from '../neutralize.ts'
import type { NotificationTopic } from '../topic.ts'
import { composeMail, type MailContent } from './compose-mail.ts'
import { enqueueMail, MAIL_LIFETIME_MS, mayReceive } from './enqueue-mail.ts'
import type { Mailer } from './mailer.ts'

/** Longer than an attempt: another node sends the e-mail of one that has stopped. */
const LEASE_MS = 5 * 60_000
const MOST = 500
const ENQUEUE_BATCH = 200
const CONCURRENT_MAILS = 4
/** Events that an e-mail lists; it counts the others. */
const LISTED = 20

export interface MailDeps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  /** Undefined: the server sends no e-mail. */
  readonly mailer: Pick<Mailer, 'send'> | undefined
  readonly publicUrl: string | undefined
  readonly onError: (error: Error) => void
}

export class MailWorker extends WorkQueue<string> {
  readonly #deps: MailDeps
  readonly #busy = new Set<string>()

  constructor(deps: MailDeps) {
    super({
      claim: (most) => this.#claimOperators(most),
      work: (operatorId) => this.#send(operatorId).finally(() => this.#busy.delete(operatorId)),
      concurrency: CONCURRENT_MAILS,
      topics: [],
      ...deps,
    })
    this.#deps = deps
  }

  async #claimOperators(most: number): Promise<string[]> {
    const { db, clock, mailer } = this.#deps
    if (!mailer) return []
    while (await enqueueMail(db, clock.now(), ENQUEUE_BATCH));
    const due = (await listDueOperators(db, clock.now())).filter((id) => !this.#busy.has(id)).slice(0, most)
    for (const id of due) this.#busy.add(id)
    return due
  }

  /** Returns false: the recurring job finds further e-mail. */
  async #send(operatorId: string): Promise<boolean> {
    const { db, clock, mailer, log } = this.#deps
    const claimed = await claimNotifications(db, operatorId, clock.now())
    const person = await findPerson(db, operatorId)
    const current = person
      ? await withoutSettled(
          db,
          claimed.filter((event) => mayReceive(person, event.topic, event.workspaceId)),
        )
      : []
    if (person && current.length > 0) {
      const failure = await mailer?.send({ to: person.email, ...composeMail(await this.#contentOf(current)) })
      if (failure !== undefined) {
        const dropped = await postponeNotifications(db, claimed, { ...this.#deps, now: clock.now() })
        log.warn({ operator: operatorId, failure, dropped }, 'an e-mail with notifications could not be sent')
        return false
      }
    }
    await removeNotifications(db, claimed)
    return false
  }

  async #contentOf(events: readonly ClaimedNotification[]): Promise<MailContent> {
    const { db, clock, publicUrl } = this.#deps
    const listed = events.slice(0, LISTED)
    const sections = []
    for (const workspaceId of new Set(listed.map((event) => event.workspaceId))) {
      const messages = []
      for (const event of listed.filter((event) => event.workspaceId === workspaceId))
        messages.push(messageOf(event, { names: await findNames(db, event), now: clock.now(), publicUrl }))
      sections.push({ workspace: neutralize((await findWorkspace(db, workspaceId))?.name ?? workspaceId), messages })
    }
    const topics = events.map(({ topic }) => topic)
    return { sections, topics, total: events.length, settingsUrl: dashboardUrl(publicUrl, '/account') }
  }
}

/** Leaves out review items that have been decided since, and returns each of the others once, with its last event. */
async function withoutSettled(db: Db, events: readonly ClaimedNotification[]): Promise<ClaimedNotification[]> {
  const reviews = events.flatMap(({ payload }) => (payload.object === 'review_item' ? [payload.id] : []))
  const decided = new Set(await findDecidedReviews(db, reviews))
  const last = new Map(events.map((event) => [event.payload.id, event]))
  return events.filter(
    (event) => event.payload.object !== 'review_item' || (!decided.has(event.payload.id) && last.get(event.payload.id) === event),
  )
}

interface ClaimedNotification extends GovernanceEvent {
  readonly uuid: string
  readonly topic: NotificationTopic
  readonly attempts: number
}

const isFree = (now: Date) => hasEnded(sql`leased_until`, now, LEASE_MS)
const isDue = (now: Date) => hasEnded(sql`due_at`, now, longestDelay(RETRY_DELAYS.mail))

async function listDueOperators(db: Db, now: Date): Promise<string[]> {
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
async function claimNotifications(db: Db, operatorId: string, now: Date): Promise<ClaimedNotification[]> {
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
    .returning(['id as uuid', 'workspace_id', 'topic', 'type', 'payload', 'attempts'])
    .execute()
  const claimed = rows.map(({ workspace_id, ...row }) => ({ ...row, workspaceId: toId('ws', workspace_id) }))
  return claimed.toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
}

async function removeNotifications(db: Db, claimed: readonly ClaimedNotification[]): Promise<void> {
  const ids = claimed.map(({ uuid }) => uuid)
  if (ids.length > 0) await db.deleteFrom('mail_notification').where('id', 'in', ids).execute()
}

/** Plans the next attempt, and removes what is too old for one. Returns how many were removed. */
async function postponeNotifications(
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
