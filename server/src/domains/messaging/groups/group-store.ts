import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPageFrom } from '../../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { isStorable } from '../../../platform/lib/fields.ts'
import { newId, toId } from '../../../platform/lib/id.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import type { DepartedMarker } from '../conversations/read-marker.ts'
import { insertGroupMembers, uuidOfGroup } from '../people/group-member-store.ts'
import type { Member } from '../people/member.ts'
import type { Group } from './group.ts'

/** A group that the member belongs to. Undefined also if the group exists and the member is not in it. */
export const findGroup = (db: Db, { workspaceId, user }: Member, id: string): Promise<Group | undefined> =>
  groups(db, workspaceId).where('messaging_group.id', '=', uuidOfGroup(id)).where(hasMember(user.id)).$call(takeFirst(toGroup))

/** As `findGroup`. Until `tx` ends, only `tx` can change the group's members. */
export async function lockGroup(tx: Tx, member: Member, id: string): Promise<Group | undefined> {
  await tx
    .selectFrom('messaging_group')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(member.workspaceId), id: uuidOfGroup(id) }))
    .forUpdate()
    .execute()
  return findGroup(tx, member, id)
}

/** The member's groups, newest first. Undefined if the cursor is not one of them. */
export async function listGroups(db: Db, member: Member, page: PageRequest): Promise<Page<Group> | undefined> {
  const placeOf = async (cursor: string) => {
    const group = await findGroup(db, member, cursor)
    return group && [uuidOfGroup(group.id)]
  }
  const query = groups(db, member.workspaceId).where(hasMember(member.user.id))
  return readPageFrom(query, page, { by: ['messaging_group.id'], order: 'desc', placeOf }, toGroup)
}

export interface GroupFields {
  readonly name: GovernedString
  readonly description: GovernedString | ''
  readonly avatarUrl: GovernedString | null
  readonly ownerId: string
}

export async function createGroup(
  tx: Tx,
  workspaceId: string,
  { name, description, avatarUrl, ownerId }: GroupFields,
  memberIds: readonly string[],
  now: Date,
): Promise<Group> {
  const id = newId('grp')
  const row = await tx
    .insertInto('messaging_group')
    .values({
      id: uuidOfGroup(id),
      workspace_id: uuidOfWorkspace(workspaceId),
      name,
      description,
      avatar_url: avatarUrl,
      owner_id: ownerId,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertGroupMembers(tx, workspaceId, id, memberIds, now)
  return toGroup({ ...row, member_ids: memberIds.toSorted() })
}

export async function updateGroup(
  tx: Tx,
  workspaceId: string,
  id: string,
  { name, description, avatarUrl, ownerId }: { readonly [F in keyof GroupFields]?: GroupFields[F] | undefined },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('messaging_group')
    .set({ updated_at: now, name, description, avatar_url: avatarUrl, owner_id: ownerId })
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: uuidOfGroup(id) }))
    .execute()
}

export async function findConversationIds(tx: Tx, workspaceId: string, groupId: string): Promise<string[]> {
  const rows = await conversationsOf(tx, { workspaceId, groupId }).orderBy('id').execute()
  return rows.map((row) => toId('conv', row.id))
}

export async function deleteGroup(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('messaging_group')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: uuidOfGroup(id) }))
    .execute()
}

const groups = (db: Db, workspaceId: string) =>
  db
    .selectFrom('messaging_group')
    .selectAll('messaging_group')
    .select(
      sql<string[]>`array(select user_id from group_member where group_id = messaging_group.id order by user_id)`.as(
        'member_ids',
      ),
    )
    .where('messaging_group.workspace_id', '=', uuidOfWorkspace(workspaceId))

const hasMember = (userId: string) =>
  sql<boolean>`exists (select from group_member m
    where m.workspace_id = messaging_group.workspace_id and m.group_id = messaging_group.id and m.user_id = ${isStorable(userId) ? userId : ''})`

const toGroup = (row: RowOf<'messaging_group'> & { readonly member_ids: string[] }): Group =>
  fromRow(row, { id: 'grp', workspace_id: 'ws' })

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
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(group.workspaceId), group_id: uuidOfGroup(group.groupId) }))
    .where('user_id', 'in', userIds)
    .execute()
  const memberships = await tx
    .deleteFrom('conversation_member')
    .where('workspace_id', '=', uuidOfWorkspace(group.workspaceId))
    .where('user_id', 'in', userIds)
    .where('conversation_id', 'in', conversationsOf(tx, group))
    .returning(['conversation_id', 'read_sequence'])
    .execute()
  return memberships.map((row) => ({ conversationId: toId('conv', row.conversation_id), readSequence: row.read_sequence }))
}

/** Waits for messages that are being sent. Locks in the order of ids, so that two transactions cannot deadlock. */
async function lockConversations(tx: Tx, group: GroupReference): Promise<void> {
  await conversationsOf(tx, group).orderBy('id').forUpdate().execute()
}

const conversationsOf = (tx: Tx, { workspaceId, groupId }: GroupReference) =>
  tx
    .selectFrom('conversation')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), group_id: uuidOfGroup(groupId) }))
