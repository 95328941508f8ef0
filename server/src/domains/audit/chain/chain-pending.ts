import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Cache } from '../../../platform/lib/cache.ts'
import type { AuditWatch } from '../checkpoints/watch.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { appendUnderLock } from './append-in-transaction.ts'
import { CHAIN_WAIT_MS } from './audited-transaction.ts'
import { findWorkspacesWithPending, readPendingPages } from './pending-store.ts'
import type { AuditWriter } from './writer.ts'

export interface ChainPendingDeps {
  readonly db: Db
  readonly audit: Pick<AuditWriter, 'chain' | 'leavesPending'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly auditWatch: Pick<AuditWatch, 'suspect'>
}

/** A node chains its own records at once, so older ones belong to a node that died, or that could not reach the database. */
const ABANDONED_AFTER_MS = 3_000

export const findWorkspacesWithAbandoned = async ({ db, audit }: Pick<ChainPendingDeps, 'db' | 'audit'>): Promise<string[]> =>
  audit.leavesPending ? findWorkspacesWithPending(db, ABANDONED_AFTER_MS) : []

/** Called before records are read: some may have been acknowledged without a position (CHAIN_WAIT_MS). Costs one query of a nearly empty table. */
export type ChainOverdue = (workspaceId: string) => Promise<void>

export const createChainOverdue =
  (deps: ChainPendingDeps): ChainOverdue =>
  (workspaceId) =>
    chainPending(deps, workspaceId, CHAIN_WAIT_MS)

/** A record without a valid seal stays where it is and raises the alarm. Throws UNAVAILABLE if a record could not get a position. */
export async function chainPending(
  { db, audit, workspaceKeys, auditWatch }: ChainPendingDeps,
  workspaceId: string,
  olderThanMs: number = ABANDONED_AFTER_MS,
): Promise<void> {
  if (!audit.leavesPending) return
  const keys = await workspaceKeys.get(workspaceId)
  for await (const { records, fault } of readPendingPages(db, workspaceId, keys, olderThanMs)) {
    if (fault) auditWatch.suspect(workspaceId, fault)
    await audit.chain(records)
  }
}

/** For the transaction that imports a Workspace: a server with the embedded database reads no pending records. Those without a valid seal stay. */
export async function chainImported(tx: Tx, workspaceId: string, keys: Pick<WorkspaceKeys, 'hasher'>): Promise<void> {
  for await (const { records } of readPendingPages(tx, workspaceId, keys, 0)) {
    const drafts = records.map(({ draft }) => draft)
    await appendUnderLock(tx, workspaceId, drafts, keys.hasher)
    const ids = records.map(({ uuid }) => uuid)
    await tx.deleteFrom('audit_pending').where(sql<boolean>`id = any(${ids}::uuid[])`).execute()
  }
}
