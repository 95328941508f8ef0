import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { toId } from '../../lib/id.ts'
import type { DepartedMarker } from '../conversations/read-marker.ts'
import { insertMembers, uuidOfGroup } from './group-store.ts'

/** One group of one Workspace, locked by the transaction (`lockGroup`). */
export interface GroupReference {
  readonly workspaceId: string
  readonly groupId: string
}

/** Who joins is in all of the group's conversations, and has nothing unread: what was said before is there to be read. */
export async function addToGroup(tx: Tx, group: GroupReference, userIds: readonly string[], now: Date): Promise<void> {
  if (userIds.length === 0) return
  await insertMembers(tx, group.workspaceId, uuidOfGroup(group.groupId), userIds, now)
  await lockConversations(tx, group)
  await sql`
    insert into conversation_member (workspace_id, conversation_id, user_id, sort_at, is_pinned, is_muted, read_sequence)
    select c.workspace_id, c.id, joining.user_id, coalesce(c.last_active_at, c.created_at), false, false, c.last_sequence
    from conversation c, unnest(${userIds}::text[]) joining(user_id)
    where c.workspace_id = ${uuidOfWorkspace(group.workspaceId)} and c.group_id = ${uuidOfGroup(group.groupId)}
    on conflict do nothing`.execute(tx)
}

/**
 * Who leaves is in none of the group's conversations any more; what they have said stays. Answers up to where they had read:
 * nobody waits for them any more.
 */
export async function removeFromGroup(tx: Tx, group: GroupReference, userIds: readonly string[]): Promise<DepartedMarker[]> {
  if (userIds.length === 0) return []
  await lockConversations(tx, group)
  await tx
    .deleteFrom('group_member')
    .where('workspace_id', '=', uuidOfWorkspace(group.workspaceId))
    .where('group_id', '=', uuidOfGroup(group.groupId))
    .where('user_id', 'in', userIds)
    .execute()
  const left = await tx
    .deleteFrom('conversation_member')
    .where('workspace_id', '=', uuidOfWorkspace(group.workspaceId))
    .where('user_id', 'in', userIds)
    .where('conversation_id', 'in', conversationsOf(tx, group).select('id'))
    .returning(['conversation_id', 'read_sequence'])
    .execute()
  return left.map((row) => ({ conversationId: toId('conv', row.conversation_id), readSequence: row.read_sequence }))
}

/** In one order, so that two who do this never wait for each other; a message that is just being sent is waited for. */
async function lockConversations(tx: Tx, group: GroupReference): Promise<void> {
  await conversationsOf(tx, group).select('id').orderBy('id').forUpdate().execute()
}

const conversationsOf = (tx: Tx, { workspaceId, groupId }: GroupReference) =>
  tx
    .selectFrom('conversation')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', uuidOfGroup(groupId))
