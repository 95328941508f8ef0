import { findAdminToken } from '../applications/admin-token-store.ts'
import type { Tx } from '../db/database.ts'
import type { Operator } from '../domain/operator.ts'
import { ROLE_SCOPES } from '../domain/roles.ts'
import type { Scope } from '../domain/scope.ts'
import { GatehouseError } from '../errors.ts'
import { lockPerson } from '../operators/operator-store.ts'

/**
 * Throws a 403 unless the operator still has every scope that they had when the request was authenticated. Until `tx` ends their
 * role stays: a removal or a new role waits for this transaction, or this transaction waits for it and sees it.
 */
export async function refuseLostScopes(tx: Tx, operator: Operator): Promise<void> {
  const scopes = operator.kind === 'person' ? await scopesOfPerson(tx, operator.id) : await scopesOfToken(tx, operator.id)
  if (operator.scopes.every((scope) => scopes.includes(scope))) return
  throw new GatehouseError('FORBIDDEN', {
    message: 'What you may do was changed while this request was under way, so nothing was done. Sign in or ask again.',
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
