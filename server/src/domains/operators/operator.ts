import type { Roles } from '../../shared/access.ts'

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly roles: Roles
  /** invited: cannot sign in yet. suspended: single sign-on no longer gives a role. */
  readonly state: 'invited' | 'active' | 'suspended'
  readonly twoFactor: boolean
  readonly lastSignedInAt: Date | null
  readonly createdAt: Date
}
