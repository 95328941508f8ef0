import type { Scope } from './scope.ts'

/** Roles of operators, the most powerful first; domain/roles.ts has their scopes. */
export const ROLES = ['owner', 'policy_author', 'reviewer', 'auditor', 'read_only'] as const
export type Role = (typeof ROLES)[number]

/** A person who has signed in (`opr_…`), or automation with an admin token (`adm_…`). */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly kind: 'person' | 'token'
  readonly scopes: readonly Scope[]
}

/** Topic of db/signal.ts: an operator's role has changed, an operator has been removed, or a session has ended. */
export const OPERATORS_TOPIC = 'operators'
