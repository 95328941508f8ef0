import { DepartmentView, listDepartments, listProjects, ProjectView } from '../applications/people-groups.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { List } from './shapes.ts'

const docs = {
  departments: inWorkspace('listDepartments', 'Departments that users are in, by name', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(DepartmentView) },
  }),
  projects: inWorkspace('listProjects', 'Projects that users are in, by name: as their attribute `projects` has them', {
    scope: 'people:read',
    query: PAGE,
    answers: { 200: List(ProjectView) },
  }),
}

/** What people belong to. A department or a project is there as long as somebody is in it: change the users. */
export function peopleGroupsRoutes(app: AdminApp, { db }: AdminDeps): void {
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
