import { verifyWorkspace } from '../../domains/audit/verify/verify.ts'
import { requireWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { findWorkspace } from '../../domains/identity/workspace-store.ts'
import type { Db } from '../../platform/db/database.ts'
import { describeVerification } from './describe-verification.ts'
import { CommandFailure } from './terminal.ts'
import type { CommandContext } from './with-database.ts'

/** Verifies the audit log of a copied Workspace. Returns a line that says so; throws if it does not verify. */
export async function verifyLog(db: Db, workspaceId: string, { workspaceBox }: CommandContext): Promise<string> {
  const workspace = await findWorkspace(db, workspaceId)
  if (!workspace) throw new CommandFailure(`the Workspace ${workspaceId} is not in the database`)
  const keys = await requireWorkspaceKeys(db, workspaceBox, workspaceId)
  const verification = await verifyWorkspace(db, workspaceId, keys)
  const line = `${workspace.name}: ${describeVerification(verification)}`
  if (!verification.ok) throw new CommandFailure(`the copy is not complete: ${line}`)
  return line
}
