import type { ApiKey } from '../identity/api-key.ts'
import { findKeyByHash, listKeys, revokeKey } from '../identity/api-key-store.ts'
import type { ApplicationRecord } from '../identity/application.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredSecret } from './declaration.ts'
import { importKey, secretHash, secretProblem } from './imported-secret.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

const ALL = { limit: 100_000 }

/**
 * Keys are known by their names: a name whose variable holds another key than last time is rotated, the new key works from
 * now on and the old one no longer. Keys of other names are none of the file's business.
 */
export const applyKeys = (scope: Scope, application: ApplicationRecord, keys: readonly DeclaredSecret[]): Promise<Change[]> =>
  applyEach('keys', keys, (key) =>
    applyThing(scope.ledger, { object: 'key', name: `${application.name}/${key.name}`, declared: key }, () =>
      applyKey(scope, application, key),
    ),
  )

async function applyKey(
  { tx, workspaceId, now }: Scope,
  application: ApplicationRecord,
  { name, secret }: DeclaredSecret,
): Promise<Change[]> {
  const owner = { workspaceId, applicationId: application.id }
  const hash = secretHash(secret, 'gk_')
  if (!hash) throw new DeclarationConflict('from_env', `names a variable that ${secretProblem(secret, 'gk_')}`)
  const label = `${application.name}/${name}`
  const change = (done: Change['done'], id: string): Change => ({ done, object: 'key', id, name: label, fields: [] })

  const known = await findKeyByHash(tx, hash)
  if (known && known.application.id !== application.id) {
    throw new DeclarationConflict('from_env', 'names a key of another Application: every one needs its own')
  }
  if (known?.revokedAt) throw new DeclarationConflict('from_env', 'names a key that has been revoked: give it a new one')
  if (known) return [change('unchanged', known.keyId)]

  const rotated: Change[] = []
  const { data = [] } = (await listKeys(tx, owner, ALL)) ?? {}
  for (const old of data.filter((key: ApiKey) => key.name === name && key.revokedAt === null)) {
    await revokeKey(tx, workspaceId, old.id, now)
    rotated.push(change('revoked', old.id))
  }
  return [...rotated, change('issued', await importKey(tx, owner, { name, secret, hash }, now))]
}
