import type { AdminApp } from '../../admin/kit/admin-app.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import type { Db } from '../../db/database.ts'
import { List, listOf, PAGE, pageOf } from '../../http/paging.ts'
import { DepartmentView, listDepartments, listProjects, ProjectView } from '../user-group-store.ts'

const docs = {
  departments: inWorkspace('listDepartments', 'List the departments of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(DepartmentView) },
  }),
  projects: inWorkspace('listProjects', 'List the projects in the attribute `projects` of users, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(ProjectView) },
  }),
}

/** Departments and projects exist as long as a user has them: change the users. */
export function userGroupsRoutes(app: AdminApp, { db }: { readonly db: Db }): void {
  app.get('/departments', { schema: docs.departments }, async ({ workspaceId, query }) =>
    listOf(
      await listDepartments(db, workspaceId, pageOf(query)),
      (group) => ({ object: 'department' as const, ...group }),
      ({ name }) => name,
    ),
  )

  app.get('/projects', { schema: docs.projects }, async ({ workspaceId, query }) =>
    listOf(
      await listProjects(db, workspaceId, pageOf(query)),
      (group) => ({ object: 'project' as const, ...group }),
      ({ name }) => name,
    ),
  )
}
