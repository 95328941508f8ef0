import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { cursorOf, isBackwards, type Page, type PageRequest, pageOf, readPage } from '../../../platform/db/page.ts'
import { uuidOf, uuidOrNull } from '../../../platform/db/values.ts'
import type { Member } from '../people/member.ts'
import { MESSAGE_COLUMNS, type Message, type MessageRow, toMessage } from './message.ts'
import { messagesOf } from './message-store.ts'

/** The messages of a conversation of the member, newest first. Undefined if the cursor is not one of them. */
export async function listMessages(
  db: Db,
  member: Member,
  conversationId: string,
  page: PageRequest,
): Promise<Page<Message> | undefined> {
  const conversation = uuidOf('conv', conversationId)
  const cursorRow = await findCursorRow(db, member, page)
  if (cursorOf(page) !== undefined && cursorRow?.conversation_id !== conversation) return undefined
  const query = messagesOf(db, member).where('message.conversation_id', '=', conversation).select(MESSAGE_COLUMNS)
  return readPage(query, page, { by: ['sequence'], order: 'desc', place: cursorRow && [cursorRow.sequence] }, toMessage)
}

export type CursorRow = NonNullable<Awaited<ReturnType<typeof findCursorRow>>>

/** Maximum number of conversations whose messages are read by one statement. */
const MAX_BATCH = 400

export const listAllMessages = (db: Db, member: Member, page: PageRequest): Promise<Page<Message> | undefined> =>
  listByActivity(db, member, page, (conversations, cursorRow) => findMessagesOf(db, conversations, page, cursorRow))

type ReadMessages = (conversations: readonly string[], cursorRow: CursorRow | undefined) => Promise<readonly MessageRow[]>

/**
 * A page of messages of the member's conversations, newest first. Undefined if the cursor is not a message of the member.
 *
 * Reads the conversations in batches, last active first, until the remaining conversations cannot have a newer message than the page.
 * So the cost of a page depends on the number of conversations that were active since the cursor, not on the number of all.
 */
export async function listByActivity(
  db: Db,
  member: Member,
  page: PageRequest,
  read: ReadMessages,
): Promise<Page<Message> | undefined> {
  const cursorRow = await findCursorRow(db, member, page)
  if (cursorOf(page) !== undefined && !cursorRow) return undefined
  const backwards = isBackwards(page)
  let messages: MessageRow[] = []
  let last: ActiveConversation | undefined
  for (let size = page.limit + 1; ; size = Math.min(size * 2, MAX_BATCH)) {
    const batch = await findActiveConversations(db, member, last, backwards ? cursorRow : undefined, size)
    const conversations = batch.map(({ conversation_id }) => conversation_id)
    if (conversations.length > 0) messages = newestOf([...messages, ...(await read(conversations, cursorRow))], page)
    last = batch.at(-1)
    const pageIsFull = messages.length > page.limit && !backwards
    if (!last || batch.length < size || (pageIsFull && isNewerThan(messages.at(-1), last))) break
  }
  return pageOf(messages, page, toMessage)
}

interface ActiveConversation {
  readonly conversation_id: string
  readonly sort_at: Date
}

/** Whether the message is newer than all messages of the conversations after `last`. */
const isNewerThan = (message: MessageRow | undefined, last: ActiveConversation): boolean =>
  message !== undefined && message.created_at > last.sort_at

/** The member's conversations after `last`, last active first. `since`: only conversations that were active after this message. */
function findActiveConversations(
  db: Db,
  { workspaceId, user }: Member,
  last: ActiveConversation | undefined,
  since: CursorRow | undefined,
  limit: number,
): Promise<ActiveConversation[]> {
  let query = db
    .selectFrom('conversation_member')
    .select(['conversation_id', 'sort_at'])
    .where(({ and }) => and({ workspace_id: uuidOf('ws', workspaceId), user_id: user.id }))
  if (since) query = query.where('sort_at', '>=', since.created_at)
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('sort_at', 'conversation_id'), '<', tuple(last.sort_at, last.conversation_id)),
    )
  }
  return query.orderBy('sort_at', 'desc').orderBy('conversation_id', 'desc').limit(limit).execute()
}

async function findMessagesOf(
  db: Db,
  conversations: readonly string[],
  page: PageRequest,
  cursorRow: CursorRow | undefined,
): Promise<MessageRow[]> {
  const [direction, operator] = isBackwards(page) ? (['asc', '>'] as const) : (['desc', '<'] as const)
  const afterCursor =
    cursorRow &&
    // The first condition can use the index, and the second is exact.
    sql`and created_at ${sql.raw(`${operator}=`)} ${cursorRow.created_at}
      and (created_at, conversation_id, sequence) ${sql.raw(operator)}
        (${cursorRow.created_at}::timestamptz, ${cursorRow.conversation_id}::uuid, ${cursorRow.sequence}::bigint)`
  const read = sql<MessageRow>`
    select row.* from unnest(${conversations}::uuid[]) as candidate (id) cross join lateral (
      select ${sql.join(MESSAGE_COLUMNS.map((name) => sql.ref(name)))} from message
      where message.conversation_id = candidate.id ${afterCursor ?? sql``}
      order by created_at ${sql.raw(direction)}, sequence ${sql.raw(direction)}
      limit ${sql.lit(page.limit + 1)}
    ) as row`
  return db.transaction().execute(async (tx) => {
    // The planner expects conversations of the average size. It would read a much larger one whole and sort it, instead of the end of the index.
    await sql`select set_config('enable_bitmapscan', 'off', true)`.execute(tx)
    return (await read.execute(tx)).rows
  })
}

function newestOf(rows: readonly MessageRow[], page: PageRequest): MessageRow[] {
  const sign = isBackwards(page) ? 1 : -1
  return rows.toSorted((a, b) => sign * compare(a, b)).slice(0, page.limit + 1)
}

const compare = (a: MessageRow, b: MessageRow): number =>
  a.created_at.getTime() - b.created_at.getTime() ||
  (a.conversation_id === b.conversation_id ? a.sequence - b.sequence : a.conversation_id < b.conversation_id ? -1 : 1)

/** The position of the page's cursor. Undefined without a cursor, or if it is not a message of the member. */
export async function findCursorRow(db: Db, member: Member, page: PageRequest) {
  const cursor = cursorOf(page)
  if (cursor === undefined) return undefined
  return messagesOf(db, member)
    .select(['message.conversation_id', 'message.sequence', 'message.created_at'])
    .where('message.id', '=', uuidOrNull('msg', cursor))
    .executeTakeFirst()
}
