import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { deriveKey } from '../lib/derived-key.ts'
import { fromId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { createFirstSeal, formatSeal } from './checkpoints/log-seal.ts'
import { type KeyedHasher, keyedHasher, underivedBindingKey } from './record/hashes.ts'

/** Purposes of derived keys. Content hashes and signatures have separate keys. */
export type KeyPurpose = 'review binding' | 'context boundary'

/** Keys of a Workspace. All except the signing key are derived from one secret (docs/decisions/0007-audit.md). */
export interface WorkspaceKeys {
  readonly hasher: KeyedHasher
  /** Keys that bind review items to their requests. `earlier`: the key of older versions, to recognise their review items. */
  readonly binding: { readonly current: Uint8Array; readonly earlier: Uint8Array }
  /** Derives the key for one purpose, 256 bits. It never equals the key of a content hash. */
  derive(label: KeyPurpose): Buffer
  /** Ed25519 signature over the text's UTF-8 bytes. */
  sign(text: string): Buffer
  /** Public key of `sign`, SPKI PEM. Derived from the private key, because the one in the table can be replaced. */
  readonly publicKey: string
  /** Whether an encrypted signing key states that there must be an audit seal. Throws if it cannot be decrypted. */
  requiresSeal(signingKey: Buffer): boolean
  /** Encrypts the signing key with the statement that there must be an audit seal. */
  signingKeyRequiringSeal(): Buffer
}

/** The keys of a Workspace cannot be decrypted: they were overwritten, or encrypted with another secret key. */
export class KeysUnreadableError extends Error {}

/**
 * Follows the private key in the encrypted text, where PEM allows any text (RFC 7468 §2), so older versions still read the key.
 * It shows when the audit seal was removed from the row: removing this line requires the secret key.
 */
const SEAL_REQUIRED = 'Gatehouse-Audit-Seal: required'

/**
 * Creates the keys and the first audit seal of a new Workspace, ready for its row. `box`: `secretBox(secretKey, 'workspace')`.
 */
export function createWorkspaceKeys(box: SecretBox, workspaceId: string) {
  const signing = generateKeyPairSync('ed25519')
  const hashKey = randomBytes(32)
  return {
    hashKey: box.seal(hashKey.toString('base64'), workspaceId),
    signingKey: box.seal(formatSigningKey(signing.privateKey), workspaceId),
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
    const signingKey: KeyObject = createPrivateKey(box.open(row.signing_key, workspaceId))
    const secret = Buffer.from(box.open(row.hash_key, workspaceId), 'base64')
    const derive = (label: KeyPurpose): Buffer => deriveKey(secret, label)
    return {
      hasher: keyedHasher(secret),
      binding: { current: derive('review binding'), earlier: underivedBindingKey(secret) },
      derive,
      sign: (text) => sign(null, Buffer.from(text), signingKey),
      publicKey: createPublicKey(signingKey).export({ type: 'spki', format: 'pem' }).toString(),
      requiresSeal: (sealed) => box.open(sealed, workspaceId).includes(SEAL_REQUIRED),
      signingKeyRequiringSeal: () => box.seal(formatSigningKey(signingKey), workspaceId),
    }
  } catch (cause) {
    throw new KeysUnreadableError(`the keys of ${workspaceId} cannot be decrypted`, { cause })
  }
}

/** The same for a Workspace that must exist. Throws if it does not. */
export async function requireWorkspaceKeys(db: Db, box: SecretBox, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(db, box, workspaceId)
  if (!keys) throw new Error(`${workspaceId} does not exist, so it has no keys`)
  return keys
}

const formatSigningKey = (key: KeyObject): string => `${key.export({ type: 'pkcs8', format: 'pem' })}${SEAL_REQUIRED}\n`
