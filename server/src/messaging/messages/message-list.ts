import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { cursorOf, isBackwards, type Page, type PageRequest, pageOf, readPage } from '../../db/page.ts'
import { fromId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import { uuidOf } from '../ids.ts'
import { MESSAGE_COLUMNS, type Message, type MessageRow, toMessage } from './message.ts'
import { messagesOf } from './message-store.ts'

/** The messages of a conversation that the member is in, newest first. Undefined when the cursor is not one of them. */
export async function listMessages(
  db: Db,
  member: Member,
  conversationId: string,
  page: PageRequest,
): Promise<Page<Message> | undefined> {
  const conversation = uuidOf('conv', conversationId)
  const beside = await findCursorPlace(db, member, page)
  if (cursorOf(page) !== undefined && beside?.conversation_id !== conversation) return undefined
  const query = messagesOf(db, member).where('message.conversation_id', '=', conversation).select(MESSAGE_COLUMNS)
  return readPage(query, page, { by: ['sequence'], order: 'desc', place: beside && [beside.sequence] }, toMessage)
}

type Place = NonNullable<Awaited<ReturnType<typeof findCursorPlace>>>

/** Conversations that are asked for their messages at once, at most. */
const MOST_AT_ONCE = 400

/**
 * The messages of all the member's conversations, newest first; within a conversation in its order.
 *
 * Conversations are asked for their newest messages in the order in which they were last active, until none of those left can
 * hold a newer one than the page has: what a page costs depends on how many were active since its place, not on how many
 * there are. Undefined when the cursor is not a message of the member.
 */
export async function listAllMessages(db: Db, member: Member, page: PageRequest): Promise<Page<Message> | undefined> {
  const place = await findCursorPlace(db, member, page)
  if (cursorOf(page) !== undefined && !place) return undefined
  const back = isBackwards(page)
  let found: MessageRow[] = []
  let last: Candidate | undefined
  for (let size = page.limit + 1; ; size = Math.min(size * 2, MOST_AT_ONCE)) {
    const candidates = await conversationsBefore(db, member, last, back ? place : undefined, size)
    found = newest([...found, ...(await messagesIn(db, candidates, page, place))], page)
    last = candidates.at(-1)
    const enough = found.length > page.limit && !back
    if (!last || candidates.length < size || (enough && isAfter(found.at(-1), last))) break
  }
  return pageOf(found, page, toMessage)
}

interface Candidate {
  readonly conversation_id: string
  readonly sort_at: Date
}

/** Every message of the conversations from `last` on is older than this one. */
const isAfter = (message: MessageRow | undefined, last: Candidate): boolean =>
  message !== undefined && message.created_at > last.sort_at

/** The next of the member's conversations, the last active first; backwards only those that were active since the place. */
function conversationsBefore(
  db: Db,
  { workspaceId, user }: Member,
  last: Candidate | undefined,
  since: Place | undefined,
  limit: number,
): Promise<Candidate[]> {
  let query = db
    .selectFrom('conversation_member')
    .select(['conversation_id', 'sort_at'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('user_id', '=', user.id)
  if (since) query = query.where('sort_at', '>=', since.created_at)
  if (last) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('sort_at', 'conversation_id'), '<', tuple(last.sort_at, last.conversation_id)),
    )
  }
  return query.orderBy('sort_at', 'desc').orderBy('conversation_id', 'desc').limit(limit).execute()
}

async function messagesIn(
  db: Db,
  candidates: readonly Candidate[],
  page: PageRequest,
  place: Place | undefined,
): Promise<MessageRow[]> {
  if (candidates.length === 0) return []
  const [direction, beyond] = isBackwards(page) ? (['asc', '>'] as const) : (['desc', '<'] as const)
  const ids = candidates.map(({ conversation_id }) => conversation_id)
  const beside =
    place &&
    // The first condition finds the place in the index, the second is exact.
    sql`and created_at ${sql.raw(`${beyond}=`)} ${place.created_at}
      and (created_at, conversation_id, sequence) ${sql.raw(beyond)}
        (${place.created_at}::timestamptz, ${place.conversation_id}::uuid, ${place.sequence}::bigint)`
  const { rows } = await sql<MessageRow>`
    select found.* from unnest(${ids}::uuid[]) as candidate (id) cross join lateral (
      select ${sql.join(MESSAGE_COLUMNS.map((name) => sql.ref(name)))} from message
      where message.conversation_id = candidate.id ${beside ?? sql``}
      order by created_at ${sql.raw(direction)}, sequence ${sql.raw(direction)}
      limit ${sql.lit(page.limit + 1)}
    ) as found`.execute(db)
  return rows
}

/** As many as a page needs to know of, in the order in which it is walked. */
function newest(rows: readonly MessageRow[], page: PageRequest): MessageRow[] {
  const sign = isBackwards(page) ? 1 : -1
  return rows.toSorted((a, b) => sign * compare(a, b)).slice(0, page.limit + 1)
}

const compare = (a: MessageRow, b: MessageRow): number =>
  a.created_at.getTime() - b.created_at.getTime() ||
  (a.conversation_id === b.conversation_id ? a.sequence - b.sequence : a.conversation_id < b.conversation_id ? -1 : 1)

/** The place of the page's cursor among the member's messages. Undefined without a cursor, and when it is not one of them. */
export async function findCursorPlace(db: Db, member: Member, page: PageRequest) {
  const cursor = cursorOf(page)
  if (cursor === undefined) return undefined
  return messagesOf(db, member)
    .select(['message.conversation_id', 'message.sequence', 'message.created_at'])
    .where('message.id', '=', fromId('msg', cursor) ?? null)
    .executeTakeFirst()
}
