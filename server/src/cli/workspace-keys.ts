import { verify } from 'node:crypto'
import { loadWorkspaceKeys, type WorkspaceKeys } from '../audit/workspace-keys.ts'
import { CommandProblem } from './command.ts'
import type { Workbench } from './with-database.ts'

/**
 * The Workspace's keys. The public one lies open in the table, where whoever forges records could put their own: it must fit the
 * private one, which is sealed.
 */
export async function workspaceKeys({ database, workspaceBox }: Workbench, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(database.db, workspaceBox, workspaceId).catch(() => undefined)
  if (!keys)
    throw new CommandProblem(`the keys of ${workspaceId} do not open: is GATEHOUSE_SECRET_KEY the one they were made with?`)
  const probe = 'gatehouse audit'
  if (verify(null, Buffer.from(probe), keys.publicKey, keys.sign(probe))) return keys
  throw new CommandProblem(
    `the public key of ${workspaceId} is not the one that belongs to its signing key: somebody has replaced it`,
  )
}
