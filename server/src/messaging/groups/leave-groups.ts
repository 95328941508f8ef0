import type { Tx } from '../../db/database.ts'
import { type Change, lockVisibleGroup, removeGroup, replaceMembers } from './group-changes.ts'
import { findGroupIds, findLongestMember, updateGroup } from './group-store.ts'

/** Takes a user out of all groups, as when the user is erased: what they own goes to who has been there for longest, or with them. */
export async function removeFromAllGroups(tx: Tx, change: Change): Promise<void> {
  const { member, now } = change
  const { workspaceId, user } = member
  for (const id of await findGroupIds(tx, workspaceId, user.id)) {
    const group = await lockVisibleGroup(tx, member, id)
    const heir = await findLongestMember(tx, workspaceId, id, user.id)
    if (heir === undefined) {
      await removeGroup(tx, workspaceId, group, now)
      continue
    }
    if (group.ownerId === user.id) await updateGroup(tx, workspaceId, id, { ownerId: heir }, now)
    await replaceMembers(
      tx,
      change,
      group,
      group.memberIds.filter((each) => each !== user.id),
    )
  }
}
