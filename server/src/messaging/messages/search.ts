import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import type { Member } from '../door/member.ts'
import { isBackwards, type PageAsked, pageOf } from '../door/pages.ts'
import { uuidOf } from '../ids.ts'
import { MESSAGE_COLUMNS, type Message, toMessage } from './message.ts'
import { placeOf } from './message-list.ts'
import { messagesOf } from './message-store.ts'

/**
 * Messages that hold all the words of `q` and that the member may see, newest first; as web searches have it, `"a phrase"`,
 * `or` and `-without` mean what they say. Throws a 400 for a cursor that is no message of the member's conversations.
 */
export async function searchMessages(
  db: Db,
  member: Member,
  q: string,
  page: PageAsked,
  conversationId?: string,
): Promise<Page<Message>> {
  const back = isBackwards(page)
  let query = messagesOf(db, member)
    .select(MESSAGE_COLUMNS)
    .where('message.workspace_id', '=', uuidOf('ws', member.workspaceId))
    .where(sql<boolean>`message.language_vector @@ websearch_to_tsquery('simple', ${q})`)
  if (conversationId !== undefined) query = query.where('message.conversation_id', '=', uuidOf('conv', conversationId))
  if (page.cursor) {
    const { created_at, conversation_id, sequence } = await placeOf(db, member, page)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('message.created_at', 'message.conversation_id', 'message.sequence'),
        back ? '>' : '<',
        tuple(created_at, conversation_id, sequence),
      ),
    )
  }
  const direction = back ? 'asc' : 'desc'
  const rows = await query
    .orderBy('message.created_at', direction)
    .orderBy('message.conversation_id', direction)
    .orderBy('message.sequence', direction)
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page, toMessage)
}
