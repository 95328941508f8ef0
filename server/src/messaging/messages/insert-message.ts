import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { notFound } from '../../http/refusals.ts'
import { fromId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { enqueueTurn } from '../assistants/enqueue-turn.ts'
import { emit } from '../events/outbox.ts'
import type { GovernedText } from '../governance/governed-text.ts'
import { uuidOf } from '../ids.ts'
import { activity } from '../people/contact-store.ts'
import { type Message, type MessageRow, messageEvent, toMessage } from './message.ts'
import { attachToMessage, renameFiles } from './message-files.ts'

export interface NewMessage {
  /** `msg_…` */
  readonly id: string
  readonly sender: Member
  readonly conversationId: string
  readonly text: GovernedText
  /** `att_…`, uploaded by the sender and not sent yet. */
  readonly attachments: readonly string[]
  readonly replyTo?: string | undefined
  /** Record of the exchange that an assistant's answer comes from: told where nobody governs messages. */
  readonly auditId?: string | undefined
  readonly now: Date
}

export interface InsertedMessage {
  readonly message: Message
  /** An assistant has to answer it: tell ASSISTANTS_TOPIC once this is committed. */
  readonly turnEnqueued: boolean
}

interface Surroundings {
  readonly audience: string[]
  readonly is_group: boolean
  /** An assistant is among the members. */
  readonly is_assisted: boolean
}

/**
 * Stores a message, at the next place of its conversation, and tells its members: the only way in. Who sends into the same
 * conversation at the same time waits for the conversation's row, so that places have no gaps and times go with them.
 *
 * Throws a 404 when the sender is not (or no longer) in the conversation.
 *
 * @NOTE It ends with the decision's record, which holds the Workspace's chain: let little follow it in the transaction.
 */
export async function insertMessage(tx: Tx, message: NewMessage): Promise<InsertedMessage> {
  const { sender, text, now } = message
  const auditId = text.auditId ?? message.auditId
  const { rows } = await sql<MessageRow & Surroundings>`
    with moved as (
      update conversation
      set last_sequence = last_sequence + 1, last_active_at = greatest(last_active_at, ${now})
      where workspace_id = ${uuidOf('ws', sender.workspaceId)} and id = ${fromId('conv', message.conversationId) ?? null}
        and exists (
          select from conversation_member as membership
          where membership.conversation_id = conversation.id and membership.user_id = ${sender.user.id}
        )
      returning id, workspace_id, group_id, last_sequence, last_active_at
    ), audience as (
      update conversation_member set sort_at = moved.last_active_at from moved where conversation_id = moved.id returning user_id
    ), stored as (
      insert into message
        (id, workspace_id, conversation_id, sequence, sender_id, text, audit_id, flagged, reply_to, created_at)
      select ${uuidOf('msg', message.id)}, workspace_id, id, last_sequence, ${sender.user.id}, ${text.text},
        ${auditId === undefined ? null : uuidOf('aud', auditId)}::uuid, ${text.flagged},
        ${message.replyTo === undefined ? null : uuidOf('msg', message.replyTo)}::uuid, last_active_at
      from moved
      returning id, workspace_id, conversation_id, sequence, sender_id, text, audit_id, flagged, reply_to, created_at,
        updated_at, read_at
    ), active as (${activity(sender, now)})
    select stored.*, (select array_agg(user_id) from audience) as audience, moved.group_id is not null as is_group,
      exists (
        select from audience join contact_profile as profile using (user_id)
        where profile.workspace_id = stored.workspace_id and profile.application_id is not null
      ) as is_assisted
    from stored, moved`.execute(tx)
  const [row] = rows
  if (!row) throw notFound('conversation')
  const stored = toMessage(row)
  if (message.attachments.length > 0) {
    await attachToMessage(tx, sender, stored.id, message.attachments)
    await renameFiles(tx, sender.workspaceId, message.attachments, text.texts.slice(1))
  }
  await emit(tx, {
    workspaceId: sender.workspaceId,
    type: 'message.created',
    audience: row.audience,
    payload: messageEvent(stored, [], message.attachments),
  })
  const asks = { id: stored.id, conversationId: stored.conversationId, sender, text: stored.text, createdAt: stored.createdAt }
  const turnEnqueued = row.is_assisted && (await enqueueTurn(tx, { ...asks, isGroup: row.is_group }))
  await text.settle(tx)
  return { message: stored, turnEnqueued }
}
