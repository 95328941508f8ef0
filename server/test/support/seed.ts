import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Db } from '../../src/db/database.ts'
import { fromId, newId } from '../../src/lib/id.ts'
import { secretBox } from '../../src/lib/secret-box.ts'

/** The secret key under which tests seal. */
export const TEST_SECRET_KEY = Buffer.alloc(32, 7)

const uuid = (prefix: string, id: string): string => {
  const found = fromId(prefix, id)
  if (!found) throw new Error(`not a ${prefix} id: ${id}`)
  return found
}

/** A Workspace of its own, so that tests can share a database. Answers TypeIDs (`ws_…`). */
export async function seedWorkspace(db: Db): Promise<{ workspaceId: string }> {
  const workspaceId = newId('ws')
  const keys = generateKeyPairSync('ed25519')
  const box = secretBox(TEST_SECRET_KEY, 'workspace')
  await db
    .insertInto('workspace')
    .values({
      id: uuid('ws', workspaceId),
      name: `test ${workspaceId}`,
      settings: '{}',
      hash_key: box.seal(randomBytes(32).toString('base64'), workspaceId),
      signing_key: box.seal(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), workspaceId),
      signing_public_key: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      active_policy_id: null,
      created_at: new Date(),
    })
    .execute()
  await db
    .insertInto('audit_head')
    .values({ workspace_id: uuid('ws', workspaceId), sequence: 0, hash: Buffer.alloc(32) })
    .execute()
  return { workspaceId }
}

/** An Application of that Workspace, with defaults everywhere. */
export async function seedApplication(db: Db, workspaceId: string, name = newId('name')): Promise<{ applicationId: string }> {
  const applicationId = newId('app')
  const now = new Date()
  await db
    .insertInto('application')
    .values({
      id: uuid('app', applicationId),
      workspace_id: uuid('ws', workspaceId),
      name,
      settings: '{}',
      limits: '{}',
      models: null,
      providers: null,
      default_model: null,
      ceiling: 'restricted',
      created_at: now,
      updated_at: now,
    })
    .execute()
  return { applicationId }
}
