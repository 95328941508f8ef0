import { loadWorkspaceKeys, type WorkspaceKeys } from '../audit/workspace-keys.ts'
import { CommandProblem } from './command.ts'
import type { Workbench } from './with-database.ts'

/** The Workspace's keys. The public one is derived from the private one, which is sealed: the one in the table can be replaced. */
export async function workspaceKeys({ database, workspaceBox }: Workbench, workspaceId: string): Promise<WorkspaceKeys> {
  const keys = await loadWorkspaceKeys(database.db, workspaceBox, workspaceId).catch(() => undefined)
  if (keys) return keys
  throw new CommandProblem(`the keys of ${workspaceId} do not open: is GATEHOUSE_SECRET_KEY the one they were made with?`)
}
