import type { ApiKey } from '../../domains/identity/api-key.ts'
import { findKeyByHash, listKeys, revokeKey } from '../../domains/identity/api-key-store.ts'
import type { ApplicationRecord } from '../../domains/identity/application.ts'
import { applyEach, type Change, DeclarationConflict } from './change.ts'
import type { DeclaredSecret } from './declaration.ts'
import { describeSecretProblem, hashSecret, importKey } from './imported-secret.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

const ALL = { limit: 100_000 }

/**
 * Identifies keys by their names. A variable with another key than last time revokes the old key and adds the new one. Keys with
 * other names stay as they are.
 */
export const applyKeys = (
  context: ApplyContext,
  application: ApplicationRecord,
  keys: readonly DeclaredSecret[],
): Promise<Change[]> =>
  applyEach('keys', keys, (key) =>
    applyItem(context.ledger, { object: 'key', name: `${application.name}/${key.name}`, declared: key }, () =>
      applyKey(context, application, key),
    ),
  )

async function applyKey(
  { tx, workspaceId, now }: ApplyContext,
  application: ApplicationRecord,
  { name, secret }: DeclaredSecret,
): Promise<Change[]> {
  const owner = { workspaceId, applicationId: application.id }
  const hash = hashSecret(secret, 'gk_')
  if (!hash) throw new DeclarationConflict('from_env', `names a variable that ${describeSecretProblem(secret, 'gk_')}`)
  const label = `${application.name}/${name}`
  const change = (done: Change['done'], id: string): Change => ({ done, object: 'key', id, name: label, fields: [] })

  const known = await findKeyByHash(tx, hash)
  if (known && known.application.id !== application.id) {
    throw new DeclarationConflict('from_env', 'names a key of another Application: each Application needs its own')
  }
  if (known?.revokedAt) throw new DeclarationConflict('from_env', 'names a key that has been revoked: set a new one')
  if (known) return [change('unchanged', known.keyId)]

  const revoked: Change[] = []
  const { data = [] } = (await listKeys(tx, owner, ALL)) ?? {}
  for (const old of data.filter((key: ApiKey) => key.name === name && key.revokedAt === null)) {
    await revokeKey(tx, workspaceId, old.id, now)
    revoked.push(change('revoked', old.id))
  }
  return [...revoked, change('issued', await importKey(tx, owner, { name, secret, hash }, now))]
}
