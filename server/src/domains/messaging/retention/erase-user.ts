import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { newUuid, toId } from '../../../platform/lib/id.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { removeUnsentAlerts } from '../../budgets/alert-store.ts'
import { eraseUser as eraseMemories } from '../../memory/erase.ts'
import { eraseResponsesOfUser } from '../../responses/stored-response-store.ts'
import { withdrawReviews } from '../../review/message-review-store.ts'
import { removeAttachments } from '../attachments/file-removal.ts'
import { findMemberIds } from '../conversations/conversation-store.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'
import { markReadAfterDeparture } from '../conversations/read-marker.ts'
import { eraseAlertEvents, eraseEvents } from '../events/erase-events.ts'
import { emit } from '../events/event.ts'
import { removeFromAllGroups } from '../groups/group-changes.ts'
import { ERASED_RESPONSE } from '../idempotency/erase-responses.ts'
import { MESSAGE_COLUMNS, toMessage } from '../messages/message.ts'
import { emitMessageUpdated } from '../messages/message-store.ts'
import { findAcquaintances, findContacts } from '../people/contact-store.ts'
import type { Member } from '../people/member.ts'
import { deleteInBatches } from './delete-expired-messages.ts'

/** The erasure of a user. It covers what the user has written until `erasedAt`. */
export interface Erasure {
  readonly workspaceId: string
  readonly userId: string
  readonly erasedAt: Date
}

/**
 * Erases a user with profile, tokens, memories and stored responses. Call `eraseUserContent` after the commit: it erases what the user has written.
 * Returns false if the user does not exist. `base`: `http://host`, for the URLs in the events of the groups.
 */
export async function eraseUser(tx: Tx, { workspaceId, userId, erasedAt }: Erasure, base: string): Promise<boolean> {
  const workspace = uuidOf('ws', workspaceId)
  const audience = (await findAcquaintances(tx, workspaceId, userId)).filter((id) => id !== userId)
  const member: Member = { workspaceId, user: { ...ANONYMOUS_USER, id: userId } }
  await removeFromAllGroups(tx, { member, base, now: erasedAt })
  // Foreign keys delete tokens and profile as well.
  const { numDeletedRows } = await tx
    .deleteFrom('workspace_user')
    .where(({ and }) => and({ workspace_id: workspace, id: userId }))
    .executeTakeFirst()
  if (Number(numDeletedRows) === 0) return false
  await eraseMemories(tx, workspaceId, userId)
  await eraseResponsesOfUser(tx, workspaceId, userId)
  await tx
    .insertInto('user_erasure')
    .values({ workspace_id: workspace, user_id: userId, erased_at: erasedAt })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ erased_at: erasedAt }))
    .execute()
  await eraseEvents(tx, workspaceId, { objectIds: [userId] })
  await emit(tx, { workspaceId, type: 'contact.deleted', audience, payload: { id: userId, object: 'contact', deleted: true } })
  return true
}

const BATCH = 200
const REQUESTS_END_AFTER_MS = 60_000

/** Consists of small steps that can be repeated, so that it can stop at any time and continue later. */
export async function eraseUserContent(db: Db, erasure: Erasure, now: Date): Promise<void> {
  const { workspaceId, userId, erasedAt } = erasure
  await leaveConversations(db, erasure, now)
  await eraseMessages(db, erasure, now)
  await eraseReactions(db, erasure)
  await inTransaction(db, async (tx) => {
    await withdrawReviews(tx, workspaceId, { userId, until: erasedAt }, now)
    await tx
      .deleteFrom('held_message')
      .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), sender_id: userId }))
      .where('created_at', '<=', erasedAt)
      .execute()
    const own = sql`workspace_id = ${uuidOf('ws', workspaceId)} and uploaded_by = ${userId} and created_at <= ${erasedAt}`
    await removeAttachments(tx, own, now)
    await removeUnsentAlerts(tx, workspaceId, userId)
    await eraseAlertEvents(tx, workspaceId, userId)
    await eraseStoredResponses(tx, erasure)
    await tx
      .updateTable('conversation')
      .set({ created_by: erasedId() })
      .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), created_by: userId }))
      .where('created_at', '<=', erasedAt)
      .execute()
  })
}

const erasedId = (): string => `erased-${newUuid()}`

/** Erases the content of users a last time, a minute after their erasure. Returns the number of users. */
export async function finishErasures(db: Db, now: Date): Promise<number> {
  const erasures = await db
    .selectFrom('user_erasure')
    .selectAll()
    .where('erased_at', '<', new Date(now.getTime() - REQUESTS_END_AFTER_MS))
    .limit(BATCH)
    .execute()
  for (const { workspace_id, user_id, erased_at } of erasures) {
    await eraseUserContent(db, { workspaceId: toId('ws', workspace_id), userId: user_id, erasedAt: erased_at }, now)
    await db
      .deleteFrom('user_erasure')
      .where(({ and }) => and({ workspace_id, user_id, erased_at }))
      .execute()
  }
  return erasures.length
}

