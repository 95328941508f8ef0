import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageOf, readPage } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { isStorable } from '../../platform/lib/fields.ts'
import { newId, toId } from '../../platform/lib/id.ts'
import type { GovernedString } from '../../shared/governed.ts'
import type { UserCreate, UserPatch, WorkspaceUser } from './user.ts'
import { writeUnlessTaken } from './write-unless-taken.ts'

const userOf = (row: RowOf<'workspace_user'>): WorkspaceUser => ({
  ...fromRow(row),
  workspaceId: toId('ws', row.workspace_id),
})

type UserChange =
  | { readonly ok: true; readonly user: WorkspaceUser }
  | { readonly ok: false; readonly reason: 'not_found' | 'id_taken' | 'username_taken' }

/** The username is governed, because other users read it. */
type NewUser = Omit<UserCreate, 'username'> & { readonly username: GovernedString }
export type ChangedUser = Omit<UserPatch, 'username'> & { readonly username?: GovernedString | undefined }

export async function createUser(db: Db, workspaceId: string, create: NewUser, now: Date): Promise<UserChange> {
  const row = await insert(db, workspaceId, create, now)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) return { ok: true, user: userOf(row) }
  const holder = create.id === undefined ? undefined : await findUser(db, workspaceId, create.id)
  return { ok: false, reason: holder ? 'id_taken' : 'username_taken' }
}

export async function upsertUser(
  tx: Tx,
  workspaceId: string,
  user: NewUser & { readonly id: string },
  now: Date,
): Promise<UserChange> {
  const row = await writeUnlessTaken(tx, () =>
    insert(tx, workspaceId, user, now)
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'id']).doUpdateSet((update) => ({
          username: update.ref('excluded.username'),
          role: update.ref('excluded.role'),
          department: update.ref('excluded.department'),
          attributes: update.ref('excluded.attributes'),
          updated_at: update.ref('excluded.updated_at'),
        })),
      )
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  return row === 'taken' ? { ok: false, reason: 'username_taken' } : { ok: true, user: userOf(row) }
}

export async function findUser(db: Db, workspaceId: string, id: string): Promise<WorkspaceUser | undefined> {
  if (!isStorable(id)) return undefined
  return users(db, workspaceId).where('id', '=', id).$call(takeFirst(userOf))
}

interface UserFilter {
  /** Part of the id or username; case-insensitive. */
  readonly search?: string | undefined
  readonly department?: string | undefined
  readonly project?: string | undefined
}

/** Ordered by id. Returns undefined if `page.after` cannot be an id. */
export async function listUsers(
  db: Db,
  workspaceId: string,
  page: PageRequest & UserFilter,
): Promise<Page<WorkspaceUser> | undefined> {
  if (!isStorable(page.after ?? '')) return undefined
  const { search, department, project } = page
  let query = users(db, workspaceId)
  if (search !== undefined) {
    const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
    query = query.where(({ or, eb }) => or([eb('id', 'ilike', pattern), eb('username', 'ilike', pattern)]))
  }
  if (department !== undefined) query = query.where('department', '=', department)
  if (project !== undefined) query = query.where(sql<boolean>`attributes -> 'projects' @> ${JSON.stringify([project])}::jsonb`)
  return readPage(query, page, { by: ['id'], place: page.after === undefined ? undefined : [page.after] }, userOf)
}

export async function updateUser(tx: Tx, workspaceId: string, id: string, patch: ChangedUser, now: Date): Promise<UserChange> {
  if (!isStorable(id)) return { ok: false, reason: 'not_found' }
  const row = await writeUnlessTaken(tx, () =>
    tx
      .updateTable('workspace_user')
      .set({
        updated_at: now,
        ...(patch.username !== undefined && { username: patch.username }),
        ...(patch.role !== undefined && { role: patch.role ?? '' }),
        ...(patch.department !== undefined && { department: patch.department ?? '' }),
        ...(patch.attributes !== undefined && { attributes: JSON.stringify(patch.attributes ?? {}) }),
      })
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),
  )
  if (row === 'taken') return { ok: false, reason: 'username_taken' }
  return row ? { ok: true, user: userOf(row) } : { ok: false, reason: 'not_found' }
}

const insert = (db: Db, workspaceId: string, { id, username, role, department, attributes }: NewUser, now: Date) =>
  db.insertInto('workspace_user').values({
    workspace_id: uuidOfWorkspace(workspaceId),
    id: id ?? newId('usr'),
    username,
    role: role ?? '',
    department: department ?? '',
    attributes: JSON.stringify(attributes ?? {}),
    created_at: now,
    updated_at: now,
  })

const users = (db: Db, workspaceId: string) =>
  db.selectFrom('workspace_user').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))

/** A department or project. It exists as long as a user has it. */
interface UserGroup {
  readonly name: string
  readonly users: number
}

/** Ordered by name. Returns undefined if `page.after` cannot be a name. */
export const listDepartments = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<UserGroup> | undefined> =>
  listGroups(
    db,
    page,
    sql`select department as name from workspace_user
      where workspace_id = ${uuidOfWorkspace(workspaceId)} and department <> ''`,
  )

/** The projects in the attribute `projects` of users, ordered by name. Returns undefined if `page.after` cannot be a name. */
export const listProjects = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<UserGroup> | undefined> =>
  listGroups(
    db,
    page,
    sql`select distinct id, project as name
      from workspace_user,
        jsonb_array_elements_text(case when jsonb_typeof(attributes -> 'projects') = 'array' then attributes -> 'projects' else '[]' end) as project
      where workspace_id = ${uuidOfWorkspace(workspaceId)} and project <> ''`,
  )

async function listGroups(db: Db, { limit, after = '' }: PageRequest, members: ReturnType<typeof sql>) {
  if (!isStorable(after)) return undefined
  const { rows } = await sql<UserGroup>`
    select name, count(*)::integer as users from (${members}) as member
    where name collate "C" > ${after} group by name order by name collate "C" limit ${limit + 1}`.execute(db)
  return pageOf(rows, { limit }, ({ name, users }) => ({ name, users }))
}
