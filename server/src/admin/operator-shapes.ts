import { Type } from 'typebox'
import { Name, oneOf, Timestamp } from '../applications/shapes.ts'
import { ROLES } from '../domain/operator.ts'
import { SCOPES } from '../domain/scope.ts'
import type { Person } from '../operators/operator.ts'
import { nullable } from './shapes.ts'

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
      'invited: has not come yet. suspended: single sign-on names no role for them any more; a role that it names, or that an operator gives them, ends this.',
  },
  two_factor: Type.Boolean(),
  last_signed_in_at: nullable(Timestamp),
  created_at: Timestamp,
})

export const InvitationView = Type.Object({
  object: Type.Literal('invitation'),
  url: Type.String({ description: 'Opens once, for 7 days. It is in this answer, and nowhere afterwards.' }),
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
  version: Type.String({ description: "The server's." }),
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
