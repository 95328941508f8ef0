import { loadWorkspaceKeys, type WorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { CommandFailure } from './terminal.ts'
import type { CommandContext } from './with-database.ts'

/** The Workspace's keys. The public key is derived from the encrypted private key, because the one in the table could be replaced. */
export async function workspaceKeys({ database, workspaceBox }: CommandContext, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(database.db, workspaceBox, workspaceId).catch(() => undefined)
  if (keys) return keys
  throw new CommandFailure(
    `the keys of ${workspaceId} cannot be decrypted: set GATEHOUSE_SECRET_KEY to the key that they were encrypted with`,
  )
}
