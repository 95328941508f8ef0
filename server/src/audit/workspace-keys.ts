import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { derivedKey } from '../lib/derived-key.ts'
import { fromId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type KeyedHasher, keyedHasher, underivedBindingKey } from './hashes.ts'

/** The keys of what is neither a hash of content nor a signature. */
export type KeyLabel = 'review binding' | 'audit seal'

/** A Workspace's own keys, all derived from one secret (docs/decisions/0007-audit.md) but the one that signs checkpoints. */
export interface WorkspaceKeys {
  readonly hasher: KeyedHasher
  /** Bind review items to their requests; `earlier`: the key of earlier versions, to recognise what they opened. */
  readonly binding: { readonly current: Uint8Array; readonly earlier: Uint8Array }
  /** The key for one purpose, 256 bits. It is never the key of a hash of content. */
  derive(label: KeyLabel): Buffer
  /** Ed25519 over the text's UTF-8 bytes. */
  sign(text: string): Buffer
  /** SPKI PEM: checks what `sign` signs. */
  readonly publicKey: string
}

/** The keys of a new Workspace, ready for its row; `box` is `secretBox(secretKey, 'workspace')`. */
export function createWorkspaceKeys(box: SecretBox, workspaceId: string) {
  const signing = generateKeyPairSync('ed25519')
  return {
    hashKey: box.seal(randomBytes(32).toString('base64'), workspaceId),
    signingKey: box.seal(signing.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), workspaceId),
    signingPublicKey: signing.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/** Undefined when there is no such Workspace. Throws when its keys were destroyed, or sealed under another secret key. */
export async function loadWorkspaceKeys(db: Db, box: SecretBox, workspaceId: string): Promise<WorkspaceKeys | undefined> {
  const uuid = fromId('ws', workspaceId)
  if (uuid === undefined) return undefined
  const row = await db
    .selectFrom('workspace')
    .select(['hash_key', 'signing_key', 'signing_public_key'])
    .where('id', '=', uuid)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const signingKey: KeyObject = createPrivateKey(box.open(row.signing_key, workspaceId))
  const secret = Buffer.from(box.open(row.hash_key, workspaceId), 'base64')
  const derive = (label: KeyLabel): Buffer => derivedKey(secret, label)
  return {
    hasher: keyedHasher(secret),
    binding: { current: derive('review binding'), earlier: underivedBindingKey(secret) },
    derive,
    sign: (text) => sign(null, Buffer.from(text), signingKey),
    publicKey: row.signing_public_key,
  }
}
