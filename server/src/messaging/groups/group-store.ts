import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { cursorOf, type Page, type PageRequest, readPage } from '../../db/page.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import type { GovernedString } from '../../domain/governed.ts'
import { isStorable } from '../../lib/fields.ts'
import { fromId, newUuid, toId } from '../../lib/id.ts'
import type { Member } from '../api/member.ts'
import type { MessagingGroupTable } from '../people/tables.ts'
import type { Group } from './group.ts'

/** A group that the member belongs to; undefined also when there is one that the member does not. */
export async function findGroup(db: Db, { workspaceId, user }: Member, id: string): Promise<Group | undefined> {
  const row = await groups(db, workspaceId)
    .where('messaging_group.id', '=', uuidOfGroup(id))
    .where(hasMember(user.id))
    .executeTakeFirst()
  return row && groupOf(row)
}

/** As `findGroup`, held until `tx` ends: what its members are is then only changed by this transaction. */
export async function lockGroup(tx: Tx, member: Member, id: string): Promise<Group | undefined> {
  await tx
    .selectFrom('messaging_group')
    .select('id')
    .where('workspace_id', '=', uuidOfWorkspace(member.workspaceId))
    .where('id', '=', uuidOfGroup(id))
    .forUpdate()
    .execute()
  return findGroup(tx, member, id)
}

/** The member's groups, newest first. Undefined when the cursor is not one of them. */
export async function listGroups(db: Db, member: Member, page: PageRequest): Promise<Page<Group> | undefined> {
  const cursor = cursorOf(page)
  const beside = cursor === undefined ? undefined : await findGroup(db, member, cursor)
  if (cursor !== undefined && !beside) return undefined
  const place = beside && [uuidOfGroup(beside.id)]
  const query = groups(db, member.workspaceId).where(hasMember(member.user.id))
  return readPage(query, page, { by: ['messaging_group.id'], order: 'desc', place }, groupOf)
}

export interface GroupFields {
  readonly name: GovernedString
  readonly description: GovernedString | ''
  readonly avatarUrl: GovernedString | null
  readonly ownerId: string
}

/** Ids of all groups that the user is in. */
export async function findGroupIds(tx: Tx, workspaceId: string, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('group_member')
    .select('group_id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('user_id', '=', userId)
    .orderBy('group_id')
    .execute()
  return rows.map(({ group_id }) => toId('grp', group_id))
}

/** Who has been in the group for longest but that user. Undefined when nobody else is in it. */
export async function findLongestMember(
  tx: Tx,
  workspaceId: string,
  groupId: string,
  userId: string,
): Promise<string | undefined> {
  const row = await memberIds(tx, workspaceId, groupId)
    .where('user_id', '!=', userId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst()
  return row?.user_id
}

/** `memberIds` are contacts of the Workspace. */
export async function createGroup(
  tx: Tx,
  workspaceId: string,
  { name, description, avatarUrl, ownerId }: GroupFields,
  memberIds: readonly string[],
  now: Date,
): Promise<Group> {
  const id = newUuid()
  const row = await tx
    .insertInto('messaging_group')
    .values({
      id,
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
  await insertMembers(tx, workspaceId, id, memberIds, now)
  return groupOf({ ...row, member_ids: memberIds.toSorted() })
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
    .set({
      updated_at: now,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(avatarUrl !== undefined && { avatar_url: avatarUrl }),
      ...(ownerId !== undefined && { owner_id: ownerId }),
    })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOfGroup(id))
    .execute()
}

/** `conv_…` of the group's conversations. */
export async function conversationIds(tx: Tx, workspaceId: string, id: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', uuidOfGroup(id))
    .orderBy('id')
    .execute()
  return rows.map((row) => toId('conv', row.id))
}

/** When its conversations are gone; its members go with it. */
export async function deleteGroup(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx
    .deleteFrom('messaging_group')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOfGroup(id))
    .execute()
}

/** Whether the user belongs to the group. */
export async function isGroupMember(db: Db, workspaceId: string, groupId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('group_member')
    .select('user_id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', uuidOfGroup(groupId))
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

/** Ids of the group's members, who stay just these until `tx` ends. */
export async function lockGroupMembers(tx: Tx, workspaceId: string, groupId: string): Promise<string[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const group = uuidOfGroup(groupId)
  await tx
    .selectFrom('messaging_group')
    .select('id')
    .where('workspace_id', '=', workspace)
    .where('id', '=', group)
    .forShare()
    .execute()
  const rows = await memberIds(tx, workspaceId, groupId).orderBy('user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

/** The query for the ids of the group's members. */
export const memberIds = (db: Db, workspaceId: string, groupId: string) =>
  db
    .selectFrom('group_member')
    .select('user_id')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', uuidOfGroup(groupId))

export async function insertMembers(
  tx: Tx,
  workspaceId: string,
  groupUuid: string,
  userIds: readonly string[],
  now: Date,
): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .insertInto('group_member')
    .columns(['workspace_id', 'group_id', 'user_id', 'joined_at'])
    .expression(
      tx
        .selectFrom(sql<{ user_id: string }>`unnest(${userIds}::text[])`.as<'joining'>(sql`joining(user_id)`))
        .select([
          sql<string>`${uuidOfWorkspace(workspaceId)}::uuid`.as('workspace_id'),
          sql<string>`${groupUuid}::uuid`.as('group_id'),
          'joining.user_id',
          sql<Date>`${now}::timestamptz`.as('joined_at'),
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const NO_UUID = '00000000-0000-0000-0000-000000000000'

/** What is no id of a group names none. */
export const uuidOfGroup = (id: string): string => fromId('grp', id) ?? NO_UUID

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

const groupOf = (row: Selectable<MessagingGroupTable> & { readonly member_ids: string[] }): Group => ({
  id: toId('grp', row.id),
  name: row.name,
  description: row.description,
  avatarUrl: row.avatar_url,
  ownerId: row.owner_id,
  memberIds: row.member_ids,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
