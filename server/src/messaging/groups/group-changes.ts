import type { Tx } from '../../db/database.ts'
import { forbidden, invalid, notFound } from '../../http/refusals.ts'
import { eraseResponsesAbout } from '../api/idempotency-store.ts'
import type { Member } from '../api/member.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'
import { markReadAfterDeparture } from '../conversations/read-marker.ts'
import { eraseEvents, removeFromAudience } from '../events/erase-events.ts'
import { emit } from '../events/outbox.ts'
import { findContacts } from '../people/contact-store.ts'
import { type Group, groupView, MAX_MEMBERS } from './group.ts'
import { addToGroup, removeFromGroup } from './group-membership.ts'
import { conversationIds, deleteGroup, findGroup, lockGroup } from './group-store.ts'

/** What the changes of groups need to know of a call. */
export interface Change {
  readonly member: Member
  readonly base: string
  readonly now: Date
}

/** The group, held for this transaction. Throws a 404 for strangers. */
export async function lockVisibleGroup(tx: Tx, member: Member, id: string): Promise<Group> {
  const group = await lockGroup(tx, member, id)
  if (!group) throw notFound('group')
  return group
}

/** As `lockVisibleGroup`, for what only its owner may do. */
export async function lockOwnedGroup(tx: Tx, member: Member, id: string): Promise<Group> {
  const group = await lockVisibleGroup(tx, member, id)
  requireOwner(member, group)
  return group
}

/** Throws a 403 unless the member owns the group. */
export function requireOwner(member: Member, group: Group): void {
  if (group.ownerId !== member.user.id) throw forbidden('Only the owner of the group may do this.')
}

/** Each id once. Throws a 404 for who is no contact, and a 400 for too many. */
export async function requireContacts(tx: Tx, { workspaceId }: Member, ids: readonly string[]): Promise<string[]> {
  const unique = [...new Set(ids)]
  if (unique.length > MAX_MEMBERS) {
    throw invalid({ param: 'contacts', message: `must not be more than ${MAX_MEMBERS}, the owner included` })
  }
  const known = await findContacts(tx, workspaceId, unique)
  if (known.size < unique.length) throw notFound('contact')
  return unique
}

/** Makes these the members, and tells them; those who had to go are told that it is gone. */
export async function replaceMembers(
  tx: Tx,
  { member, base, now }: Change,
  before: Group,
  ids: readonly string[],
): Promise<Group> {
  const group = { workspaceId: member.workspaceId, groupId: before.id }
  const left = before.memberIds.filter((id) => !ids.includes(id))
  await addToGroup(
    tx,
    group,
    ids.filter((id) => !before.memberIds.includes(id)),
    now,
  )
  const markers = await removeFromGroup(tx, group, left)
  await markReadAfterDeparture(tx, member.workspaceId, markers, now)
  const conversations = markers.map(({ conversationId }) => conversationId)
  await removeFromAudience(tx, member.workspaceId, { objectIds: [before.id], conversationIds: conversations }, left)
  await tellGone(tx, member.workspaceId, before, left)
  // Through somebody who is in it: the caller may be who has left.
  const reader = { ...member, user: { ...member.user, id: ids[0] ?? before.ownerId } }
  const after = await findGroup(tx, reader, before.id)
  if (!after) throw new Error('a group is gone that is locked')
  await emitGroup(tx, { member, base }, 'group.updated', after)
  return after
}

export const emitGroup = (
  tx: Tx,
  { member: { workspaceId }, base }: Pick<Change, 'member' | 'base'>,
  type: 'group.created' | 'group.updated',
  group: Group,
): Promise<void> => emit(tx, { workspaceId, type, audience: group.memberIds, payload: groupView(group, base) })

/** To those who may not see it any more. */
async function tellGone(tx: Tx, workspaceId: string, { id }: Group, audience: readonly string[]): Promise<void> {
  if (audience.length === 0) return
  const payload = { id, object: 'group' as const, deleted: true }
  await emit(tx, { workspaceId, type: 'group.deleted', audience, payload })
}

/** Removes a group that is held, with its conversations; its members are told. */
export async function removeGroup(tx: Tx, workspaceId: string, group: Group, now: Date): Promise<void> {
  for (const id of await conversationIds(tx, workspaceId, group.id)) await deleteConversation(tx, workspaceId, id, now)
  await deleteGroup(tx, workspaceId, group.id)
  await eraseEvents(tx, workspaceId, { objectIds: [group.id] })
  await eraseResponsesAbout(tx, workspaceId, [group.id])
  await tellGone(tx, workspaceId, group, group.memberIds)
}
