import { CompiledQuery } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { AuditDraft, AuditRecord } from '../record/record.ts'
import { appendStatement, LOCK_CHAIN_END } from './append-statement.ts'
import { pendingRecordsOf } from './audited-transaction.ts'
import {
  type ChainEnd,
  hashContent,
  type PreparedRecord,
  prepareRecord,
  type RecordOptions,
  type RecordSealer,
  sealRecords,
  toAuditRecord,
} from './chain.ts'

/** Call it last in the transaction. In an `auditedTransaction` the records get their positions after the commit; otherwise see appendUnderLock. */
export async function appendInTransaction(
  tx: Tx,
  workspaceId: string,
  drafts: readonly AuditDraft[],
  sealer: RecordSealer,
  options?: RecordOptions,
): Promise<void> {
  const pending = pendingRecordsOf(tx)
  if (!pending) return void (await appendUnderLock(tx, workspaceId, drafts, sealer, options))
  for (const [index, draft] of drafts.entries()) {
    // The settlements belong to all the records together.
    const prepared = prepareRecord(workspaceId, draft, index === 0 ? options : undefined)
    await insertPending(tx, prepared, sealer)
    pending.push({ ...prepared, isPending: true, settlements: [] })
  }
}

/** Locks the end of the Workspace's chain until the transaction ends, so the transaction must not await the AuditWriter. */
export async function appendUnderLock(
  tx: Tx,
  workspaceId: string,
  drafts: readonly AuditDraft[],
  sealer: RecordSealer,
  options?: RecordOptions,
): Promise<AuditRecord[]> {
  if (drafts.length === 0) return []
  const prepared = drafts.map((draft, index) => prepareRecord(workspaceId, draft, index === 0 ? options : undefined))
  const workspace = uuidOf('ws', workspaceId)
  const { rows } = await tx.executeQuery<ChainEnd>(CompiledQuery.raw(LOCK_CHAIN_END, [workspace]))
  const end = rows[0]
  if (end === undefined) throw new Error(`Workspace ${workspaceId} has no audit chain`)
  const sealed = sealRecords(prepared, end, sealer)
  const { text, values } = appendStatement(workspace, end, sealed)
  const { numAffectedRows } = await tx.executeQuery(CompiledQuery.raw(text, values))
  if (Number(numAffectedRows) !== sealed.length) throw new Error('the end of the audit chain changed while it was locked')
  return sealed.map(toAuditRecord)
}

/** Call it before locking counts of budgets: the transactions of records lock the end of the chain first, unless records are left pending. */
export async function lockChainEnd(tx: Tx, workspaceId: string): Promise<void> {
  if (!pendingRecordsOf(tx)) await tx.executeQuery(CompiledQuery.raw(LOCK_CHAIN_END, [uuidOf('ws', workspaceId)]))
}

const INSERT_PENDING = `
insert into audit_pending (id, workspace_id, before_integrity, after_integrity, seal)
select $1::uuid, head.workspace_id, $3, $4, $5::bytea from audit_head as head where head.workspace_id = $2::uuid
returning case when $6::jsonb is not null then budget_settle(workspace_id, $6)::text end as settled`

async function insertPending(tx: Tx, prepared: PreparedRecord, { seals }: RecordSealer): Promise<void> {
  const { draft, uuid, beforeIntegrity, afterIntegrity, settlements } = prepared
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(INSERT_PENDING, [
      uuid,
      uuidOf('ws', draft.workspace_id),
      beforeIntegrity,
      afterIntegrity,
      seals.pending(draft.id, hashContent(prepared)),
      settlements.length > 0 ? JSON.stringify(settlements) : null,
    ]),
  )
  if (rows.length !== 1) throw new Error(`Workspace ${draft.workspace_id} has no audit chain`)
}
