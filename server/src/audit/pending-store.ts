import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { uuidOf } from '../db/values.ts'
import { toId } from '../lib/id.ts'
import { type PreparedRecord, prepareRecord } from './chain.ts'
import type { AuditFault } from './chain-checker.ts'
import { hashContent } from './group-seal.ts'
import type { SealKeys } from './log-seal.ts'
import type { AuditRecord } from './record.ts'
import type { AuditPendingTable } from './tables.ts'

type PendingRow = Selectable<AuditPendingTable>

/** Largest number of pending records that are read at once. */
export const PENDING_PAGE = 256

/** Workspaces with pending records that are at least this old, by the clock of the database. */
export async function findWorkspacesWithPending(db: Db, olderThanMs: number): Promise<string[]> {
  const rows = await db.selectFrom('audit_pending').select('workspace_id').distinct().where(isOlderThan(olderThanMs)).execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/** Pending records of a Workspace that are at least this old, oldest first, and the first fault among them. */
export async function readPending(
  db: Db,
  workspaceId: string,
  keys: Pick<SealKeys, 'hasher'>,
  olderThanMs: number,
): Promise<{ records: PreparedRecord[]; fault?: AuditFault }> {
  const rows = await db
    .selectFrom('audit_pending')
    .selectAll()
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where(isOlderThan(olderThanMs))
    .orderBy('created_at')
    .orderBy('id')
    .limit(PENDING_PAGE)
    .execute()
  const records: PreparedRecord[] = []
  let fault: AuditFault | undefined
  for (const row of rows) {
    const record = restorePending(row, workspaceId, keys)
    if (record) records.push(record)
    else fault ??= { sequence: 0, id: toId('aud', row.id), reason: 'pending_altered' }
  }
  return { records, ...(fault && { fault }) }
}

/** Fault of a pending record: without the secret key none can be added or changed. */
export const findPendingFault = async (db: Db, workspaceId: string, keys: SealKeys): Promise<AuditFault | undefined> =>
  (await readPending(db, workspaceId, keys, 0)).fault

/** Removes the pending records whose seal is not valid. For an operator who accepts the log as found. */
export async function removeForgedPending(db: Db, workspaceId: string, keys: SealKeys): Promise<void> {
  const rows = await db.selectFrom('audit_pending').selectAll().where('workspace_id', '=', uuidOf('ws', workspaceId)).execute()
  const forged = rows.filter((row) => !restorePending(row, workspaceId, keys)).map(({ id }) => id)
  if (forged.length > 0) await db.deleteFrom('audit_pending').where('id', 'in', forged).execute()
}

/** Returns undefined if the seal does not fit. */
function restorePending(row: PendingRow, workspaceId: string, { hasher }: Pick<SealKeys, 'hasher'>): PreparedRecord | undefined {
  const { before_integrity: beforeIntegrity, after_integrity: afterIntegrity } = row
  const id = toId('aud', row.id)
  if (!hasher.seals.isPending(id, hashContent({ beforeIntegrity, afterIntegrity }), row.seal)) return undefined
  try {
    const { integrity: _, ...draft } = JSON.parse(`${beforeIntegrity}","sequence":0${afterIntegrity}`) as AuditRecord
    const prepared = { ...prepareRecord(workspaceId, draft), isPending: true }
    // The seal covers the text as a whole: it must also be divided as before.
    return draft.id === id && prepared.beforeIntegrity === beforeIntegrity ? prepared : undefined
  } catch {
    return undefined
  }
}

const isOlderThan = (ms: number) =>
  sql<boolean>`created_at <= clock_timestamp() - make_interval(secs => ${ms / 1_000}::double precision)`
