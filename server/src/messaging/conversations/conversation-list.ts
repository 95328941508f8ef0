import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { fromId } from '../../lib/id.ts'
import type { Member } from '../door/member.ts'
import { isBackwards, type PageAsked, pageOf, unknownCursor } from '../door/pages.ts'
import { uuidOf } from '../ids.ts'
import type { CountedConversation } from './conversation.ts'
import { CONVERSATION_COLUMNS, conversationsOf, toCounted, unreadCount } from './conversation-store.ts'

/** Only `true` filters (decisions.md §3, Filters). */
export interface ConversationFilter {
  readonly muted?: boolean | undefined
  readonly archived?: boolean | undefined
  readonly pinned?: boolean | undefined
  /** `grp_…` that the member is in. */
  readonly groupId?: string | undefined
}

/** The member's conversations, the last active first. Throws a 400 for a cursor that is none of them. */
export async function listConversations(
  db: Db,
  member: Member,
  page: PageAsked,
  { muted, archived, pinned, groupId }: ConversationFilter,
): Promise<Page<CountedConversation>> {
  const back = isBackwards(page)
  let query = conversationsOf(db, member)
  if (muted) query = query.where('is_muted', '=', true)
  if (pinned) query = query.where('is_pinned', '=', true)
  if (archived) query = query.where('archived_at', 'is not', null)
  if (groupId !== undefined) query = query.where('group_id', '=', uuidOf('grp', groupId))
  if (page.cursor) {
    const place = await placeOf(db, member, page)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('mine.sort_at', 'mine.conversation_id'), back ? '>' : '<', tuple(place.sort_at, place.conversation_id)),
    )
  }
  const direction = back ? 'asc' : 'desc'
  const rows = await query
    .select(CONVERSATION_COLUMNS)
    .select(unreadCount)
    .orderBy('mine.sort_at', direction)
    .orderBy('mine.conversation_id', direction)
    .limit(page.limit + 1)
    .execute()
  return pageOf(rows, page, (row) => toCounted(row, member))
}

async function placeOf(db: Db, { workspaceId, user }: Member, page: PageAsked) {
  const place = await db
    .selectFrom('conversation_member')
    .select(['sort_at', 'conversation_id'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('user_id', '=', user.id)
    .where('conversation_id', '=', fromId('conv', page.cursor?.id ?? '') ?? null)
    .executeTakeFirst()
  if (!place) throw unknownCursor(page)
  return place
}
