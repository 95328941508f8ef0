import type { Db } from '../../../platform/db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../../platform/db/page.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId } from '../../../platform/lib/id.ts'
import type { Member } from '../people/member.ts'
import type { CountedConversation } from './conversation.ts'
import { CONVERSATION_COLUMNS, conversationsOf, toCounted, unreadCount } from './conversation-store.ts'

/** A field filters only if it is true (MSG-CONV-2). */
export interface ConversationFilter {
  readonly muted?: boolean | undefined
  readonly archived?: boolean | undefined
  readonly pinned?: boolean | undefined
  /** `grp_…` of a group of the member. */
  readonly groupId?: string | undefined
}

/** The member's conversations, last active first. Undefined if the cursor is not one of them. */
export async function listConversations(
  db: Db,
  member: Member,
  page: PageRequest,
  { muted, archived, pinned, groupId }: ConversationFilter,
): Promise<Page<CountedConversation> | undefined> {
  let query = conversationsOf(db, member)
  if (muted) query = query.where('is_muted', '=', true)
  if (pinned) query = query.where('is_pinned', '=', true)
  if (archived) query = query.where('archived_at', 'is not', null)
  if (groupId !== undefined) query = query.where('group_id', '=', uuidOf('grp', groupId))
  const cursor = cursorOf(page)
  const cursorRow = cursor === undefined ? undefined : await findCursorRow(db, member, cursor)
  if (cursor !== undefined && !cursorRow) return undefined
  const place = cursorRow && [cursorRow.sort_at, cursorRow.conversation_id]
  const rows = query.select(CONVERSATION_COLUMNS).select(unreadCount)
  const by = ['membership.sort_at', 'membership.conversation_id']
  return readPage(rows, page, { by, order: 'desc', place }, (row) => toCounted(row, member))
}

const findCursorRow = (db: Db, { workspaceId, user }: Member, conversationId: string) =>
  db
    .selectFrom('conversation_member')
    .select(['sort_at', 'conversation_id'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('user_id', '=', user.id)
    .where('conversation_id', '=', fromId('conv', conversationId) ?? null)
    .executeTakeFirst()
