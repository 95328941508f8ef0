import { READ_SCOPES, SCOPES, type Scope } from '../domain/scope.ts'

export const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
export type Role = (typeof ROLES)[number]

const readsBut = (...hidden: readonly Scope[]): readonly Scope[] => READ_SCOPES.filter((scope) => !hidden.includes(scope))

/** What each role may: a role is no more than a name for a set of scopes. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  policy_author: [...readsBut('operators:read'), 'policies:write', 'playground:use'],
  reviewer: ['applications:read', 'policies:read', 'audit:read', 'reviews:read', 'reviews:write', 'reviews:content'],
  auditor: [...READ_SCOPES, 'reviews:content', 'audit:write'],
  read_only: readsBut('operators:read', 'memory:read'),
}
