import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { RowOf } from '../../../platform/db/from-row.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findFirstSequence } from '../audit-store.ts'
import { CLOCK_TOLERANCE_MS, findCheckpointAt, findLatestCheckpoint } from '../checkpoints/checkpoint-store.ts'
import type { SealKeys } from '../checkpoints/log-seal.ts'
import type { AuditRecord } from '../record/record.ts'
import { type AuditFault, faultAt } from '../verify/chain-checker.ts'
import { hashContent, type PreparedRecord, prepareRecord } from './chain.ts'

type PendingRow = RowOf<'audit_pending'>

const PENDING_PAGE = 256

export async function findWorkspacesWithPending(db: Db, olderThanMs: number): Promise<string[]> {
  const rows = await db.selectFrom('audit_pending').select('workspace_id').distinct().where(isOlderThan(olderThanMs)).execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

export interface PendingPage {
  readonly records: readonly PreparedRecord[]
  /** UUIDs of the other rows, which are not genuine, and the fault of the first. */
  readonly forged: readonly string[]
  readonly fault?: AuditFault
}

/** In the order of their ids, which contain the time. */
export async function* readPendingPages(
  db: Db,
  workspaceId: string,
  keys: Pick<SealKeys, 'hasher'>,
  olderThanMs: number,
): AsyncGenerator<PendingPage> {
  let last: string | undefined
  for (;;) {
    let query = db.selectFrom('audit_pending').selectAll().where('workspace_id', '=', uuidOf('ws', workspaceId))
    if (last !== undefined) query = query.where('id', '>', last)
    const rows = await query.where(isOlderThan(olderThanMs)).orderBy('id').limit(PENDING_PAGE).execute()
    if (rows.length > 0) yield checkPage(rows, workspaceId, keys, await findPrunedUntil(db, workspaceId))
    if (rows.length < PENDING_PAGE) return
    last = rows.at(-1)?.id
  }
}

function checkPage(
  rows: readonly PendingRow[],
  workspaceId: string,
  keys: Pick<SealKeys, 'hasher'>,
  prunedUntil: Date | undefined,
): PendingPage {
  const records: PreparedRecord[] = []
  const forged: string[] = []
  for (const row of rows) {
    const record = restorePending(row, workspaceId, keys)
    if (record && !(prunedUntil && new Date(record.draft.created_at) <= prunedUntil)) records.push(record)
    else forged.push(row.id)
  }
  const [first] = forged
  return { records, forged, ...(first !== undefined && { fault: { ...faultAt('pending_altered', 0), id: toId('aud', first) } }) }
}

/** Retention keeps records for a day at least, and signs the newer ones before: a pending record of before this time is a copy. */
async function findPrunedUntil(db: Db, workspaceId: string): Promise<Date | undefined> {
  const first = await findFirstSequence(db, workspaceId)
  if (first === 1) return undefined
  const checkpoint =
    first === undefined ? await findLatestCheckpoint(db, workspaceId) : await findCheckpointAt(db, workspaceId, first - 1)
  return checkpoint && new Date(Date.parse(checkpoint.created_at) + CLOCK_TOLERANCE_MS)
}

/** Without the secret key no pending record can be added or changed. */
export async function findPendingFault(db: Db, workspaceId: string, keys: SealKeys): Promise<AuditFault | undefined> {
  for await (const { fault } of readPendingPages(db, workspaceId, keys, 0)) if (fault) return fault
  return undefined
}

const LONG_WAIT_MS = 60_000

/** Records without a position for a minute; a running server gives positions within seconds. */
export async function countWaiting(db: Db, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('audit_pending')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where(isOlderThan(LONG_WAIT_MS))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** For an operator who accepts the log as found. Nodes may add genuine ones at the same time. */
export async function removeForgedPending(db: Db, workspaceId: string, keys: SealKeys): Promise<void> {
  for await (const { forged } of readPendingPages(db, workspaceId, keys, 0))
    await db
      .deleteFrom('audit_pending')
      .where('workspace_id', '=', uuidOf('ws', workspaceId))
      .where(sql<boolean>`id = any(${forged}::uuid[])`)
      .execute()
}

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

/** A row from the future was written before the clock of the database was set back, or altered: it is read too. */
const isOlderThan = (ms: number) =>
  sql<boolean>`(created_at <= clock_timestamp() - make_interval(secs => ${ms / 1_000}::double precision)
    or created_at > clock_timestamp() + interval '1 minute')`
