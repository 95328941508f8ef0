import { DepartmentView, ProjectView } from '../../../domains/identity/user.ts'
import { listDepartments, listProjects } from '../../../domains/identity/user-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { inWorkspace } from '../kit/operation.ts'

const docs = {
  departments: inWorkspace('GET /departments', 'listDepartments', 'List the departments of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(DepartmentView) },
  }),
  projects: inWorkspace('GET /projects', 'listProjects', 'List the projects in the attribute `projects` of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(ProjectView) },
  }),
}

/** Departments and projects exist as long as a user has them: change the users. */
export function userGroupsRoutes(app: TypedApp, { db }: { readonly db: Db }): void {
  handle(app, docs.departments, async ({ workspaceId, query }) =>
    listOf(
      await listDepartments(db, workspaceId, pageOf(query)),
      (group) => ({ object: 'department' as const, ...group }),
      ({ name }) => name,
    ),
  )

  handle(app, docs.projects, async ({ workspaceId, query }) =>
    listOf(
      await listProjects(db, workspaceId, pageOf(query)),
      (group) => ({ object: 'project' as const, ...group }),
      ({ name }) => name,
    ),
  )
}
