import { randomBytes } from 'node:crypto'
import { SERVER } from '../../domains/operators/invitation-store.ts'
import { createPerson, findPersonByEmail, setPassword } from '../../domains/operators/operator-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { NO_ROLES } from '../../shared/access.ts'
import { DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../shared/demo-words.ts'
import { type Change, changeOf } from '../setup/change.ts'

/** The owner, and a reviewer: an owner cannot approve holds of their own requests. */
export const newDemoOperators = () =>
  [
    { name: 'Demo owner', role: 'owner', email: DEMO_OWNER_EMAIL, password: newPassword() },
    { name: 'Demo reviewer', role: 'reviewer', email: DEMO_REVIEWER_EMAIL, password: newPassword() },
  ] as const

const newPassword = (): string => randomBytes(15).toString('base64url')

export async function seedOperator(
  tx: Tx,
  { name, role, email, password }: ReturnType<typeof newDemoOperators>[number],
  now: Date,
): Promise<Change> {
  // Imported here, because only the first start needs it and it loads slowly.
  const { hashPassword } = await import('better-auth/crypto')
  const known = await findPersonByEmail(tx, email)
  const operator = known ?? (await createPerson(tx, { name, email, roles: { ...NO_ROLES, all: role } }, now))
  if (!operator) throw new Error(`the operator ${email} of the demo could not be created`)
  const { id } = operator
  await setPassword(tx, id, await hashPassword(password), SERVER, now)
  return changeOf('operator', known ? 'updated' : 'created', { id, name: email }, known ? ['password'] : [])
}
