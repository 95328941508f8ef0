import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { fromId } from '../../lib/id.ts'
import { withdrawReviews } from '../../review/message-review-store.ts'
import { eraseResponsesAbout } from '../api/idempotency-store.ts'
import type { Member } from '../api/member.ts'
import { findMemberIds } from '../conversations/conversation-members.ts'
import { eraseEvents } from '../events/erase-events.ts'
import { emit } from '../events/outbox.ts'
import type { GovernedText } from '../governance/governed-text.ts'
import { uuidOf } from '../ids.ts'
import { MESSAGE_COLUMNS, type Message, messageEvent, toMessage } from './message.ts'
import { findAttachmentIds } from './message-files.ts'
import { findReactions } from './reaction-store.ts'

/** Messages of the conversations that a member is in. */
export const messagesOf = (db: Db, { workspaceId, user }: Member) =>
  db
    .selectFrom('message')
    .innerJoin('conversation_member as membership', 'membership.conversation_id', 'message.conversation_id')
    .where('membership.workspace_id', '=', uuidOf('ws', workspaceId))
    .where('membership.user_id', '=', user.id)

/** Undefined unless there is one and the member is in its conversation: nobody else can tell the difference. */
export async function findMessage(db: Db, member: Member, id: string): Promise<Message | undefined> {
  const uuid = fromId('msg', id)
  if (uuid === undefined) return undefined
  const row = await messagesOf(db, member).select(MESSAGE_COLUMNS).where('message.id', '=', uuid).executeTakeFirst()
  return row && toMessage(row)
}

/** When a message was stored; undefined: it is not there. */
export async function findCreationTime(db: Db, workspaceId: string, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('message')
    .select('created_at')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('msg', id))
    .executeTakeFirst()
  return row?.created_at
}

/** As `findMessage`, and held until `tx` ends: what is made of it now is made of its last state. */
export async function lockMessage(tx: Tx, member: Member, id: string): Promise<Message | undefined> {
  const uuid = fromId('msg', id)
  if (uuid === undefined) return undefined
  const row = await messagesOf(tx, member)
    .select(MESSAGE_COLUMNS)
    .where('message.id', '=', uuid)
    .forNoKeyUpdate('message')
    .executeTakeFirst()
  return row && toMessage(row)
}

/** Gives a message that `tx` holds another text. Its readers are told once all of the update is done: `emitMessageUpdated`. */
export async function replaceText(tx: Tx, { id, workspaceId }: Message, text: GovernedText): Promise<void> {
  await tx
    .updateTable('message')
    .set({ text: text.text, audit_id: text.auditId && uuidOf('aud', text.auditId), flagged: text.flagged })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('msg', id))
    .execute()
}

/** Ends an update of a message: it is dated, and its readers are told. Answers its new state. */
export async function emitMessageUpdated(tx: Tx, { id, workspaceId }: Message, updatedAt: Date | undefined): Promise<Message> {
  const row = await tx
    .updateTable('message')
    .set(updatedAt ? { updated_at: updatedAt } : { updated_at: sql`updated_at` })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuidOf('msg', id))
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

/**
 * Removes messages of one conversation for good: pins, reactions, files and what reviewers see of them go with them, the
 * audit keeps hashes. Answers the ids of those that were there.
 */
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
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', conversation)
    .where('pinned_message_id', 'in', uuids)
    .execute()
  await sql`
    insert into removed_file (place, removed_at)
    select place, ${now} from message_attachment where message_id in (${sql.join(uuids)})
    on conflict do nothing`.execute(tx)
  const gone = await tx
    .deleteFrom('message')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('conversation_id', '=', conversation)
    .where('id', 'in', uuids)
    .returning('id')
    .execute()
  const audience = await findMemberIds(tx, workspaceId, conversationId)
  const removed = ids.filter((_, index) => gone.some(({ id }) => id === uuids[index]))
  const payload = { conversation_id: conversationId }
  await eraseEvents(tx, workspaceId, { objectIds: removed })
  await eraseResponsesAbout(tx, workspaceId, removed)
  await emit(
    tx,
    ...removed.map((id) => ({ workspaceId, type: 'message.deleted' as const, audience, payload: { id, ...payload } })),
  )
  return removed
}
