import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { DepartedMarker } from '../conversations/read-marker.ts'
import { insertGroupMembers, uuidOfGroup } from '../people/group-member-store.ts'

/** A group of a Workspace. The transaction has locked it (`lockGroup`). */
export interface GroupReference {
  readonly workspaceId: string
  readonly groupId: string
}

/** Adds users to a group and its conversations. Earlier messages are visible to them and count as read. */
export async function addToGroup(tx: Tx, group: GroupReference, userIds: readonly string[], now: Date): Promise<void> {
  if (userIds.length === 0) return
  await insertGroupMembers(tx, group.workspaceId, group.groupId, userIds, now)
  await lockConversations(tx, group)
  await sql`
    insert into conversation_member (workspace_id, conversation_id, user_id, sort_at, is_pinned, is_muted, read_sequence)
    select c.workspace_id, c.id, joining.user_id, coalesce(c.last_active_at, c.created_at), false, false, c.last_sequence
    from conversation c, unnest(${userIds}::text[]) joining(user_id)
    where c.workspace_id = ${uuidOfWorkspace(group.workspaceId)} and c.group_id = ${uuidOfGroup(group.groupId)}
    on conflict do nothing`.execute(tx)
}

/** Removes users from a group and its conversations; their messages stay. Returns the read markers that they had. */
export async function removeFromGroup(tx: Tx, group: GroupReference, userIds: readonly string[]): Promise<DepartedMarker[]> {
  if (userIds.length === 0) return []
  await lockConversations(tx, group)
  await tx
    .deleteFrom('group_member')
    .where('workspace_id', '=', uuidOfWorkspace(group.workspaceId))
    .where('group_id', '=', uuidOfGroup(group.groupId))
    .where('user_id', 'in', userIds)
    .execute()
  const memberships = await tx
    .deleteFrom('conversation_member')
    .where('workspace_id', '=', uuidOfWorkspace(group.workspaceId))
    .where('user_id', 'in', userIds)
    .where('conversation_id', 'in', conversationsOf(tx, group).select('id'))
    .returning(['conversation_id', 'read_sequence'])
    .execute()
  return memberships.map((row) => ({ conversationId: toId('conv', row.conversation_id), readSequence: row.read_sequence }))
}

/** Waits for messages that are being sent. Locks in the order of ids, so that two transactions cannot deadlock. */
async function lockConversations(tx: Tx, group: GroupReference): Promise<void> {
  await conversationsOf(tx, group).select('id').orderBy('id').forUpdate().execute()
}

const conversationsOf = (tx: Tx, { workspaceId, groupId }: GroupReference) =>
  tx
    .selectFrom('conversation')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', uuidOfGroup(groupId))
