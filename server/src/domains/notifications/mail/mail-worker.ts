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
import { dashboardUrl, type EventMessage, type GovernanceEvent, messageOf } from '../event-message.ts'
import { findNames } from '../find-names.ts'
import { neutralize } from '../neutralize.ts'
import type { NotificationTopic } from '../topic.ts'
import { enqueueMail, MAIL_LIFETIME_MS, mayReceive } from './enqueue-mail.ts'
import type { Mail, Mailer } from './mailer.ts'

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

interface MailContent {
  readonly sections: readonly { readonly workspace: string; readonly messages: readonly EventMessage[] }[]
  readonly topics: readonly NotificationTopic[]
  readonly total: number
  /** The page on which the recipient chooses topics; null: unknown. */
  readonly settingsUrl: string | null
}

function composeMail(content: MailContent): Omit<Mail, 'to'> {
  return { subject: subjectOf(content), text: textOf(content), html: htmlOf(content) }
}

function subjectOf({ sections, topics, total }: MailContent): string {
  const [first] = sections.flatMap(({ messages }) => messages)
  if (total === 1 && first) return first.title
  const isOnly = (topic: NotificationTopic) => topics.every((other) => other === topic)
  if (isOnly('holds')) return `${total} held requests need a decision`
  if (isOnly('escalations')) return `${total} escalated requests need attention`
  if (isOnly('assigned')) return `${total} review items are assigned to you`
  if (isOnly('overdue')) return `${total} review items are overdue`
  return `${total} notifications from Gatehouse`
}

const FOOTER = 'You get this e-mail because of the notifications in your Gatehouse account.'

function restOf({ sections, total }: MailContent): readonly string[] {
  const rest = sections.reduce((left, { messages }) => left - messages.length, total)
  return rest > 0 ? [`And ${rest} more.`] : []
}

function textOf(content: MailContent): string {
  const sections = content.sections.map(({ workspace, messages }) =>
    [
      `Workspace ${workspace}`,
      ...messages.map(({ title, facts, url }) =>
        [`- ${title}`, ...(facts.length > 0 ? [`  ${facts.join(' · ')}`] : []), ...(url === null ? [] : [`  ${url}`])].join('\n'),
      ),
    ].join('\n\n'),
  )
  const footer = content.settingsUrl === null ? FOOTER : `${FOOTER}\nChange them: ${content.settingsUrl}`
  return [...sections, ...restOf(content), `--\n${footer}`].join('\n\n')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const linkTo = (url: string | null, label: string): string =>
  url === null ? '' : `<br><a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`

function htmlOf(content: MailContent): string {
  const sections = content.sections.map(({ workspace, messages }) => {
    const items = messages.map(
      ({ title, facts, button, url }) =>
        `<li style="margin-bottom:12px"><strong>${escapeHtml(title)}</strong>${
          facts.length > 0 ? `<br>${escapeHtml(facts.join(' · '))}` : ''
        }${linkTo(url, button)}</li>`,
    )
    return `<h2 style="font-size:16px">Workspace ${escapeHtml(workspace)}</h2><ul>${items.join('')}</ul>`
  })
  const rest = restOf(content).map((text) => `<p>${text}</p>`)
  const footer = `<p style="color:#667085;font-size:12px">${FOOTER}${linkTo(content.settingsUrl, 'Change notifications')}</p>`
  return `<div style="font-family:sans-serif;font-size:14px">${[...sections, ...rest, footer].join('')}</div>`
}
