import { randomBytes } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import { SERVER } from '../operators/invitation-store.ts'
import { createPerson, findPersonByEmail, setPassword } from '../operators/operator-store.ts'
import type { Change } from '../setup/change.ts'

const EMAIL = 'owner@demo.example'
const PASSWORD_BYTES = 15

/** Who operates the demo from the dashboard. */
export interface DemoOwner {
  readonly email: string
  readonly password: string
}

export const newDemoOwner = (): DemoOwner => ({ email: EMAIL, password: randomBytes(PASSWORD_BYTES).toString('base64url') })

/** Lets the owner sign in with that password, and with no older one. */
export async function seedOwner(tx: Tx, { email, password }: DemoOwner, now: Date): Promise<Change> {
  // Loaded here: it is needed at a first start only, and every start would wait for it.
  const { hashPassword } = await import('better-auth/crypto')
  const known = await findPersonByEmail(tx, email)
  const owner = known ?? (await createPerson(tx, { name: 'Demo owner', email, role: 'owner' }, now))
  if (!owner) throw new Error('the owner of the demo could not be made')
  await setPassword(tx, owner.id, await hashPassword(password), SERVER, now)
  return { done: known ? 'updated' : 'created', object: 'operator', id: owner.id, name: email, fields: known ? ['password'] : [] }
}
