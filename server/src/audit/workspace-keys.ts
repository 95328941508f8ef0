import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { derivedKey } from '../lib/derived-key.ts'
import { fromId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type KeyedHasher, keyedHasher, underivedBindingKey } from './hashes.ts'
import { firstSeal, sealText } from './log-seal.ts'

/** The keys of what is neither a hash of content nor a signature. */
export type KeyLabel = 'review binding'

/** A Workspace's own keys, all derived from one secret (docs/decisions/0007-audit.md) but the one that signs checkpoints. */
export interface WorkspaceKeys {
  readonly hasher: KeyedHasher
  /** Bind review items to their requests; `earlier`: the key of earlier versions, to recognise what they opened. */
  readonly binding: { readonly current: Uint8Array; readonly earlier: Uint8Array }
  /** The key for one purpose, 256 bits. It is never the key of a hash of content. */
  derive(label: KeyLabel): Buffer
  /** Ed25519 over the text's UTF-8 bytes. */
  sign(text: string): Buffer
  /** SPKI PEM: checks what `sign` signs. Derived from the private key, because the one in the table can be replaced. */
  readonly publicKey: string
  /** Whether a Workspace's sealed signing key says that there has to be an audit seal. Throws when it does not open. */
  requiresSeal(signingKey: Buffer): boolean
  /** The signing key, sealed, from now on with the word that there has to be an audit seal. */
  signingKeyRequiringSeal(): Buffer
}

/** The keys of a Workspace do not open: they were overwritten, or sealed under another secret key. */
export class KeysUnreadable extends Error {}

/**
 * Stands in the sealed text after the private key, where PEM allows any text (RFC 7468 §2): older versions read the key as before.
 * Removing the audit seal from the row then shows, because nobody without the secret key can remove this.
 */
const SEAL_REQUIRED = 'Gatehouse-Audit-Seal: required'

/** The keys and the first audit seal of a new Workspace, ready for its row; `box` is `secretBox(secretKey, 'workspace')`. */
export function createWorkspaceKeys(box: SecretBox, workspaceId: string) {
  const signing = generateKeyPairSync('ed25519')
  const hashKey = randomBytes(32)
  return {
    hashKey: box.seal(hashKey.toString('base64'), workspaceId),
    signingKey: box.seal(withSealRequired(signing.privateKey), workspaceId),
    signingPublicKey: signing.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    auditSeal: sealText(firstSeal(workspaceId), keyedHasher(hashKey).seals),
  }
}

/** Undefined when there is no such Workspace. Throws KeysUnreadable. */
export async function loadWorkspaceKeys(db: Db, box: SecretBox, workspaceId: string): Promise<WorkspaceKeys | undefined> {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) return undefined
  const row = await db.selectFrom('workspace').select(['hash_key', 'signing_key']).where('id', '=', uuid).executeTakeFirst()
  if (row === undefined) return undefined
  try {
    const signingKey: KeyObject = createPrivateKey(box.open(row.signing_key, workspaceId))
    const secret = Buffer.from(box.open(row.hash_key, workspaceId), 'base64')
    const derive = (label: KeyLabel): Buffer => derivedKey(secret, label)
    return {
      hasher: keyedHasher(secret),
      binding: { current: derive('review binding'), earlier: underivedBindingKey(secret) },
      derive,
      sign: (text) => sign(null, Buffer.from(text), signingKey),
      publicKey: createPublicKey(signingKey).export({ type: 'spki', format: 'pem' }).toString(),
      requiresSeal: (sealed) => box.open(sealed, workspaceId).includes(SEAL_REQUIRED),
      signingKeyRequiringSeal: () => box.seal(withSealRequired(signingKey), workspaceId),
    }
  } catch (cause) {
    throw new KeysUnreadable(`the keys of ${workspaceId} do not open`, { cause })
  }
}

const withSealRequired = (key: KeyObject): string => `${key.export({ type: 'pkcs8', format: 'pem' })}${SEAL_REQUIRED}\n`
