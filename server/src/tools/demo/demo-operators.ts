import { randomBytes } from 'node:crypto'
import { SERVER } from '../../domains/operators/invitation-store.ts'
import { createPerson, findPersonByEmail, setPassword } from '../../domains/operators/operator-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { NO_ROLES } from '../../shared/access.ts'
import { DEMO_OWNER_EMAIL, DEMO_REVIEWER_EMAIL } from '../../shared/demo-words.ts'
import type { Change } from '../setup/change.ts'

const PASSWORD_BYTES = 15

/** An operator account of the demo, for signing in to the dashboard. */
export interface DemoOperator {
  readonly email: string
  readonly password: string
}

const NAMES = { [DEMO_OWNER_EMAIL]: 'Demo owner', [DEMO_REVIEWER_EMAIL]: 'Demo reviewer' } as const
const ROLES = { [DEMO_OWNER_EMAIL]: 'owner', [DEMO_REVIEWER_EMAIL]: 'reviewer' } as const
type DemoEmail = keyof typeof NAMES

/** The owner, and a reviewer: an owner cannot approve holds of their own requests. */
export const newDemoOperator = (email: DemoEmail) => ({ email, password: randomBytes(PASSWORD_BYTES).toString('base64url') })

/** Creates the operator, or replaces the password. */
export async function seedOperator(tx: Tx, { email, password }: ReturnType<typeof newDemoOperator>, now: Date): Promise<Change> {
  // Imported here, because only the first start needs it and it loads slowly.
  const { hashPassword } = await import('better-auth/crypto')
  const known = await findPersonByEmail(tx, email)
  const operator =
    known ?? (await createPerson(tx, { name: NAMES[email], email, roles: { ...NO_ROLES, all: ROLES[email] } }, now))
  if (!operator) throw new Error(`the operator ${email} of the demo could not be created`)
  await setPassword(tx, operator.id, await hashPassword(password), SERVER, now)
  return {
    done: known ? 'updated' : 'created',
    object: 'operator',
    id: operator.id,
    name: email,
    fields: known ? ['password'] : [],
  }
}
