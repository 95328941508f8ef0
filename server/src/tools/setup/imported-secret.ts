import { announceKey } from '../../domains/identity/announce-key.ts'
import { keyOf } from '../../domains/identity/api-key.ts'
import { uuidsOfWorkspaces } from '../../domains/operators/admin-token-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type CredentialPrefix, readBearer } from '../../platform/lib/credential.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'

/** Length of the start of a key that is stored, so that operators recognise it. Issued keys have the same (platform/lib/credential.ts). */
const HINT_LENGTH = 7

/** SHA-256 of a key or token that was created elsewhere. Returns undefined if the authenticators would refuse its format. */
export function hashSecret(secret: string, prefix: CredentialPrefix): Buffer | undefined {
  const hash = readBearer(`Bearer ${secret}`, prefix)
  return hash === undefined ? undefined : Buffer.from(hash, 'hex')
}

/** Says why a variable holds no usable key or token, as the end of a sentence. Never contains the value. */
export function describeSecretProblem(secret: string, prefix: CredentialPrefix): string | undefined {
  if (hashSecret(secret, prefix)) return undefined
  const command = `echo "${prefix}$(openssl rand -base64 32 | tr '+/' '-_' | tr -d =)"`
  return `${secret === '' ? 'is not set' : 'does not hold a usable value'}; create one with: ${command}`
}

/** Stores the hash of an existing key of an Application. Returns its id (`key_…`). */
export async function importKey(
  tx: Tx,
  { workspaceId, applicationId }: { workspaceId: string; applicationId: string },
  { name, secret, hash }: { name: string; secret: string; hash: Buffer },
  now: Date,
): Promise<string> {
  const id = newUuid()
  const row = await tx
    .insertInto('api_key')
    .values({
      id,
      workspace_id: fromId('ws', workspaceId) ?? '',
      application_id: fromId('app', applicationId) ?? '',
      name,
      hash,
      hint: secret.slice(0, HINT_LENGTH),
      created_at: now,
      revoked_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await announceKey(tx, workspaceId, 'key.created', keyOf(row))
  return toId('key', id)
}

/** Stores the hash of an existing admin token. Returns its id (`adm_…`). */
export async function importAdminToken(
  tx: Tx,
  { name, hash, workspaceIds = null }: { name: string; hash: Buffer; workspaceIds?: readonly string[] | null },
  now: Date,
): Promise<string> {
  const id = newUuid()
  await tx
    .insertInto('admin_token')
    .values({ id, name, hash, workspace_ids: uuidsOfWorkspaces(workspaceIds), scopes: null, created_at: now, revoked_at: null })
    .execute()
  return toId('adm', id)
}
