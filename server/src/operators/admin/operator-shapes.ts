import { Type } from 'typebox'
import { ROLES } from '../../domain/operator.ts'
import { SCOPES } from '../../domain/scope.ts'
import { nullable } from '../../http/schemas.ts'
import { Name, oneOf, Timestamp } from '../../lib/fields.ts'
import type { Person } from '../operator.ts'

const Email = Type.String({ maxLength: 200, pattern: '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$' })
const RoleName = oneOf(ROLES)

export const OperatorCreate = Type.Object({ email: Email, name: Name, role: RoleName })

export const OperatorPatch = Type.Object({ name: Type.Optional(Name), role: Type.Optional(RoleName) })

export const OperatorView = Type.Object({
  id: Type.String(),
  object: Type.Literal('operator'),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
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
    role: nullable(RoleName),
    two_factor: Type.Boolean(),
  }),
  scopes: Type.Array(oneOf(SCOPES)),
  workspaces: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  version: Type.String({ description: 'Version of the server.' }),
})

export const operatorView = (person: Person) => ({
  id: person.id,
  object: 'operator' as const,
  email: person.email,
  name: person.name,
  role: person.role,
  state: person.state,
  two_factor: person.twoFactor,
  last_signed_in_at: person.lastSignedInAt?.toISOString() ?? null,
  created_at: person.createdAt.toISOString(),
})
