import type { Scope } from './scope.ts'

/** What people may who operate the server: domain/roles.ts has the scopes. The one that may most stands first. */
export const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
export type Role = (typeof ROLES)[number]

/** Who operates the server: a person who has signed in (`opr_…`), or automation with an admin token (`adm_…`). */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly kind: 'person' | 'token'
  readonly scopes: readonly Scope[]
}

/** Topic of db/signal.ts: an operator's role has changed, an operator has been removed, or a session has ended. */
export const OPERATORS_TOPIC = 'operators'
