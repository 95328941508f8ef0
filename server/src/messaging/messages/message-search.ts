import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../db/page.ts'
import type { Member } from '../api/member.ts'
import { uuidOf } from '../ids.ts'
import { MESSAGE_COLUMNS, type Message, toMessage } from './message.ts'
import { findCursorPlace } from './message-list.ts'
import { messagesOf } from './message-store.ts'

/**
 * The member's messages that contain all words of `q`, newest first. `q` is in the syntax of web searches: `"a phrase"`, `or`,
 * `-without`. Undefined when the cursor is not a message of the member.
 */
export async function searchMessages(
  db: Db,
  member: Member,
  q: string,
  page: PageRequest,
  conversationId?: string,
): Promise<Page<Message> | undefined> {
  let query = messagesOf(db, member)
    .select(MESSAGE_COLUMNS)
    .where('message.workspace_id', '=', uuidOf('ws', member.workspaceId))
    .where(sql<boolean>`message.language_vector @@ websearch_to_tsquery('simple', ${q})`)
  if (conversationId !== undefined) query = query.where('message.conversation_id', '=', uuidOf('conv', conversationId))
  const beside = await findCursorPlace(db, member, page)
  if (cursorOf(page) !== undefined && !beside) return undefined
  const place = beside && [beside.created_at, beside.conversation_id, beside.sequence]
  const by = ['message.created_at', 'message.conversation_id', 'message.sequence']
  return readPage(query, page, { by, order: 'desc', place }, toMessage)
}
