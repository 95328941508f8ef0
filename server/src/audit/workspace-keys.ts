import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { Database, Db } from '../db/database.ts'
import { fromId, toId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { type KeyedHasher, keyedHasher } from './hashes.ts'

/** A Workspace's own keys: one hashes contents, the other signs checkpoints. */
export interface WorkspaceKeys {
  readonly hasher: KeyedHasher
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
  return {
    hasher: keyedHasher(Buffer.from(box.open(row.hash_key, workspaceId), 'base64')),
    sign: (text) => sign(null, Buffer.from(text), signingKey),
    publicKey: row.signing_public_key,
  }
}

/** Workspaces whose keys are tried: one may have been damaged, or its keys destroyed. */
const TRIED = 3

/** Whether the box opens what is sealed in this database; true where nothing is. */
export async function opensWith(pool: Pick<Database['pool'], 'query'>, box: SecretBox): Promise<boolean> {
  const { rows } = await pool.query<{ id: string; signing_key: Buffer }>(
    `select id, signing_key from workspace order by created_at, id limit ${TRIED}`,
  )
  return rows.length === 0 || rows.some(({ id, signing_key }) => opens(box, signing_key, toId('ws', id)))
}

function opens(box: SecretBox, sealed: Uint8Array, context: string): boolean {
  try {
    box.open(sealed, context)
    return true
  } catch {
    return false
  }
}
