import { READ_SCOPES, SCOPES, type Scope } from './scope.ts'

export const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
export type Role = (typeof ROLES)[number]

export interface Roles {
  readonly all: Role | null
  /** By id of the Workspace (`ws_…`). */
  readonly workspaces: ReadonlyMap<string, Role>
}

export interface Access {
  /** Scopes in all Workspaces and for the server itself. */
  readonly all: readonly Scope[]
  /** Scopes by Workspace, including those of `all`. Workspaces without an entry have the scopes of `all`. */
  readonly workspaces: ReadonlyMap<string, readonly Scope[]>
}

/** A person who has signed in (`opr_…`), or automation with an admin token (`adm_…`). */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly kind: 'person' | 'token'
  readonly access: Access
  /** Scopes for the current request: in its Workspace, or in all Workspaces if it concerns the server. */
  readonly scopes: readonly Scope[]
}

/** Topic of platform/db/signal.ts: an operator's role has changed, an operator has been removed, or a session has ended. */
export const OPERATORS_TOPIC = 'operators'

const readsBut = (...hidden: readonly Scope[]): readonly Scope[] => READ_SCOPES.filter((scope) => !hidden.includes(scope))

export const ROLE_SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  policy_author: [...readsBut('operators:read'), 'policies:write', 'knowledge:content', 'playground:use'],
  reviewer: ['applications:read', 'policies:read', 'audit:read', 'reviews:read', 'reviews:write', 'reviews:content'],
  auditor: [...READ_SCOPES, 'reviews:content', 'knowledge:content', 'audit:write'],
  read_only: readsBut('operators:read', 'memory:read'),
}

const CAUSING: readonly Scope[] = ['applications:write', 'people:write', 'operators:write', 'workspaces:write', 'playground:use']

export const causingScope = (scopes: readonly Scope[]): Scope | undefined => CAUSING.find((scope) => scopes.includes(scope))

/** The stored role; one that this version does not know counts as the least powerful. */
export const roleOf = (stored: string): Role => ROLES.find((role) => role === stored) ?? 'read_only'
