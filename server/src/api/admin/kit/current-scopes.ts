import { findAdminToken } from '../../../domains/operators/admin-token-store.ts'
import { lockPerson } from '../../../domains/operators/operator-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { type Access, accessOf, covers, NO_ACCESS } from '../../../shared/access.ts'
import type { Operator } from '../../../shared/operator.ts'

/**
 * Throws a 403 unless the operator still may do everything as at the authentication. The roles cannot change until `tx` ends: a removal
 * or a new role waits for this transaction, or this transaction waits for it.
 */
export async function refuseLostScopes(tx: Tx, operator: Operator): Promise<void> {
  if (covers(await lockAccess(tx, operator), operator.access)) return
  throw new GatehouseError('FORBIDDEN', {
    message: 'Your permissions changed during this request, so nothing was done. Sign in again.',
  })
}

/** The present access of an operator or admin token, which cannot change until `tx` ends. */
export const lockAccess = (tx: Tx, { id, kind }: Pick<Operator, 'id' | 'kind'>): Promise<Access> =>
  kind === 'person' ? accessOfPerson(tx, id) : accessOfToken(tx, id)

async function accessOfPerson(tx: Tx, id: string): Promise<Access> {
  const person = await lockPerson(tx, id)
  return person && person.state !== 'suspended' ? accessOf(person.roles) : NO_ACCESS
}

async function accessOfToken(tx: Tx, id: string): Promise<Access> {
  const issuer = (await findAdminToken(tx, id))?.issuedBy
  if (issuer) await lockPerson(tx, issuer)
  return (await findAdminToken(tx, id))?.access ?? NO_ACCESS
}
