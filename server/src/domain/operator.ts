import type { Scope } from './scope.ts'

/** Who operates the server: a person who has signed in (`opr_…`), or automation with an admin token (`adm_…`). */
export interface Operator {
  readonly id: string
  readonly name: string
  readonly kind: 'person' | 'token'
  readonly scopes: readonly Scope[]
}
