import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { findInvitation, takeInvitation } from './invitation-store.ts'
import type { RecordOperatorEvent } from './operator-event.ts'
import { createPerson, findPerson, hasPeople, setPassword, updatePerson } from './operator-store.ts'

export interface Acceptance {
  readonly token: string
  readonly password: string
  /** Needed of the first owner; others may correct the name they were invited by. */
  readonly name?: string | undefined
  readonly email?: string | undefined
}

export interface AcceptDeps {
  readonly db: Db
  readonly clock: Clock
  readonly record: RecordOperatorEvent
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly email: string }
  | { readonly kind: 'unknown' }
  /** The first owner has not said how they are called, or under which address they sign in. */
  | { readonly kind: 'missing'; readonly param: 'name' | 'email' }
  | { readonly kind: 'taken' }

/** Redeems an invitation: makes the first owner, or gives somebody who was invited, or has lost it, a password. */
export async function acceptInvitation(
  { db, clock, record }: AcceptDeps,
  { token, password, name, email }: Acceptance,
  hash: (password: string) => Promise<string>,
): Promise<Accepted> {
  const now = clock.now()
  const invitation = await findInvitation(db, token, now)
  if (!invitation) return { kind: 'unknown' }
  if (invitation.operatorId === null && name === undefined) return { kind: 'missing', param: 'name' }
  if (invitation.operatorId === null && email === undefined) return { kind: 'missing', param: 'email' }
  // Takes its time on purpose, so not within the transaction.
  const passwordHash = await hash(password)
  return db.transaction().execute(async (tx) => {
    const taken = await takeInvitation(tx, token, now)
    const isFirst = taken?.operatorId === null
    if (!taken || (isFirst && (await hasPeople(tx)))) return { kind: 'unknown' }
    const person =
      taken.operatorId === null
        ? await createPerson(tx, { name: name ?? '', email: email ?? '', role: 'owner' }, now)
        : (name !== undefined && (await updatePerson(tx, taken.operatorId, { name }, now))) ||
          (await findPerson(tx, taken.operatorId))
    if (!person) return { kind: 'taken' }
    await setPassword(tx, person.id, passwordHash, taken.issuedBy, now)
    const fields = ['password', ...(name === undefined ? [] : ['name']), ...(isFirst ? ['email', 'role'] : [])]
    await record(tx, { action: 'operator.accept', id: person.id, fields, actor: person.id })
    return { kind: 'accepted', email: person.email }
  })
}
