import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { type Refusal, refuseUnknown } from '../../../shared/refusal.ts'
import { TOKENIZER } from '../../retrieval/words.ts'
import { enqueueTurn } from '../assistants/enqueue-turn.ts'
import { emit } from '../events/event.ts'
import { type GovernedText, textOf } from '../governance/governed-text.ts'
import { recordActivity } from '../people/contact-store.ts'
import type { Member } from '../people/member.ts'
import { type Message, type MessageRow, messageEvent, toMessage } from './message.ts'
import { attachToMessage, renameFiles } from './message-files.ts'
import { vectorOf } from './message-words.ts'

export interface NewMessage {
  readonly id: string
  readonly sender: Member
  readonly conversationId: string
  readonly text: GovernedText
  readonly attachments: readonly string[]
  readonly replyTo?: string | undefined
  /** `aud_…` of the request that an assistant's message comes from. Shown if the Workspace has no policies for messages. */
  readonly auditId?: string | undefined
  readonly now: Date
}

export interface InsertedMessage {
  readonly message: Message
  /** An assistant will answer the message. Publish ASSISTANTS_TOPIC after the commit (`notifyAssistants`). */
  readonly turnEnqueued: boolean
}

interface ConversationColumns {
  readonly audience: string[]
  readonly is_group: boolean
  readonly has_assistant: boolean
}

/**
 * Stores a message with the next sequence number of its conversation and emits its event. All new messages are stored here. Concurrent
 * messages wait for the conversation's row, so that sequence numbers have no gaps and times are in the same order.
 * Returns NOT_FOUND if the sender is not in the conversation, and a 400 if a file is not the sender's or was sent before.
 *
 * @NOTE The last step writes the decision's audit record, which locks the Workspace's chain. End the transaction soon afterwards.
 */
export async function insertMessage(tx: Tx, message: NewMessage): Promise<InsertedMessage | Refusal> {
  const { sender, text, now } = message
  const auditId = text.auditId ?? message.auditId
  const ownText = textOf(text)
  const conversation = fromId('conv', message.conversationId)
  if (conversation === undefined) return refuseUnknown('conversation')
  const { rows } = await sql<MessageRow & ConversationColumns>`
    with target as (
      update conversation
      set last_sequence = last_sequence + 1, last_active_at = greatest(last_active_at, ${now})
      where workspace_id = ${uuidOf('ws', sender.workspaceId)} and id = ${conversation}
        and exists (
          select from conversation_member as membership
          where membership.conversation_id = conversation.id and membership.user_id = ${sender.user.id}
        )
      returning id, workspace_id, group_id, last_sequence, last_active_at
    ), audience as (
      update conversation_member set sort_at = target.last_active_at from target where conversation_id = target.id returning user_id
    ), stored as (
      insert into message
        (id, workspace_id, conversation_id, sequence, sender_id, text, words, tokenizer, audit_id, flagged, reply_to, created_at)
      select ${uuidOf('msg', message.id)}, workspace_id, id, last_sequence, ${sender.user.id}, ${ownText},
        ${vectorOf(conversation, ownText)}::tsvector, ${TOKENIZER}::smallint,
        ${auditId === undefined ? null : uuidOf('aud', auditId)}::uuid, ${text.flagged},
        ${message.replyTo === undefined ? null : uuidOf('msg', message.replyTo)}::uuid, last_active_at
      from target
      returning id, workspace_id, conversation_id, sequence, sender_id, text, audit_id, flagged, reply_to, created_at,
        updated_at, read_at
    ), active as (${recordActivity(sender, now)})
    select stored.*, (select array_agg(user_id) from audience) as audience, target.group_id is not null as is_group,
      exists (
        select from audience join contact_profile as profile using (user_id)
        where profile.workspace_id = stored.workspace_id and profile.application_id is not null
      ) as has_assistant
    from stored, target`.execute(tx)
  const [found] = rows
  if (!found) return refuseUnknown('conversation')
  const { audience, is_group: isGroup, has_assistant: hasAssistant, ...row } = found
  const stored = toMessage(row)
  if (message.attachments.length > 0) {
    const refusal = await attachToMessage(tx, sender, stored.id, message.attachments)
    if (refusal) return refusal
    await renameFiles(tx, sender.workspaceId, message.attachments, text.texts.slice(1))
  }
  await emit(tx, {
    workspaceId: sender.workspaceId,
    type: 'message.created',
    audience,
    payload: messageEvent(stored, [], message.attachments),
  })
  const { id, conversationId, createdAt } = stored
  const turnEnqueued =
    hasAssistant && (await enqueueTurn(tx, { id, conversationId, sender, text: stored.text, isGroup, createdAt }))
  await text.settle(tx)
  return { message: stored, turnEnqueued }
}
