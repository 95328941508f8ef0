import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import { emit } from '../events/event.ts'
import type { Member } from '../people/member.ts'
import { seconds } from '../timestamps.ts'
import type { Conversation } from './conversation.ts'
import { findMemberIds } from './conversation-store.ts'

type ConversationReference = Pick<Conversation, 'workspaceId' | 'id'>

/** Moves the marker forward, never back. Returns whether it moved; undefined if the conversation does not have the message. */
export async function moveReadMarker(
  tx: Tx,
  member: Member,
  conversation: ConversationReference,
  messageId: string | undefined,
  now: Date,
): Promise<boolean | undefined> {
  const conversationUuid = uuidOf('conv', conversation.id)
  const { last_sequence } = await tx
    .selectFrom('conversation')
    .select('last_sequence')
    .where('id', '=', conversationUuid)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const through = messageId === undefined ? last_sequence : await findSequence(tx, conversationUuid, messageId)
  if (through === undefined) return undefined
  const membership = tx
    .updateTable('conversation_member')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', member.workspaceId), conversation_id: conversationUuid }))
    .where('user_id', '=', member.user.id)
  const { read_sequence: after } = await membership
    .set({ last_opened_at: now })
    .returning('read_sequence')
    .executeTakeFirstOrThrow()
  if (through <= after) return false
  await membership.set({ read_sequence: through, read_at: now }).execute()
  await setReadTimes(tx, conversation, { after, through, now })
  await emit(tx, {
    workspaceId: member.workspaceId,
    type: 'message.read',
    audience: await findMemberIds(tx, member.workspaceId, conversation.id),
    payload: {
      conversation_id: conversation.id,
      contact_id: member.user.id,
      message_id: messageId ?? null,
      read_at: seconds(now),
    },
  })
  return true
}

export interface DepartedMarker {
  readonly conversationId: string
  readonly readSequence: number
}

export async function markReadAfterDeparture(
  tx: Tx,
  workspaceId: string,
  markers: readonly DepartedMarker[],
  now: Date,
): Promise<void> {
  for (const { conversationId: id, readSequence: after } of markers) {
    await setReadTimes(tx, { workspaceId, id }, { after, through: Number.MAX_SAFE_INTEGER, now })
  }
}

/** Sets the read time of messages that all others have read, after a marker has passed the sequences from `after` to `through`. */
async function setReadTimes(
  tx: Tx,
  { workspaceId, id }: ConversationReference,
  { after, through, now }: { after: number; through: number; now: Date },
): Promise<void> {
  const conversation = uuidOf('conv', id)
  const [slowest, next] = await tx
    .selectFrom('conversation_member')
    .select(['user_id', 'read_sequence'])
    .where('conversation_id', '=', conversation)
    .orderBy('read_sequence')
    .limit(2)
    .execute()
  if (!slowest) return
  await tx
    .updateTable('message')
    .set({ read_at: now })
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), conversation_id: conversation }))
    .where('sequence', '>', after)
    .where('sequence', '<=', Math.min(through, next?.read_sequence ?? slowest.read_sequence))
    .where('read_at', 'is', null)
    .where(({ or, and, eb }) =>
      or([
        and([eb('sender_id', '<>', slowest.user_id), eb('sequence', '<=', slowest.read_sequence)]),
        // The slowest member's own messages wait only for the other members.
        ...(next ? [eb('sender_id', '=', slowest.user_id)] : []),
      ]),
    )
    .execute()
}

async function findSequence(tx: Tx, conversation: string, messageId: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('message')
    .select('sequence')
    .where('id', '=', uuidOrNull('msg', messageId))
    .where('conversation_id', '=', conversation)
    .executeTakeFirst()
  return row?.sequence
}
