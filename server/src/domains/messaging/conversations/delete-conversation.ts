import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { withdrawReviews } from '../../review/message-review-store.ts'
import { eraseEvents } from '../events/erase-events.ts'
import { emit } from '../events/event.ts'
import { eraseResponsesAbout } from '../idempotency/erase-responses.ts'
import { findMemberIds } from './conversation-store.ts'

export async function deleteConversation(tx: Tx, workspaceId: string, id: string, now: Date): Promise<void> {
  const conversation = uuidOf('conv', id)
  // Review items are locked before the conversation, in the same order as approvals do. The second call withdraws newer items.
  await withdrawReviews(tx, workspaceId, { sessionId: id }, now)
  await tx.selectFrom('conversation').select('id').where('id', '=', conversation).forUpdate().execute()
  await withdrawReviews(tx, workspaceId, { sessionId: id }, now)
  const audience = await findMemberIds(tx, workspaceId, id)
  await sql`
    insert into removed_file (place, removed_at)
    select place, ${now} from message_attachment join message on message.id = message_attachment.message_id
    where message.conversation_id = ${conversation}
    on conflict do nothing`.execute(tx)
  await tx
    .deleteFrom('conversation')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), id: conversation }))
    .execute()
  await eraseEvents(tx, workspaceId, { conversationId: id })
  await eraseResponsesAbout(tx, workspaceId, [id])
  await emit(tx, { workspaceId, type: 'conversation.deleted', audience, payload: { id } })
}
