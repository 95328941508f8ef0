import type { Tx } from '../../../platform/db/database.ts'
import { findEarliestMember, findGroupIds } from '../people/group-member-store.ts'
import { deleteGroupWithConversations, type GroupChange, lockVisibleGroup, replaceMembers } from './group-changes.ts'
import { updateGroup } from './group-store.ts'

/**
 * Removes a user from all groups, as when the user is erased. The member who joined first becomes the owner of the user's groups; a
 * group without other members is deleted.
 */
export async function removeFromAllGroups(tx: Tx, change: GroupChange): Promise<void> {
  const { member, now } = change
  const { workspaceId, user } = member
  for (const id of await findGroupIds(tx, workspaceId, user.id)) {
    const group = await lockVisibleGroup(tx, member, id)
    const newOwnerId = await findEarliestMember(tx, workspaceId, id, user.id)
    if (newOwnerId === undefined) {
      await deleteGroupWithConversations(tx, workspaceId, group, now)
      continue
    }
    if (group.ownerId === user.id) await updateGroup(tx, workspaceId, id, { ownerId: newOwnerId }, now)
    const remainingIds = group.memberIds.filter((memberId) => memberId !== user.id)
    await replaceMembers(tx, change, group, remainingIds)
  }
}
