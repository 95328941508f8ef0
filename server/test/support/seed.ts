import { createWorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { fromId, newId } from '../../src/platform/lib/id.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'

export const TEST_SECRET_KEY = Buffer.alloc(32, 7)

const toUuid = (prefix: string, id: string): string => {
  const uuid = fromId(prefix, id)
  if (!uuid) throw new Error(`not an id with the prefix ${prefix}: ${id}`)
  return uuid
}

/** Creates a Workspace, so that tests can share a database. Returns TypeIDs (`ws_…`). */
export async function seedWorkspace(db: Db): Promise<{ workspaceId: string }> {
  const workspaceId = newId('ws')
  const keys = createWorkspaceKeys(secretBox(TEST_SECRET_KEY, 'workspace'), workspaceId)
  await db
    .insertInto('workspace')
    .values({
      id: toUuid('ws', workspaceId),
      name: `test ${workspaceId}`,
      settings: '{}',
      hash_key: keys.hashKey,
      signing_key: keys.signingKey,
      signing_public_key: keys.signingPublicKey,
      audit_seal: keys.auditSeal,
      active_policy_id: null,
      created_at: new Date(),
    })
    .execute()
  await db
    .insertInto('audit_head')
    .values({ workspace_id: toUuid('ws', workspaceId), sequence: 0, hash: Buffer.alloc(32) })
    .execute()
  return { workspaceId }
}

/** Creates an Application with default values. */
export async function seedApplication(db: Db, workspaceId: string, name = newId('name')): Promise<{ applicationId: string }> {
  const applicationId = newId('app')
  const now = new Date()
  await db
    .insertInto('application')
    .values({
      id: toUuid('app', applicationId),
      workspace_id: toUuid('ws', workspaceId),
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
