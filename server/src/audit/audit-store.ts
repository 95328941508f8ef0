import { CompiledQuery, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { AuditRecordTable } from '../db/schema.ts'
import type { RiskLevel } from '../domain/classification.ts'
import type { Verdict } from '../domain/decision.ts'
import { fromId } from '../lib/id.ts'
import { appendStatement, LOCK_END } from './append.ts'
import { type ChainEnd, parseRecord, prepare, type RecordSealer, recordOf, sealAll, uuidOf } from './chain.ts'
import { checkpointNewerThan, checkpointOlderThan } from './checkpoint-store.ts'
import type { AuditDraft, AuditEndpoint, AuditRecord } from './record.ts'

/**
 * Records what `tx` does, in `tx`: both are kept, or neither. Call it last: it holds the end of the Workspace's chain until
 * the transaction ends, and every other record waits for that. For the same reason nothing inside a transaction may await
 * the AuditWriter. `sealer` is the Workspace's hasher.
 */
export async function appendInTransaction(
  tx: Tx,
  workspaceId: string,
  drafts: readonly AuditDraft[],
  sealer: RecordSealer,
): Promise<AuditRecord[]> {
  if (drafts.length === 0) return []
  const prepared = drafts.map((draft) => prepare(workspaceId, draft))
  const workspace = uuidOf('ws', workspaceId)
  const { rows } = await tx.executeQuery<ChainEnd>(CompiledQuery.raw(LOCK_END, [workspace]))
  const end = rows[0]
  if (end === undefined) throw new Error(`Workspace ${workspaceId} has no audit chain`)
  const sealed = sealAll(prepared, end, sealer)
  const { text, values } = appendStatement(workspace, end, sealed)
  const { numAffectedRows } = await tx.executeQuery(CompiledQuery.raw(text, values))
  if (Number(numAffectedRows) !== sealed.length) throw new Error('the end of the audit chain moved under its lock')
  return sealed.map(recordOf)
}

/** Undefined when the owner has no such record, or nobody has; with an Application, only that one's. */
export async function findRecord(
  db: Db,
  owner: { workspaceId: string; applicationId?: string },
  id: string,
): Promise<AuditRecord | undefined> {
  const uuid = fromId('aud', id)
  if (uuid === undefined) return undefined
  let query = db
    .selectFrom('audit_record')
    .select(['body', 'hash'])
    .where('id', '=', uuid)
    .where('workspace_id', '=', uuidOf('ws', owner.workspaceId))
  if (owner.applicationId !== undefined) query = query.where('application_id', '=', uuidOf('app', owner.applicationId))
  const row = await query.executeTakeFirst()
  return row && parseRecord(row.body, row.hash)
}

export interface RecordFilter {
  /** By `created_at`; `from` inclusive, `to` exclusive. */
  readonly from?: Date
  readonly to?: Date
  readonly applicationId?: string
  /** The keyed hash, as in `user.id` of the record. */
  readonly userHashes?: readonly string[]
  readonly verdict?: Verdict
  readonly riskLevel?: RiskLevel
  readonly endpoint?: AuditEndpoint
  /** Any of these. */
  readonly endpoints?: readonly AuditEndpoint[]
  /** The first and the last status, both included. */
  readonly status?: { readonly from: number; readonly to: number }
  /** The `nextCursor` of the page before. */
  readonly cursor?: number
  readonly limit: number
}

export interface RecordPage {
  readonly records: AuditRecord[]
  /** null: that was all. */
  readonly nextCursor: number | null
}

/** Newest first, in the order of the chain; stable while records are added. */
export async function searchRecords(db: Db, workspaceId: string, filter: RecordFilter): Promise<RecordPage> {
  const workspace = uuidOf('ws', workspaceId)
  const { from, to, applicationId, userHashes, verdict, riskLevel, endpoint, endpoints, status, cursor, limit } = filter
  let query = db.selectFrom('audit_record').select(['sequence', 'body', 'hash']).where('workspace_id', '=', workspace)
  if (from) query = query.where('created_at', '>=', from)
  if (to) query = query.where('created_at', '<', to)
  // Neither last year's records nor this year's are read in search of some day's between.
  const floor = from && (await checkpointOlderThan(db, workspaceId, from))
  const ceiling = to && (await checkpointNewerThan(db, workspaceId, to))
  if (floor) query = query.where('sequence', '>', floor.size)
  if (ceiling) query = query.where('sequence', '<=', ceiling.size)
  if (applicationId !== undefined) query = query.where('application_id', '=', uuidOf('app', applicationId))
  if (userHashes !== undefined) query = query.where('user_hash', 'in', userHashes)
  if (verdict) query = query.where('verdict', '=', verdict)
  if (riskLevel) query = query.where('risk_level', '=', riskLevel)
  if (endpoint) query = query.where('endpoint', '=', endpoint)
  // Said as the partial indexes say it, so that a plan made before the values are known can use them.
  if (verdict && verdict !== 'allow') query = query.where(sql<boolean>`verdict <> 'allow'`)
  if (riskLevel && riskLevel !== 'low') query = query.where(sql<boolean>`risk_level <> 'low'`)
  if (endpoint && endpoint !== 'chat') query = query.where(sql<boolean>`endpoint <> 'chat'`)
  if (status && (status.from > 200 || status.to < 200)) query = query.where(sql<boolean>`status <> 200`)
  if (endpoints) query = query.where('endpoint', 'in', [...endpoints])
  // One status as an equality, so that an index over status and sequence gives the order too.
  if (status && status.from === status.to) query = query.where('status', '=', status.from)
  else if (status) query = query.where('status', '>=', status.from).where('status', '<=', status.to)
  if (cursor !== undefined) query = query.where('sequence', '<', cursor)
  const rows = await query
    .orderBy('sequence', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return {
    records: page.map(({ body, hash }) => parseRecord(body, hash)),
    nextCursor: rows.length > limit ? (page.at(-1)?.sequence ?? null) : null,
  }
}

export type StoredRecord = Selectable<AuditRecordTable>

const PAGE_SIZE = 500
const HASH_PAGE_SIZE = 10_000

/** Sequences `after` (exclusive) to `through` (inclusive), in order, in pages: constant memory, no long transaction. */
export async function* recordPages(
  db: Db,
  workspaceId: string,
  { after, through }: { after: number; through: number },
): AsyncGenerator<StoredRecord[]> {
  const workspace = uuidOf('ws', workspaceId)
  for (let last = after; last < through; ) {
    const page = await db
      .selectFrom('audit_record')
      .selectAll()
      .where('workspace_id', '=', workspace)
      .where('sequence', '>', last)
      .where('sequence', '<=', through)
      .orderBy('sequence')
      .limit(PAGE_SIZE)
      .execute()
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    last = end.sequence
  }
}

/** The records of that part of the chain, oldest first. */
export async function* streamRecords(
  db: Db,
  workspaceId: string,
  range: { after: number; through: number },
): AsyncGenerator<AuditRecord> {
  for await (const page of recordPages(db, workspaceId, range)) {
    for (const { body, hash } of page) yield parseRecord(body, hash)
  }
}

/** Hashes of the records after `after` up to `through`, in order and in pages. Throws at the first that is missing. */
export async function* hashPages(db: Db, workspaceId: string, after: number, through: number): AsyncGenerator<Buffer[]> {
  const workspace = uuidOf('ws', workspaceId)
  for (let last = after; last < through; ) {
    const page = await db
      .selectFrom('audit_record')
      .select(['sequence', 'hash'])
      .where('workspace_id', '=', workspace)
      .where('sequence', '>', last)
      .where('sequence', '<=', through)
      .orderBy('sequence')
      .limit(HASH_PAGE_SIZE)
      .execute()
    const gap = page.findIndex(({ sequence }, index) => sequence !== last + 1 + index)
    if (gap !== -1 || page.length === 0) throw new Error(`record ${last + 1 + Math.max(gap, 0)} of ${workspaceId} is missing`)
    yield page.map(({ hash }) => hash)
    last += page.length
  }
}

/** A record's place and what stands there, without its body. */
export type Link = Pick<StoredRecord, 'sequence' | 'prev_hash' | 'hash' | 'seal'>

/** The links of the records after `after` up to `through`, in order and in pages; some may be missing. */
export async function* linkPages(db: Db, workspaceId: string, after: number, through: number): AsyncGenerator<Link[]> {
  const workspace = uuidOf('ws', workspaceId)
  for (let last = after; last < through; ) {
    const page = await db
      .selectFrom('audit_record')
      .select(['sequence', 'prev_hash', 'hash', 'seal'])
      .where('workspace_id', '=', workspace)
      .where('sequence', '>', last)
      .where('sequence', '<=', through)
      .orderBy('sequence')
      .limit(HASH_PAGE_SIZE)
      .execute()
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    last = end.sequence
  }
}

/**
 * Where the chain says it ends; a place that no counter reaches counts as the last that one does. Throws ChainEndMissing.
 */
export async function findHead(db: Db, workspaceId: string): Promise<ChainEnd> {
  const head = await db
    .selectFrom('audit_head')
    .select(['sequence', 'hash'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  if (head === undefined) throw new ChainEndMissing(`Workspace ${workspaceId} has no audit chain`)
  return { ...head, sequence: Math.min(head.sequence, Number.MAX_SAFE_INTEGER) }
}

/** Every Workspace is made with an end of its chain: it was removed. */
export class ChainEndMissing extends Error {}

/** Of the oldest record kept; undefined when there is none. */
export async function firstSequence(db: Db, workspaceId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_record')
    .select('sequence')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return row?.sequence
}
