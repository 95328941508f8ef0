import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../db/page.ts'
import { uuidOf } from '../../db/values.ts'
import type { Member } from '../api/member.ts'
import { MESSAGE_COLUMNS, type Message, toMessage } from './message.ts'
import { findCursorRow } from './message-list.ts'
import { messagesOf } from './message-store.ts'

/**
 * The member's messages that contain all words of `q`, newest first. `q` has the syntax of web searches: `"a phrase"`, `or`,
 * `-without`. Undefined if the cursor is not a message of the member.
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
  const cursorRow = await findCursorRow(db, member, page)
  if (cursorOf(page) !== undefined && !cursorRow) return undefined
  const place = cursorRow && [cursorRow.created_at, cursorRow.conversation_id, cursorRow.sequence]
  const by = ['message.created_at', 'message.conversation_id', 'message.sequence']
  return readPage(query, page, { by, order: 'desc', place }, toMessage)
}
