import type { Tx } from '../../db/database.ts'
import { fromId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { emit } from '../events/outbox.ts'
import { uuidOf } from '../ids.ts'
import { seconds } from '../timestamps.ts'
import { findMemberIds } from './conversation-members.ts'

interface Marked {
  readonly workspaceId: string
  readonly id: string
}

/**
 * Moves the member's read marker up to a message, never back, and notes that the conversation was opened. Undefined when the
 * message is none of this conversation. Answers whether the marker moved.
 *
 * @NOTE Holds the conversation: of two who are the last to read a message at once, one must see the other.
 */
export async function moveReadMarker(
  tx: Tx,
  member: Member,
  conversation: Marked,
  messageId: string | undefined,
  now: Date,
): Promise<boolean | undefined> {
  const id = uuidOf('conv', conversation.id)
  const { last_sequence } = await tx
    .selectFrom('conversation')
    .select('last_sequence')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const through = messageId === undefined ? last_sequence : await sequenceOf(tx, id, messageId)
  if (through === undefined) return undefined

  const own = (user: string) =>
    tx
      .updateTable('conversation_member')
      .where('workspace_id', '=', uuidOf('ws', member.workspaceId))
      .where('conversation_id', '=', id)
      .where('user_id', '=', user)
  const { read_sequence: after } = await own(member.user.id)
    .set({ last_opened_at: now })
    .returning('read_sequence')
    .executeTakeFirstOrThrow()
  if (through <= after) return false
  await own(member.user.id).set({ read_sequence: through, read_at: now }).execute()
  await passReadMarkers(tx, conversation, { after, through, now })
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

/** Where the marker of somebody stood who is not in the conversation any more. */
export interface DepartedMarker {
  readonly conversationId: string
  readonly readSequence: number
}

/** What only those who left had not read is read as of now. */
export async function markReadAfterDeparture(
  tx: Tx,
  workspaceId: string,
  left: readonly DepartedMarker[],
  now: Date,
): Promise<void> {
  for (const { conversationId: id, readSequence: after } of left) {
    await passReadMarkers(tx, { workspaceId, id }, { after, through: Number.MAX_SAFE_INTEGER, now })
  }
}

/**
 * Messages after `after` up to `through` that every member but their sender has read by now, and had not before: they are read
 * as of now. Only a marker that has passed them can have been the last.
 */
async function passReadMarkers(
  tx: Tx,
  { workspaceId, id }: Marked,
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
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('conversation_id', '=', conversation)
    .where('sequence', '>', after)
    .where('sequence', '<=', Math.min(through, next?.read_sequence ?? slowest.read_sequence))
    .where('read_at', 'is', null)
    .where((of) =>
      of.or([
        of.and([of('sender_id', '<>', slowest.user_id), of('sequence', '<=', slowest.read_sequence)]),
        ...(next ? [of('sender_id', '=', slowest.user_id)] : []),
      ]),
    )
    .execute()
}

async function sequenceOf(tx: Tx, conversation: string, messageId: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('message')
    .select('sequence')
    .where('id', '=', fromId('msg', messageId) ?? null)
    .where('conversation_id', '=', conversation)
    .executeTakeFirst()
  return row?.sequence
}
