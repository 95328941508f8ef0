import { randomBytes } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { SERVER } from '../operators/invitation-store.ts'
import { createPerson, findPersonByEmail, setPassword } from '../operators/operator-store.ts'
import type { Change } from '../setup/change.ts'

const EMAIL = 'owner@demo.example'
const PASSWORD_BYTES = 15

/** The operator account of the demo, for signing in to the dashboard. */
export interface DemoOwner {
  readonly email: string
  readonly password: string
}

export const newDemoOwner = (): DemoOwner => ({ email: EMAIL, password: randomBytes(PASSWORD_BYTES).toString('base64url') })

/** Creates the owner, or replaces the password. */
export async function seedOwner(tx: Tx, { email, password }: DemoOwner, now: Date): Promise<Change> {
  // Imported here, because only the first start needs it and it loads slowly.
  const { hashPassword } = await import('better-auth/crypto')
  const known = await findPersonByEmail(tx, email)
  const owner = known ?? (await createPerson(tx, { name: 'Demo owner', email, role: 'owner' }, now))
  if (!owner) throw new Error('the owner of the demo could not be created')
  await setPassword(tx, owner.id, await hashPassword(password), SERVER, now)
  return { done: known ? 'updated' : 'created', object: 'operator', id: owner.id, name: email, fields: known ? ['password'] : [] }
}
