import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { Db } from '../../platform/db/database.ts'
import { deriveKey } from '../../platform/lib/derived-key.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { createFirstSeal, formatSeal } from './checkpoints/log-seal.ts'
import { type KeyedHasher, keyedHasher } from './record/hashes.ts'

/** Purposes of derived keys. Content hashes and signatures have separate keys. */
export type KeyPurpose = 'review binding' | 'context boundary'

export interface WorkspaceKeys {
  readonly hasher: KeyedHasher
  /** Binds review items to their requests. */
  readonly binding: Uint8Array
  /** Derives the key for one purpose, 256 bits. It never equals the key of a content hash. */
  derive(label: KeyPurpose): Buffer
  /** Ed25519 signature over the text's UTF-8 bytes. */
  sign(text: string): Buffer
  /** Public key of `sign`, SPKI PEM. Derived from the private key, because the one in the table can be replaced. */
  readonly publicKey: string
}

/** The keys of a Workspace cannot be decrypted: they were overwritten, or encrypted with another secret key. */
export class KeysUnreadableError extends Error {}

/** Ready for the row of a new Workspace. `box`: `secretBox(secretKey, 'workspace')`. */
export function createWorkspaceKeys(box: SecretBox, workspaceId: string) {
  const signing = generateKeyPairSync('ed25519')
  const hashKey = randomBytes(32)
  return {
    hashKey: box.seal(hashKey.toString('base64'), workspaceId),
    signingKey: box.seal(signing.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), workspaceId),
    signingPublicKey: signing.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    auditSeal: formatSeal(createFirstSeal(workspaceId), keyedHasher(hashKey).seals),
  }
}

/** Returns undefined if the Workspace does not exist. Throws KeysUnreadableError. */
export async function loadWorkspaceKeys(db: Db, box: SecretBox, workspaceId: string): Promise<WorkspaceKeys | undefined> {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) return undefined
  const row = await db.selectFrom('workspace').select(['hash_key', 'signing_key']).where('id', '=', uuid).executeTakeFirst()
  if (row === undefined) return undefined
  try {
    const signingKey = createPrivateKey(box.open(row.signing_key, workspaceId))
    const secret = Buffer.from(box.open(row.hash_key, workspaceId), 'base64')
    const derive = (label: KeyPurpose): Buffer => deriveKey(secret, label)
    return {
      hasher: keyedHasher(secret),
      binding: derive('review binding'),
      derive,
      sign: (text) => sign(null, Buffer.from(text), signingKey),
      publicKey: createPublicKey(signingKey).export({ type: 'spki', format: 'pem' }).toString(),
    }
  } catch (cause) {
    throw new KeysUnreadableError(`the keys of ${workspaceId} cannot be decrypted`, { cause })
  }
}

export async function requireWorkspaceKeys(db: Db, box: SecretBox, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(db, box, workspaceId)
  if (!keys) throw new Error(`${workspaceId} does not exist, so it has no keys`)
  return keys
}
