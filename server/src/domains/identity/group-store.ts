import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, hasRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { isStorable } from '../../platform/lib/fields.ts'
import { toId } from '../../platform/lib/id.ts'
import type { User } from '../../shared/principal.ts'
import { type Group, type GroupMember, type GroupPut, MEMBER_KINDS, type MembersChange } from './group.ts'

const groupOf = (row: RowOf<'user_group'> & { users: number; groups: number }): Group => ({
  ...fromRow(row),
  workspaceId: toId('ws', row.workspace_id),
})

const groups = (db: Db, workspaceId: string) =>
  db
    .selectFrom('user_group')
    .selectAll()
    .select(({ selectFrom }) =>
      MEMBER_KINDS.map((kind) =>
        selectFrom('user_group_member as membership')
          .whereRef('membership.workspace_id', '=', 'user_group.workspace_id')
          .whereRef('membership.group_id', '=', 'user_group.id')
          .where('membership.kind', '=', kind)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as(`${kind}s` as const),
      ),
    )
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))

export async function findGroup(db: Db, workspaceId: string, id: string): Promise<Group | undefined> {
  return isStorable(id) ? groups(db, workspaceId).where('id', '=', id).$call(takeFirst(groupOf)) : undefined
}

interface GroupFilter {
  readonly source?: string | undefined
  /** Id of a user: only groups that the user belongs to, also over other groups. */
  readonly user?: string | undefined
}

/** Ordered by id. Undefined if `page.after` cannot be an id. */
export async function listGroups(
  db: Db,
  workspaceId: string,
  { source, user, ...page }: PageRequest & GroupFilter,
): Promise<Page<Group> | undefined> {
  if (!isStorable(page.after ?? '')) return undefined
  let query = groups(db, workspaceId)
  if (source !== undefined) query = query.where('source', '=', source)
  if (user !== undefined) {
    const ids = await findGroupIds(db, workspaceId, { id: user })
    query = query.where(sql<boolean>`id = any(${[...ids]}::text[])`)
  }
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, groupOf)
}

/** Creates the group or changes its fields. Its members stay. Publish the topic `groups`. */
export async function putGroup(
  tx: Tx,
  workspaceId: string,
  { id, name, source }: GroupPut,
  now: Date,
): Promise<Group | undefined> {
  const fields = { ...(name !== undefined && { name: name ?? id }), ...(source !== undefined && { source }), updated_at: now }
  await tx
    .insertInto('user_group')
    .values({ workspace_id: uuidOfWorkspace(workspaceId), id, name: id, source: null, created_at: now, ...fields })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet(fields))
    .execute()
  return findGroup(tx, workspaceId, id)
}

export async function deleteGroup(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  if (!isStorable(id)) return false
  const { numDeletedRows } = await tx
    .deleteFrom('user_group')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0
}

/** Adds and removes members. Members that are there or gone already change nothing. Undefined: no such group. Publish the topic `groups`. */
export async function changeMembers(
  tx: Tx,
  workspaceId: string,
  id: string,
  { add = {}, remove = {} }: MembersChange,
  now: Date,
): Promise<Group | undefined> {
  if (!isStorable(id)) return undefined
  const workspace = uuidOfWorkspace(workspaceId)
  const updated = await tx
    .updateTable('user_group')
    .set({ updated_at: now })
    .where('workspace_id', '=', workspace)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!updated) return undefined
  for (const kind of MEMBER_KINDS) {
    const [removed, added] = [remove[`${kind}s`] ?? [], add[`${kind}s`] ?? []]
    await sql`
      delete from user_group_member where workspace_id = ${workspace} and group_id = ${id} and kind = ${kind}
      and member = any(${removed}::text[])`.execute(tx)
    await sql`
      insert into user_group_member (workspace_id, group_id, kind, member)
      select ${workspace}, ${id}, ${kind}, member from unnest(${added}::text[]) as added (member)
      on conflict do nothing`.execute(tx)
  }
  return findGroup(tx, workspaceId, id)
}

/** Ordered by kind and id. The cursor is `kind id`; undefined if `page.after` is none. */
export async function listMembers(
  db: Db,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Page<GroupMember> | undefined> {
  const [, kind, member = ''] = /^(user|group) (.*)$/su.exec(page.after ?? '') ?? []
  if (page.after !== undefined && (kind === undefined || !isStorable(member))) return undefined
  const query = db
    .selectFrom('user_group_member')
    .select(['kind', 'member'])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('group_id', '=', id)
  const place = kind === undefined ? undefined : [kind, member]
  return readPage(query, page, { by: ['kind', 'member'], place }, (row) => ({ kind: row.kind, id: row.member }))
}

export const cursorOfMember = ({ kind, id }: GroupMember): string => `${kind} ${id}`

export const hasGroups = (db: Db, workspaceId: string): Promise<boolean> =>
  db.selectFrom('user_group').select('id').where('workspace_id', '=', uuidOfWorkspace(workspaceId)).limit(1).$call(hasRow)

/** The groups of the user's token, the stored groups that name the user, and all groups that contain one of them. */
export async function findGroupIds(
  db: Db,
  workspaceId: string,
  { id, groups: stated = [] }: Pick<User, 'id' | 'groups'>,
): Promise<readonly string[]> {
  if (!isStorable(id)) return stated
  const workspace = uuidOfWorkspace(workspaceId)
  const { rows } = await sql<{ id: string }>`
    with recursive own (id) as (
      select unnest(${[...stated]}::text[])
      union
      select group_id from user_group_member where workspace_id = ${workspace} and kind = 'user' and member = ${id} and ${id} <> ''
      union
      select group_id from own join user_group_member on workspace_id = ${workspace} and kind = 'group' and member = own.id
    )
    select id from own order by id`.execute(db)
  return rows.map((row) => row.id)
}

/** Removes an erased user. Publish the topic `groups`. Returns the ids of the groups. */
export async function removeFromGroups(tx: Tx, workspaceId: string, userId: string): Promise<readonly string[]> {
  const removed = await tx
    .deleteFrom('user_group_member')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('kind', '=', 'user')
    .where('member', '=', userId)
    .returning('group_id')
    .execute()
  return removed.map(({ group_id }) => group_id).sort()
}
