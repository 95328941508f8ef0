import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { newUuid, toId } from '../../../platform/lib/id.ts'
import { accessOf, scopesIn } from '../../../shared/access.ts'
import type { GovernanceEventType, GovernancePayload } from '../../../shared/governance-event.ts'
import { type Delegates, findDelegates, representativeOf } from '../../operators/absence-store.ts'
import { findResponsibleOperator } from '../../operators/admin-token-store.ts'
import type { Person } from '../../operators/operator.ts'
import { findPerson } from '../../operators/operator-store.ts'

import { listSubscribers, type Subscriber } from '../settings-store.ts'
import { concerns, MAILED_TYPES, type NotificationTopic, SCOPE_OF, topicOf } from '../topic.ts'

/** Events of this time share one e-mail, so that a reviewer with 40 holds gets one. */
const GROUP_MS = 60_000
/** E-mail that could not be sent within this time is dropped, as are older events. */
export const MAIL_LIFETIME_MS = 24 * 3_600_000

/** Earlier events of a log are passed over, because reading all of a busy log would take too long when the first operator subscribes. */
const MOST_BEHIND = 100_000

/** Reads up to `most` new events of one Workspace, each once, also by several nodes. Returns whether there may be more. */
export async function enqueueMail(db: Db, now: Date, most: number): Promise<boolean> {
  const subscribers = await listSubscribers(db)
  if (subscribers.length === 0) return false
  await sql`
    insert into mail_position (workspace_id, position) select workspace_id, 0 from event_position
    where not exists (select from mail_position known where known.workspace_id = event_position.workspace_id)
    on conflict do nothing`.execute(db)
  return db.transaction().execute(async (tx) => {
    const place = await lockNextWorkspace(tx)
    if (!place) return false
    const { workspace_id, position, last } = place
    const events = await readNewEvents(tx, place, most)
    await addMail(tx, events, { workspace: workspace_id, subscribers, now })
    const reached = events.length < most ? last : (events.at(-1)?.sequence ?? position)
    await tx.updateTable('mail_position').set({ position: reached }).where('workspace_id', '=', workspace_id).execute()
    return true
  })
}

const lockNextWorkspace = (tx: Tx) =>
  tx
    .selectFrom('mail_position')
    .innerJoin('event_position', 'event_position.workspace_id', 'mail_position.workspace_id')
    .select(['mail_position.workspace_id', 'position', 'last'])
    .whereRef('position', '<', 'last')
    .limit(1)
    .forNoKeyUpdate('mail_position')
    .skipLocked()
    .executeTakeFirst()

const readNewEvents = (tx: Tx, place: { workspace_id: string; position: number; last: number }, most: number) =>
  tx
    .selectFrom('event_log')
    .select(['sequence', 'type', 'payload', 'created_at'])
    .where('workspace_id', '=', place.workspace_id)
    .where('sequence', '>', Math.max(place.position, place.last - MOST_BEHIND))
    .where('sequence', '<=', place.last)
    .where('type', 'in', [...MAILED_TYPES])
    .orderBy('sequence')
    .limit(most)
    .execute()

type NewEvent = Awaited<ReturnType<typeof readNewEvents>>[number]

interface Target {
  readonly workspace: string
  readonly subscribers: readonly Subscriber[]
  readonly now: Date
}

async function addMail(tx: Tx, events: readonly NewEvent[], { workspace, subscribers, now }: Target): Promise<void> {
  const recipients = new Recipients(tx, now)
  const oldest = now.getTime() - MAIL_LIFETIME_MS
  for (const event of events.filter(({ created_at }) => created_at.getTime() > oldest)) {
    const [type, payload] = [event.type as GovernanceEventType, event.payload as GovernancePayload]
    const topic = topicOf(type, payload)
    if (topic === undefined) continue
    const authorId = payload.object === 'policy_set' ? await findResponsibleOperator(tx, payload.published_by) : undefined
    const ids = new Set<string>()
    for (const { operatorId, topics, since } of subscribers) {
      if (!topics.includes(topic) || event.created_at < since || !concerns(payload, topic, { operatorId, authorId })) continue
      const id = await recipients.find(operatorId, topic, toId('ws', workspace))
      if (id !== undefined) ids.add(id)
    }
    if (ids.size === 0) continue
    const row = { workspace_id: workspace, sequence: event.sequence, topic, type, payload: JSON.stringify(payload) }
    const times = { created_at: now, due_at: new Date(now.getTime() + GROUP_MS) }
    await tx
      .insertInto('mail_notification')
      .values([...ids].map((operator_id) => ({ id: newUuid(), operator_id, ...row, ...times })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

export const mayReceive = ({ roles, state }: Person, topic: NotificationTopic, workspaceId: string): boolean =>
  state !== 'suspended' && scopesIn(accessOf(roles), workspaceId).includes(SCOPE_OF[topic])

class Recipients {
  readonly #db: Db
  readonly #now: Date
  readonly #people = new Map<string, Promise<Person | undefined>>()
  #delegates: Promise<Delegates> | undefined

  constructor(db: Db, now: Date) {
    this.#db = db
    this.#now = now
  }

  /** The operator, or the delegate of an absence. A delegate without the role in this Workspace is passed over. Undefined: neither may get it. */
  async find(operatorId: string, topic: NotificationTopic, workspaceId: string): Promise<string | undefined> {
    const may = async (id: string): Promise<boolean> => {
      const person = await this.#person(id)
      return person !== undefined && mayReceive(person, topic, workspaceId)
    }
    if (!(await may(operatorId))) return undefined
    this.#delegates ??= findDelegates(this.#db, this.#now)
    const allowed = new Map<string, string>()
    for (const [absent, delegate] of await this.#delegates) if (await may(delegate)) allowed.set(absent, delegate)
    return representativeOf(operatorId, allowed)
  }

  #person(id: string): Promise<Person | undefined> {
    const known = this.#people.get(id) ?? findPerson(this.#db, id)
    this.#people.set(id, known)
    return known
  }
}
