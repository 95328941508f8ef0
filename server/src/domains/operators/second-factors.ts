import type { Db } from '../../platform/db/database.ts'
import { deriveKey } from '../../platform/lib/derived-key.ts'
import { listSecretKeys, type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'

const VERSION_DIGITS = 8

/** The first secret signs cookies and encrypts. Encrypted values carry its version, which is the begin of the key's id. */
export const signInSecrets = (keys: SecretKeys) =>
  listSecretKeys(keys).map((key) => {
    const id = secretKeyId(key)
    return {
      id,
      version: Number.parseInt(id.slice(0, VERSION_DIGITS), 16),
      value: deriveKey(key, 'sign-in').toString('base64url'),
    }
  })

const selectSecondFactors = (db: Db) =>
  db.selectFrom('operator_second_factor').select(['id', 'secret', 'backup_codes']).orderBy('id')

export async function resealSecondFactors(db: Db, keys: SecretKeys): Promise<{ resealed: number; unreadable: number }> {
  const ring = signInSecrets(keys)
  const currentVersion = ring[0]?.version ?? 0
  const key = { keys: new Map(ring.map(({ version, value }) => [version, value])), currentVersion }
  // Loaded when it is first needed, as the rest of the library.
  const { parseEnvelope, symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const renew = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) })
  const counts = { resealed: 0, unreadable: 0 }
  for (const { id, secret, backup_codes } of await selectSecondFactors(db).execute()) {
    if ([secret, backup_codes].every((value) => parseEnvelope(value)?.version === currentVersion)) continue
    const values = await Promise.all([renew(secret), renew(backup_codes)]).catch(() => undefined)
    if (!values) {
      counts.unreadable += 1
      continue
    }
    // An operator may have changed the second factor since.
    const { numUpdatedRows } = await db
      .updateTable('operator_second_factor')
      .set({ secret: values[0], backup_codes: values[1] })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .where('backup_codes', '=', backup_codes)
      .executeTakeFirst()
    counts.resealed += Number(numUpdatedRows)
  }
  return counts
}

/** Number of second factors by the id of their keys: one with two keys counts for both. Empty: no configured key. */
export async function countSecondFactors(db: Db, keys: SecretKeys): Promise<ReadonlyMap<string, number>> {
  const { parseEnvelope } = await import('better-auth/crypto')
  const ids = new Map<number | undefined, string>(signInSecrets(keys).map(({ version, id }) => [version, id]))
  const rows = await selectSecondFactors(db).execute()
  const used = rows.flatMap(({ secret, backup_codes }) => [
    ...new Set([secret, backup_codes].map((value) => ids.get(parseEnvelope(value)?.version) ?? '')),
  ])
  return new Map([...Map.groupBy(used, (id) => id)].map(([id, all]) => [id, all.length]))
}
