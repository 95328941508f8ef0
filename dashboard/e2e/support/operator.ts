import type { Role } from '../../../server/src/shared/operator.ts'
import { PASSWORD, signInOperator } from '../../../server/test/support/operators.ts'
import type { Dashboard, Owner } from './dashboard.ts'

/** Creates an operator with a role. */
export async function operatorOf({ server }: Dashboard, role: Role): Promise<Owner> {
  const { email } = await signInOperator(server, role)
  return { email, password: PASSWORD }
}
