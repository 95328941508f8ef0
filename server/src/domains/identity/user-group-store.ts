import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '../../platform/db/database.ts'
import { type Page, type PageRequest, pageOf } from '../../platform/db/page.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { isStorable } from '../../platform/lib/fields.ts'

/** A department or project. It exists as long as a user has it. */
export interface UserGroup {
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

export const DepartmentView = Type.Object({
  object: Type.Literal('department'),
  name: Type.String(),
  users: Type.Integer({ description: 'Number of users.' }),
})
export const ProjectView = Type.Object({ ...DepartmentView.properties, object: Type.Literal('project') })
