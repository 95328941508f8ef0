import { Type } from 'typebox'
import type { Person } from '../../../domains/operators/operator.ts'
import { Name, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { type Access, workspacesWith } from '../../../shared/access.ts'
import { ROLES } from '../../../shared/operator.ts'
import { nullable } from '../../../shared/schemas.ts'
import { SCOPES } from '../../../shared/scope.ts'

const Email = Type.String({ maxLength: 200, pattern: '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$' })
const RoleName = oneOf(ROLES, 'Role')

const WorkspaceRole = Type.Object({ workspace_id: Type.String(), role: RoleName }, { title: 'WorkspaceRole' })
const MAX_WORKSPACES = 100

export const OperatorCreate = Type.Object({
  email: Email,
  name: Name,
  role: Type.Optional({ ...nullable(RoleName), description: 'Role in all Workspaces. null: none.' }),
  workspace_roles: Type.Optional(
    Type.Array(WorkspaceRole, { maxItems: MAX_WORKSPACES, description: 'Roles in single Workspaces.' }),
  ),
})

export const OperatorPatch = Type.Object({
  name: Type.Optional(Name),
  role: Type.Optional({ ...nullable(RoleName), description: 'Role in all Workspaces. null: none.' }),
  workspace_roles: Type.Optional(
    Type.Array(Type.Object({ workspace_id: Type.String(), role: nullable(RoleName) }), {
      maxItems: MAX_WORKSPACES,
      description: 'Roles in single Workspaces. null removes a role. Workspaces that are not named keep theirs.',
    }),
  ),
})

export const OperatorView = Type.Object({
  id: Type.String(),
  object: Type.Literal('operator'),
  email: Type.String(),
  name: Type.String(),
  role: { ...nullable(RoleName), description: 'Role in all Workspaces. null: none.' },
  workspace_roles: Type.Array(WorkspaceRole, {
    description: 'Roles in single Workspaces, which add to `role`. Only Workspaces in which you may read operators.',
  }),
  state: {
    ...oneOf(['invited', 'active', 'suspended']),
    description:
      'invited: has not signed in yet. suspended: single sign-on no longer gives a role; a new role ends the suspension.',
  },
  two_factor: Type.Boolean(),
  last_signed_in_at: nullable(Timestamp),
  created_at: Timestamp,
})

export const InvitationView = Type.Object({
  object: Type.Literal('invitation'),
  url: Type.String({ description: 'Can be used once, within 7 days. Only this response contains it.' }),
  operator: OperatorView,
})

export const SessionView = Type.Object({
  object: Type.Literal('session'),
  operator: Type.Object({
    id: Type.String(),
    kind: oneOf(['person', 'token']),
    name: Type.String(),
    email: nullable(Type.String()),
    role: { ...nullable(RoleName), description: 'Role in all Workspaces.' },
    two_factor: Type.Boolean(),
  }),
  scopes: Type.Array(oneOf(SCOPES, 'Scope'), { description: 'Scopes in all Workspaces and for the server.' }),
  workspaces: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      role: { ...nullable(RoleName), description: 'Role in this Workspace; null for a token.' },
      scopes: Type.Array(oneOf(SCOPES, 'Scope'), { description: 'Scopes in this Workspace.' }),
    }),
    { description: 'The Workspaces that the operator can enter, oldest first.' },
  ),
  version: Type.String({ description: 'Version of the server.' }),
})

export function operatorView(person: Person, viewer: Access) {
  const visible = workspacesWith(viewer, 'operators:read')
  return viewOf(OperatorView, person, {
    role: person.roles.all,
    workspace_roles: [...person.roles.workspaces]
      .filter(([id]) => visible === undefined || visible.includes(id))
      .map(([workspace_id, role]) => ({ workspace_id, role })),
  })
}
