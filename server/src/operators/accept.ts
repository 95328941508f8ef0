import type { Db } from '../db/database.ts'
import { findInvitation, takeInvitation } from './invitation-store.ts'
import { createPerson, findPerson, setPassword, updatePerson } from './operator-store.ts'

export interface Acceptance {
  readonly token: string
  readonly password: string
  /** Needed of the first owner; others may correct the name they were invited by. */
  readonly name?: string | undefined
  readonly email?: string | undefined
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly email: string }
  | { readonly kind: 'unknown' }
  /** The first owner has not said how they are called, or under which address they sign in. */
  | { readonly kind: 'missing'; readonly param: 'name' | 'email' }
  | { readonly kind: 'taken' }

/** Redeems an invitation: makes the first owner, or gives somebody who was invited, or has lost it, a password. */
export async function acceptInvitation(
  db: Db,
  { token, password, name, email }: Acceptance,
  { now, hash }: { readonly now: Date; readonly hash: (password: string) => Promise<string> },
): Promise<Accepted> {
  const invitation = await findInvitation(db, token, now)
  if (!invitation) return { kind: 'unknown' }
  if (invitation.operatorId === null && name === undefined) return { kind: 'missing', param: 'name' }
  if (invitation.operatorId === null && email === undefined) return { kind: 'missing', param: 'email' }
  // Takes its time on purpose, so not within the transaction.
  const passwordHash = await hash(password)
  return db.transaction().execute(async (tx) => {
    const taken = await takeInvitation(tx, token, now)
    if (!taken) return { kind: 'unknown' }
    const person =
      taken.operatorId === null
        ? await createPerson(tx, { name: name ?? '', email: email ?? '', role: 'owner' }, now)
        : (name !== undefined && (await updatePerson(tx, taken.operatorId, { name }, now))) ||
          (await findPerson(tx, taken.operatorId))
    if (!person) return { kind: 'taken' }
    await setPassword(tx, person.id, passwordHash, now)
    return { kind: 'accepted', email: person.email }
  })
}
