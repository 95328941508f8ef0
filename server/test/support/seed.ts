import { createWorkspaceKeys } from '../../src/domains/audit/workspace-keys.ts'
import { createApplication } from '../../src/domains/identity/application-store.ts'
import { createWorkspace } from '../../src/domains/identity/workspace-store.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/lib/id.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'

export const TEST_SECRET_KEY = Buffer.alloc(32, 7)

/** Creates a Workspace, so that tests can share a database. Returns TypeIDs (`ws_…`). */
export async function seedWorkspace(db: Db): Promise<{ workspaceId: string }> {
  const workspaceId = newId('ws')
  const keys = createWorkspaceKeys(secretBox(TEST_SECRET_KEY, 'workspace'), workspaceId)
  const name = `test ${workspaceId}`
  await db.transaction().execute((tx) => createWorkspace(tx, workspaceId, { name }, keys, new Date()))
  return { workspaceId }
}

/** Creates an Application with default values. */
export async function seedApplication(db: Db, workspaceId: string, name = newId('name')): Promise<{ applicationId: string }> {
  const application = await createApplication(db, workspaceId, { name }, new Date())
  if (!application) throw new Error(`the name is taken: ${name}`)
  return { applicationId: application.id }
}
