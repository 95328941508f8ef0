import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { hasRow } from '../../../platform/db/from-row.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import type { Member } from './member.ts'

const NO_UUID = '00000000-0000-0000-0000-000000000000'

/** The UUID of a group. An invalid id gives a UUID that no group has. */
export const uuidOfGroup = (id: string): string => fromId('grp', id) ?? NO_UUID

export const queryMemberIds = (db: Db, workspaceId: string, groupId: string) =>
  db
    .selectFrom('group_member')
    .select('user_id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), group_id: uuidOfGroup(groupId) }))

export const isGroupMember = (db: Db, workspaceId: string, groupId: string, userId: string): Promise<boolean> =>
  queryMemberIds(db, workspaceId, groupId).where('user_id', '=', userId).$call(hasRow)

export async function isGroupOwner(db: Db, { workspaceId, user }: Member, groupId: string): Promise<boolean> {
  const row = await db
    .selectFrom('messaging_group')
    .select('owner_id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: uuidOfGroup(groupId) }))
    .executeTakeFirst()
  return row?.owner_id === user.id
}

/** User ids of the group's members. The group keeps these members until `tx` ends. */
export async function lockGroupMembers(tx: Tx, workspaceId: string, groupId: string): Promise<string[]> {
  await tx
    .selectFrom('messaging_group')
    .select('id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), id: uuidOfGroup(groupId) }))
    .forShare()
    .execute()
  const rows = await queryMemberIds(tx, workspaceId, groupId).orderBy('user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

/** The member who joined the group first, apart from `userId`. Undefined if the group has no other member. */
export async function findEarliestMember(
  tx: Tx,
  workspaceId: string,
  groupId: string,
  userId: string,
): Promise<string | undefined> {
  const row = await queryMemberIds(tx, workspaceId, groupId)
    .where('user_id', '!=', userId)
    .orderBy('joined_at')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst()
  return row?.user_id
}

export async function findGroupIds(tx: Tx, workspaceId: string, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('group_member')
    .select('group_id')
    .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), user_id: userId }))
    .orderBy('group_id')
    .execute()
  return rows.map(({ group_id }) => toId('grp', group_id))
}

export async function insertGroupMembers(
  tx: Tx,
  workspaceId: string,
  groupId: string,
  userIds: readonly string[],
  now: Date,
): Promise<void> {
  if (userIds.length === 0) return
  await sql`
    insert into group_member (workspace_id, group_id, user_id, joined_at)
    select ${uuidOfWorkspace(workspaceId)}, ${uuidOfGroup(groupId)}, joining, ${now} from unnest(${userIds}::text[]) as joining
    on conflict do nothing`.execute(tx)
}
