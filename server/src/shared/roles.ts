import { ROLES, type Role } from './operator.ts'
import { READ_SCOPES, SCOPES, type Scope } from './scope.ts'

const readsBut = (...hidden: readonly Scope[]): readonly Scope[] => READ_SCOPES.filter((scope) => !hidden.includes(scope))

export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  policy_author: [...readsBut('operators:read'), 'policies:write', 'knowledge:content', 'playground:use'],
  reviewer: ['applications:read', 'policies:read', 'audit:read', 'reviews:read', 'reviews:write', 'reviews:content'],
  auditor: [...READ_SCOPES, 'reviews:content', 'knowledge:content', 'audit:write'],
  read_only: readsBut('operators:read', 'memory:read'),
}

/** Scopes that allow an operator to send requests, or to create keys, tokens and operators that can. */
const CAUSING: readonly Scope[] = ['applications:write', 'people:write', 'operators:write', 'workspaces:write', 'playground:use']

/** The first of these scopes with which requests can be caused; undefined: none. */
export const causingScope = (scopes: readonly Scope[]): Scope | undefined => CAUSING.find((scope) => scopes.includes(scope))

/** The stored role; one that this version does not know counts as the least powerful. */
export const roleOf = (stored: string): Role => ROLES.find((role) => role === stored) ?? 'read_only'
