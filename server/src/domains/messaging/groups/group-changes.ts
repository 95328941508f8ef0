import type { Tx } from '../../../platform/db/database.ts'
import { type Refusal, refuseForbidden, refuseInvalid, refuseUnknown } from '../../../shared/refusal.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'
import { markReadAfterDeparture } from '../conversations/read-marker.ts'
import { eraseEvents, removeFromAudience } from '../events/erase-events.ts'
import { emit } from '../events/event.ts'
import { eraseResponsesAbout } from '../idempotency/erase-responses.ts'
import { findContacts } from '../people/contact-store.ts'
import { findEarliestMember, findGroupIds } from '../people/group-member-store.ts'
import type { Member } from '../people/member.ts'
import { type Group, groupView, MAX_MEMBERS } from './group.ts'
import {
  addToGroup,
  deleteGroup,
  findConversationIds,
  findGroup,
  lockGroup,
  removeFromGroup,
  updateGroup,
} from './group-store.ts'

export interface GroupChange {
  readonly member: Member
  readonly base: string
  readonly now: Date
}

/** Locks a group until `tx` ends. Returns NOT_FOUND if the member is not in it, and FORBIDDEN if the member does not own it. */
export const lockOwnedGroup = async (tx: Tx, member: Member, id: string): Promise<Group | Refusal> =>
  ownedGroup(member, await lockGroup(tx, member, id))

export function ownedGroup(member: Member, group: Group | undefined): Group | Refusal {
  if (!group) return refuseUnknown('group')
  return group.ownerId === member.user.id ? group : refuseForbidden('Only the owner of the group can do this.')
}

/** Each id once, NOT_FOUND if a user is not a contact, or a 400 if there are too many. */
export async function checkContacts(tx: Tx, { workspaceId }: Member, ids: readonly string[]): Promise<string[] | Refusal> {
  const unique = [...new Set(ids)]
  if (unique.length > MAX_MEMBERS) {
    return refuseInvalid({ param: 'contacts', message: `must not be more than ${MAX_MEMBERS}, including the owner` })
  }
  const contacts = await findContacts(tx, workspaceId, unique)
  return contacts.size < unique.length ? refuseUnknown('contact') : unique
}

/** Replaces the members of a group. Members get an event of the change, and removed members get an event of a deletion. */
export async function replaceMembers(
  tx: Tx,
  { member, base, now }: GroupChange,
  before: Group,
  ids: readonly string[],
): Promise<Group> {
  const group = { workspaceId: member.workspaceId, groupId: before.id }
  const addedIds = ids.filter((id) => !before.memberIds.includes(id))
  const removedIds = before.memberIds.filter((id) => !ids.includes(id))
  await addToGroup(tx, group, addedIds, now)
  const markers = await removeFromGroup(tx, group, removedIds)
  await markReadAfterDeparture(tx, member.workspaceId, markers, now)
  const conversationIds = markers.map(({ conversationId }) => conversationId)
  await removeFromAudience(tx, member.workspaceId, { objectIds: [before.id], conversationIds }, removedIds)
  await emitGroupDeleted(tx, member.workspaceId, before, removedIds)
  // Reads the group as one of its members, because the caller may have left it.
  const reader = { ...member, user: { ...member.user, id: ids[0] ?? before.ownerId } }
  const after = await findGroup(tx, reader, before.id)
  if (!after) throw new Error('A locked group was not found')
  await emitGroup(tx, { member, base }, 'group.updated', after)
  return after
}

export const emitGroup = (
  tx: Tx,
  { member: { workspaceId }, base }: Pick<GroupChange, 'member' | 'base'>,
  type: 'group.created' | 'group.updated',
  group: Group,
): Promise<void> => emit(tx, { workspaceId, type, audience: group.memberIds, payload: groupView(group, base) })

async function emitGroupDeleted(tx: Tx, workspaceId: string, { id }: Group, audience: readonly string[]): Promise<void> {
  if (audience.length === 0) return
  const payload = { id, object: 'group' as const, deleted: true }
  await emit(tx, { workspaceId, type: 'group.deleted', audience, payload })
}

export async function deleteGroupWithConversations(tx: Tx, workspaceId: string, group: Group, now: Date): Promise<void> {
  for (const id of await findConversationIds(tx, workspaceId, group.id)) await deleteConversation(tx, workspaceId, id, now)
  await deleteGroup(tx, workspaceId, group.id)
  await eraseEvents(tx, workspaceId, { objectIds: [group.id] })
  await eraseResponsesAbout(tx, workspaceId, [group.id])
  await emitGroupDeleted(tx, workspaceId, group, group.memberIds)
}

/** The member who joined first becomes the owner of the user's groups; a group without other members is deleted. */
export async function removeFromAllGroups(tx: Tx, change: GroupChange): Promise<void> {
  const { member, now } = change
  const { workspaceId, user } = member
  for (const id of await findGroupIds(tx, workspaceId, user.id)) {
    const group = await lockGroup(tx, member, id)
    if (!group) continue
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
