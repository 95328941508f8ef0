import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { takeFirst } from '../../../platform/db/from-row.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import { TOKENIZER } from '../../retrieval/words.ts'
import { withdrawReviews } from '../../review/message-review-store.ts'
import type { ReviewItem } from '../../review/review-row.ts'
import { removeAttachments } from '../attachments/file-removal.ts'
import { findMemberIds } from '../conversations/conversation-store.ts'
import { eraseEvents } from '../events/erase-events.ts'
import { emit } from '../events/event.ts'
import { type GovernedText, textOf } from '../governance/governed-text.ts'
import { eraseResponsesAbout } from '../idempotency/erase-responses.ts'
import { findTokenIssuers } from '../people/access-token-store.ts'
import type { Member } from '../people/member.ts'
import { MESSAGE_COLUMNS, type Message, messageEvent, toMessage } from './message.ts'
import { findAttachmentIds } from './message-files.ts'
import { vectorOf } from './message-words.ts'
import { findReactions } from './reaction-store.ts'

export const messagesOf = (db: Db, { workspaceId, user }: Member) =>
  db
    .selectFrom('message')
    .innerJoin('conversation_member as membership', 'membership.conversation_id', 'message.conversation_id')
    .where(({ and }) => and({ 'membership.workspace_id': uuidOf('ws', workspaceId), 'membership.user_id': user.id }))

const messageOf = (db: Db, member: Member, id: string) =>
  messagesOf(db, member).select(MESSAGE_COLUMNS).where('message.id', '=', uuidOrNull('msg', id))

/** A message of the member's conversations. Undefined also if the message exists and the member is not in its conversation. */
export const findMessage = (db: Db, member: Member, id: string): Promise<Message | undefined> =>
  messageOf(db, member, id).$call(takeFirst(toMessage))

/** As `findMessage`. Other transactions cannot change the message until `tx` ends. */
export const lockMessage = (tx: Tx, member: Member, id: string): Promise<Message | undefined> =>
  messageOf(tx, member, id).forNoKeyUpdate('message').$call(takeFirst(toMessage))

/** Replaces the text of a locked message. Call `emitMessageUpdated` after all changes of the message. */
export async function replaceText(tx: Tx, { id, workspaceId, conversationId }: Message, text: GovernedText): Promise<void> {
  const ownText = textOf(text)
  await tx
    .updateTable('message')
    .set({
      text: ownText,
      words: vectorOf(uuidOf('conv', conversationId), ownText),
      tokenizer: TOKENIZER,
      audit_id: text.auditId && uuidOf('aud', text.auditId),
      flagged: text.flagged,
    })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuidOf('msg', id) }))
    .execute()
}

/** Ends an update: sets `updated_at`, unless it is undefined, and emits the event. Returns the new state of the message. */
export async function emitMessageUpdated(tx: Tx, { id, workspaceId }: Message, updatedAt: Date | undefined): Promise<Message> {
  const row = await tx
    .updateTable('message')
    .set(updatedAt ? { updated_at: updatedAt } : { updated_at: sql`updated_at` })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuidOf('msg', id) }))
    .returning(MESSAGE_COLUMNS)
    .executeTakeFirstOrThrow()
  const message = toMessage(row)
  const reactions = await findReactions(tx, [id])
  const attachments = await findAttachmentIds(tx, id)
  await emit(tx, {
    workspaceId,
    type: 'message.updated',
    audience: await findMemberIds(tx, workspaceId, message.conversationId),
    payload: messageEvent(message, reactions.get(id) ?? [], attachments),
  })
  return message
}

/** Deletes the content of review items as well; audit records keep keyed hashes. Returns the ids of messages that existed. */
export async function deleteMessages(
  tx: Tx,
  { workspaceId, conversationId }: Pick<Message, 'workspaceId' | 'conversationId'>,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  if (ids.length === 0) return []
  const uuids = ids.map((id) => uuidOf('msg', id))
  const conversation = uuidOf('conv', conversationId)
  await withdrawReviews(tx, workspaceId, { messageIds: ids }, now)
  await tx
    .updateTable('conversation')
    .set({ pinned_message_id: null })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: conversation }))
    .where('pinned_message_id', 'in', uuids)
    .execute()
  // An update locks the message before its attachments too.
  await tx
    .selectFrom('message')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), conversation_id: conversation }))
    .where('id', 'in', uuids)
    .orderBy('id')
    .forUpdate()
    .execute()
  await removeAttachments(tx, sql`message_id in (${sql.join(uuids)})`, now)
  const deleted = await tx
    .deleteFrom('message')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), conversation_id: conversation }))
    .where('id', 'in', uuids)
    .returning('id')
    .execute()
  const audience = await findMemberIds(tx, workspaceId, conversationId)
  const deletedIds = ids.filter((_, index) => deleted.some(({ id }) => id === uuids[index]))
  await eraseEvents(tx, workspaceId, { objectIds: deletedIds })
  await eraseResponsesAbout(tx, workspaceId, deletedIds)
  const event = { workspaceId, type: 'message.deleted', audience } as const
  await emit(tx, ...deletedIds.map((id) => ({ ...event, payload: { id, conversation_id: conversationId } })))
  return deletedIds
}

/** Operators who issued a token with which the message of the review item may have been sent. */
export async function findIssuersOfSender(tx: Tx, item: ReviewItem): Promise<readonly string[]> {
  const { workspaceId, userId, messageId, createdAt: to } = item
  if (messageId === null) return []
  // An assistant's message is newer than the message that it answers, so the user's token may have been revoked in between.
  const message = await tx
    .selectFrom('message')
    .select('created_at')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: uuidOf('msg', messageId) }))
    .executeTakeFirst()
  const from = message && message.created_at < to ? message.created_at : to
  return findTokenIssuers(tx, workspaceId, userId, { from, to })
}
