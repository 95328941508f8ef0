import type { Role, SessionWorkspace } from '../../api/session.ts'
import type { Operator } from './operator.ts'

/** Value of a select input for no role. */
export const NO_ROLE = 'none'

export interface RoleValues {
  /** In all Workspaces. */
  role: Role | typeof NO_ROLE
  workspaceRoles: { workspaceId: string; role: Role }[]
}

export const valuesOf = ({ role, workspace_roles }: Pick<Operator, 'role' | 'workspace_roles'>): RoleValues => ({
  role: role ?? NO_ROLE,
  workspaceRoles: workspace_roles.map((one) => ({ workspaceId: one.workspace_id, role: one.role })),
})

export const hasRole = ({ role, workspaceRoles }: RoleValues): boolean => role !== NO_ROLE || workspaceRoles.length > 0

/** Fields of the request for a new operator. A role in all Workspaces is left out by operators who cannot give one. */
export const rolesBody = ({ role, workspaceRoles }: RoleValues) => ({
  ...(role !== NO_ROLE && { role }),
  ...(workspaceRoles.length > 0 && {
    workspace_roles: workspaceRoles.map((one) => ({ workspace_id: one.workspaceId, role: one.role })),
  }),
})

/** Only the roles that differ: other changes by other operators stay. null removes a role. */
export function changedRolesBody(before: RoleValues, after: RoleValues) {
  const roleIn = (values: RoleValues, id: string) => values.workspaceRoles.find((one) => one.workspaceId === id)?.role ?? null
  const ids = new Set([...before.workspaceRoles, ...after.workspaceRoles].map(({ workspaceId }) => workspaceId))
  const changed = [...ids].filter((id) => roleIn(before, id) !== roleIn(after, id))
  return {
    ...(before.role !== after.role && { role: after.role === NO_ROLE ? null : after.role }),
    ...(changed.length > 0 && { workspace_roles: changed.map((id) => ({ workspace_id: id, role: roleIn(after, id) })) }),
  }
}

export const nameOf = (workspaces: readonly SessionWorkspace[], id: string): string =>
  workspaces.find((one) => one.id === id)?.name ?? id
