import type { Tx } from '../../db/database.ts'
import type { Operator } from '../../domain/operator.ts'
import { ROLE_SCOPES } from '../../domain/roles.ts'
import type { Scope } from '../../domain/scope.ts'
import { GatehouseError } from '../../errors.ts'
import { findAdminToken } from '../../operators/admin-token-store.ts'
import { lockPerson } from '../../operators/operator-store.ts'

/**
 * Throws a 403 unless the operator still has all scopes of the authentication. The role cannot change until `tx` ends: a removal or a
 * new role waits for this transaction, or this transaction waits for it.
 */
export async function refuseLostScopes(tx: Tx, operator: Operator): Promise<void> {
  const scopes = operator.kind === 'person' ? await scopesOfPerson(tx, operator.id) : await scopesOfToken(tx, operator.id)
  if (operator.scopes.every((scope) => scopes.includes(scope))) return
  throw new GatehouseError('FORBIDDEN', {
    message: 'Your permissions changed during this request, so nothing was done. Sign in again.',
  })
}

async function scopesOfPerson(tx: Tx, id: string): Promise<readonly Scope[]> {
  const person = await lockPerson(tx, id)
  return person && person.state !== 'suspended' ? ROLE_SCOPES[person.role] : []
}

async function scopesOfToken(tx: Tx, id: string): Promise<readonly Scope[]> {
  const issuer = (await findAdminToken(tx, id))?.issuedBy
  if (issuer) await lockPerson(tx, issuer)
  return (await findAdminToken(tx, id))?.effectiveScopes ?? []
}
