import { NO_ROLES } from '../../shared/access.ts'
import { findInvitation, takeInvitation } from './invitation-store.ts'
import type { OperatorEventDeps } from './operator-event.ts'
import { createPerson, findPerson, hasPeople, setPassword, updatePerson } from './operator-store.ts'

export interface Acceptance {
  readonly token: string
  readonly password: string
  /** Required for the first owner. Invited operators can correct their names. */
  readonly name?: string | undefined
  readonly email?: string | undefined
}

export type AcceptanceResult =
  | { readonly kind: 'accepted'; readonly email: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'missing'; readonly param: 'name' | 'email' }
  | { readonly kind: 'taken' }

/** Accepts an invitation: creates the first owner, or sets the password of an invited operator. */
export async function acceptInvitation(
  { db, clock, record }: OperatorEventDeps,
  { token, password, name, email }: Acceptance,
  hash: (password: string) => Promise<string>,
): Promise<AcceptanceResult> {
  const now = clock.now()
  const invitation = await findInvitation(db, token, now)
  if (!invitation) return { kind: 'unknown' }
  if (invitation.operatorId === null && name === undefined) return { kind: 'missing', param: 'name' }
  if (invitation.operatorId === null && email === undefined) return { kind: 'missing', param: 'email' }
  // Hashing is slow, so it is done before the transaction.
  const passwordHash = await hash(password)
  return db.transaction().execute(async (tx) => {
    const taken = await takeInvitation(tx, token, now)
    const isFirst = taken?.operatorId === null
    if (!taken || (isFirst && (await hasPeople(tx)))) return { kind: 'unknown' }
    const person =
      taken.operatorId === null
        ? await createPerson(tx, { name: name ?? '', email: email ?? '', roles: { ...NO_ROLES, all: 'owner' } }, now)
        : await (name === undefined ? findPerson(tx, taken.operatorId) : updatePerson(tx, taken.operatorId, { name }, now))
    if (!person) return { kind: 'taken' }
    await setPassword(tx, person.id, passwordHash, taken.issuedBy, now)
    const fields = ['password', ...(name === undefined ? [] : ['name']), ...(isFirst ? ['email', 'role'] : [])]
    await record(tx, { action: 'operator.accept', id: person.id, fields, actor: person.id })
    return { kind: 'accepted', email: person.email }
  })
}
