import type { Static } from 'typebox'
import { listWorkspaces } from '../../../domains/identity/workspace-store.ts'
import type { Person } from '../../../domains/operators/operator.ts'
import type { Tx } from '../../../platform/db/database.ts'
import {
  type Access,
  accessOf,
  changedRoles,
  covers,
  mayEnter,
  type Roles,
  scopesAnywhere,
  scopesIn,
  workspacesWith,
} from '../../../shared/access.ts'
import { ROLE_SCOPES, type Role } from '../../../shared/operator.ts'
import { forbidden, notFound } from '../../../shared/request-errors.ts'
import type { OperatorPatch } from './operator-shapes.ts'

/** `before` with the changes of a request. Throws unless the acting operator may give and take these roles. */
export async function grantRoles(
  tx: Tx,
  access: Access,
  before: Roles,
  { role, workspace_roles = [] }: Pick<Static<typeof OperatorPatch>, 'role' | 'workspace_roles'>,
): Promise<Roles> {
  const ids = [...new Set(workspace_roles.map(({ workspace_id }) => workspace_id))]
  if (!ids.every((id) => mayEnter(access, id))) throw notFound('Workspace')
  await requireWorkspaces(tx, ids)
  const workspaces = new Map(before.workspaces)
  for (const { workspace_id, role } of workspace_roles) {
    if (role === null) workspaces.delete(workspace_id)
    else workspaces.set(workspace_id, role)
  }
  const after = { all: role === undefined ? before.all : role, workspaces }
  const changed = changedRoles(before, after)
  if (changed.all) for (const one of [before.all, after.all]) refuseMissingScope(access, undefined, one)
  for (const id of changed.workspaceIds)
    for (const { workspaces } of [before, after]) refuseMissingScope(access, id, workspaces.get(id))
  return after
}

export async function requireWorkspaces(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const found = (await listWorkspaces(tx, { limit: ids.length }, ids))?.data ?? []
  if (found.length < ids.length) throw notFound('Workspace')
}

/** Operators cannot give or take roles with scopes that they do not have there. */
function refuseMissingScope(access: Access, workspaceId: string | undefined, role: Role | null | undefined): void {
  if (!role) return
  const missing = ROLE_SCOPES[role].find((scope) => !scopesIn(access, workspaceId).includes(scope))
  if (!missing) return
  const where = workspaceId === undefined && scopesAnywhere(access).includes(missing) ? ' in all Workspaces' : ''
  throw forbidden(`The role ${role} has ${missing}, which you do not have${where}.`, {
    param: workspaceId === undefined ? 'role' : 'workspace_roles',
  })
}

/** Throws unless the acting operator has all scopes of these roles: a link or a new name concerns all of them. */
export function refuseUncovered(access: Access, roles: Roles): void {
  refuseMissingScope(access, undefined, roles.all)
  const visible = workspacesWith(access, 'operators:read')
  for (const [id, role] of roles.workspaces)
    if (visible === undefined || visible.includes(id)) refuseMissingScope(access, id, role)
  if (!covers(access, accessOf(roles)))
    throw forbidden(
      'This operator also has roles in other Workspaces. Remove their role in yours, or ask an owner of all Workspaces.',
    )
}

/** Whether the acting operator may know the operator: one with a role in all Workspaces, or in one where they read operators. */
export function canSee(access: Access, { roles }: Person): boolean {
  const visible = workspacesWith(access, 'operators:read')
  return visible === undefined || roles.all !== null || visible.some((id) => roles.workspaces.has(id))
}

/** The Workspaces whose audit logs record a change of these roles. A role in all Workspaces is recorded where the request was made. */
export const concerned = (workspaceIds: Iterable<string>, inAll: boolean, requestWorkspaceId: string): readonly string[] => {
  const ids = [...workspaceIds]
  return inAll || ids.length === 0 ? [...ids, requestWorkspaceId] : ids
}