async function leaveConversations(db: Db, { workspaceId, userId, erasedAt }: Erasure, now: Date): Promise<void> {
  const rows = await db
    .selectFrom('conversation_member as membership')
    .innerJoin('conversation', 'conversation.id', 'membership.conversation_id')
    .select(['conversation.id', 'group_id'])
    .where(({ and }) => and({ 'membership.workspace_id': uuidOf('ws', workspaceId), 'membership.user_id': userId }))
    .where('conversation.created_at', '<=', erasedAt)
    .orderBy('conversation.id')
    .execute()
  for (const { id, group_id } of rows) {
    await inTransaction(db, async (tx) => {
      await tx.selectFrom('conversation').select('id').where('id', '=', id).forUpdate().execute()
      if (group_id === null) await leaveDirectConversation(tx, workspaceId, id, userId, now)
      // `eraseUser` has left all groups, except one that the user joined at the same time.
      else await leaveConversation(tx, workspaceId, id, userId, now)
    })
  }
}

/** The other member keeps their own messages and no longer sees the erased user. With no other member but assistants, it is deleted. */
async function leaveDirectConversation(tx: Tx, workspaceId: string, uuid: string, userId: string, now: Date): Promise<void> {
  const id = toId('conv', uuid)
  const others = (await findMemberIds(tx, workspaceId, id)).filter((each) => each !== userId)
  const contacts = await findContacts(tx, workspaceId, others)
  const [otherUser] = others.filter((each) => contacts.get(each)?.applicationId === null)
  if (otherUser === undefined) return deleteConversation(tx, workspaceId, id, now)
  await leaveConversation(tx, workspaceId, uuid, userId, now)
  await tx
    .updateTable('conversation')
    .set({ direct_key: canonicalJson([otherUser, erasedId()].toSorted()) })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuid }))
    .execute()
  await eraseEvents(tx, workspaceId, { objectIds: [id] })
}

async function leaveConversation(tx: Tx, workspaceId: string, uuid: string, userId: string, now: Date): Promise<void> {
  const membership = await tx
    .deleteFrom('conversation_member')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), conversation_id: uuid, user_id: userId }))
    .returning('read_sequence')
    .executeTakeFirst()
  if (!membership) return
  const marker = { conversationId: toId('conv', uuid), readSequence: membership.read_sequence }
  await markReadAfterDeparture(tx, workspaceId, [marker], now)
}

function eraseMessages(db: Db, { workspaceId, userId, erasedAt }: Erasure, now: Date): Promise<number> {
  const own = db
    .selectFrom('message')
    .select(['id', 'conversation_id', 'workspace_id'])
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), sender_id: userId }))
    .where('created_at', '<=', erasedAt)
    .limit(BATCH)
  return deleteInBatches(db, () => own.execute(), now)
}

async function eraseReactions(db: Db, { workspaceId, userId, erasedAt }: Erasure): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  const own = db
    .selectFrom('message_reaction')
    .where(({ and }) => and({ workspace_id: workspace, user_id: userId }))
    .where('created_at', '<=', erasedAt)
  for (;;) {
    const reactions = await own.select('message_id').distinct().limit(BATCH).execute()
    if (reactions.length === 0) return
    for (const { message_id } of reactions) await inTransaction(db, (tx) => eraseReactionsTo(tx, message_id))
  }

  async function eraseReactionsTo(tx: Tx, uuid: string): Promise<void> {
    const row = await tx
      .selectFrom('message')
      .select(MESSAGE_COLUMNS)
      .where('message.id', '=', uuid)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!row) return
    const message = toMessage(row)
    await tx
      .deleteFrom('message_reaction')
      .where(({ and }) => and({ workspace_id: workspace, message_id: uuid, user_id: userId }))
      .where('created_at', '<=', erasedAt)
      .execute()
    await eraseEvents(tx, workspaceId, { objectIds: [message.id] })
    await emitMessageUpdated(tx, message, undefined)
  }
}

/** Responses that are stored for repeated requests: those of the user, and those of others that contain the user's id. */
async function eraseStoredResponses(tx: Tx, { workspaceId, userId, erasedAt }: Erasure): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  await tx
    .deleteFrom('idempotency_key')
    .where('workspace_id', '=', workspace)
    .where('created_at', '<=', erasedAt)
    .where('user_id', '=', userId)
    .execute()
  // The keys of other users stay, so that a repeated request is not executed again.
  await tx
    .updateTable('idempotency_key')
    .set(ERASED_RESPONSE)
    .where('workspace_id', '=', workspace)
    .where('created_at', '<=', erasedAt)
    .where(sql<boolean>`position(${JSON.stringify(userId)} in body) > 0`)
    .execute()
}
