import type { Role } from '../domain/operator.ts'

/** A person who operates the server, of whatever Workspace. */
export interface Person {
  /** `opr_…` */
  readonly id: string
  readonly name: string
  /** In lower case. */
  readonly email: string
  readonly role: Role
  /** invited: has no way to sign in yet. suspended: single sign-on names no role for them any more. */
  readonly state: 'invited' | 'active' | 'suspended'
  readonly twoFactor: boolean
  readonly lastSignedInAt: Date | null
  readonly createdAt: Date
}

/** What an invitation says of somebody. */
export interface NewPerson {
  readonly name: string
  readonly email: string
  readonly role: Role
}
