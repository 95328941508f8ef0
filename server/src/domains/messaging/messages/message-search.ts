import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { cursorOf, isBackwards, type Page, type PageRequest, readPage } from '../../../platform/db/page.ts'
import type { Schema } from '../../../platform/db/schema.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { Member } from '../people/member.ts'
import { MESSAGE_COLUMNS, type Message, type MessageRow, toMessage } from './message.ts'
import { type CursorRow, findCursorRow, listByActivity } from './message-list.ts'
import { queryOf } from './message-words.ts'

const NEWEST_FIRST = ['message.created_at', 'message.conversation_id', 'message.sequence']

/** `q` has the syntax of web searches: `"a phrase"`, `or`, `-without`. Undefined if the cursor is not a message of the member. */
export async function searchMessages(
  db: Db,
  member: Member,
  q: string,
  page: PageRequest,
  conversationId?: string,
): Promise<Page<Message> | undefined> {
  const words = queryOf(q)
  if (conversationId === undefined && words !== undefined) {
    return listByActivity(db, member, page, (conversations, cursorRow) => findMatches(db, conversations, words, page, cursorRow))
  }
  const cursorRow = await findCursorRow(db, member, page)
  if (cursorOf(page) !== undefined && !cursorRow) return undefined
  if (conversationId === undefined || words === undefined) return { data: [], hasMore: false }
  const conversation = uuidOf('conv', conversationId)
  const query = matching(db, [conversation], words).where('message.conversation_id', '=', conversation)
  return readPage(query, page, { by: NEWEST_FIRST, order: 'desc', place: placeOf(cursorRow) }, toMessage)
}

async function findMatches(
  db: Db,
  conversations: readonly string[],
  words: string,
  page: PageRequest,
  cursorRow: CursorRow | undefined,
): Promise<readonly MessageRow[]> {
  const query = matching(db, conversations, words).where('message.conversation_id', 'in', [...conversations])
  const order = isBackwards(page) ? 'asc' : 'desc'
  const { data } = await readPage(
    query,
    { limit: page.limit + 1 },
    { by: NEWEST_FIRST, order, place: placeOf(cursorRow) },
    (row) => row,
  )
  return data
}

const placeOf = (row: CursorRow | undefined) => row && [row.created_at, row.conversation_id, row.sequence]

/**
 * Messages that match the tsquery `words` and whose index entry names one of the conversations (the index message_search). The caller
 * also compares the conversation itself, because a text may contain the id of another conversation as a word.
 */
function matching(db: Db, conversations: readonly string[], words: string): SelectQueryBuilder<Schema, 'message', MessageRow> {
  const places = conversations.map((id) => `'${id}'`).join(' | ')
  return db
    .selectFrom('message')
    .select(MESSAGE_COLUMNS)
    .where(sql<boolean>`words @@ (${words}::tsquery && ${places}::tsquery)`) as SelectQueryBuilder<Schema, 'message', MessageRow>
}
