import type { Tx } from '../db/database.ts'
import { type CredentialPrefix, readBearer } from '../lib/credential.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'

/** Letters of a key that are kept for people to tell keys apart, as with keys that are issued here (lib/credential.ts). */
const HINT_LENGTH = 7

/** SHA-256 of a key or token that was made outside; undefined when the authenticators would not read it as one. */
export function secretHash(secret: string, prefix: CredentialPrefix): Buffer | undefined {
  const hash = readBearer(`Bearer ${secret}`, prefix)
  return hash === undefined ? undefined : Buffer.from(hash, 'hex')
}

/** What is wrong with the value of a variable that should hold a key or token; goes on after “which …”. Never quotes it. */
export function secretProblem(secret: string, prefix: CredentialPrefix): string | undefined {
  if (secretHash(secret, prefix)) return undefined
  const make = `echo "${prefix}$(openssl rand -base64 32 | tr '+/' '-_' | tr -d =)"`
  return `${secret === '' ? 'is not set' : 'does not hold a usable value'}; make one with: ${make}`
}

/** Lets a key that exists already open an Application. Answers its id, `key_…`. */
export async function importKey(
  tx: Tx,
  { workspaceId, applicationId }: { workspaceId: string; applicationId: string },
  { name, secret, hash }: { name: string; secret: string; hash: Buffer },
  now: Date,
): Promise<string> {
  const id = newUuid()
  await tx
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
    .execute()
  return toId('key', id)
}

/** Lets a token that exists already operate the server. Answers its id, `adm_…`. */
export async function importAdminToken(tx: Tx, { name, hash }: { name: string; hash: Buffer }, now: Date): Promise<string> {
  const id = newUuid()
  await tx.insertInto('admin_token').values({ id, name, hash, scopes: null, created_at: now, revoked_at: null }).execute()
  return toId('adm', id)
}
