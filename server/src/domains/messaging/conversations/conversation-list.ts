import type { Db } from '../../../platform/db/database.ts'
import { type Page, type PageRequest, readPageFrom } from '../../../platform/db/page.ts'
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
  const rows = query.select(CONVERSATION_COLUMNS).select(unreadCount)
  const by = ['membership.sort_at', 'membership.conversation_id']
  const placeOf = (cursor: string) => findPlace(db, member, cursor)
  return readPageFrom(rows, page, { by, order: 'desc', placeOf }, (row) => toCounted(row, member))
}

async function findPlace(db: Db, { workspaceId, user }: Member, conversationId: string) {
  const row = await db
    .selectFrom('conversation_member')
    .select(['sort_at', 'conversation_id'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('user_id', '=', user.id)
    .where('conversation_id', '=', fromId('conv', conversationId) ?? null)
    .executeTakeFirst()
  return row && [row.sort_at, row.conversation_id]
}
