import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { RowOf } from '../../platform/db/from-row.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { fromId } from '../../platform/lib/id.ts'
import { type ChainEnd, parseRecord } from './chain/chain.ts'
import type { AuditRecord } from './record/record.ts'
import { GROUP_SEAL_BYTES } from './record/record-seals.ts'

/** A query of the Workspace's records. */
export const recordsOf = (db: Db, workspaceId: string) =>
  db.selectFrom('audit_record').where('workspace_id', '=', uuidOf('ws', workspaceId))

/** `id`: of the record, or of the HTTP request whose record it is (api/kit/request-id.ts). */
export async function findRecord(
  db: Db,
  owner: { workspaceId: string; applicationId?: string },
  id: string,
): Promise<AuditRecord | undefined> {
  const uuid = fromId('aud', id) ?? fromId('req', id)
  if (uuid === undefined) return undefined
  let query = recordsOf(db, owner.workspaceId).select(['body', 'hash']).where('id', '=', uuid)
  if (owner.applicationId !== undefined) query = query.where('application_id', '=', uuidOf('app', owner.applicationId))
  const row = await query.executeTakeFirst()
  return row && parseRecord(row.body, row.hash)
}

export type StoredRecord = RowOf<'audit_record'>

/** Sequences `after` (exclusive) to `through` (inclusive). */
interface Range {
  readonly after: number
  readonly through: number
}

/** A page of records, of sealed links or of hashes keeps the embedded database and the event loop from a chat for a few milliseconds. */
const PAGE_SIZE = 100
export const SEALED_PAGE_SIZE = 500
const HASH_PAGE_SIZE = 1_000

export const readRecordPages = (db: Db, workspaceId: string, range: Range): AsyncGenerator<StoredRecord[]> =>
  readPages(range, (last) => selectRange(db, workspaceId, last, range.through).selectAll().limit(PAGE_SIZE).execute())

export async function* streamRecords(db: Db, workspaceId: string, range: Range): AsyncGenerator<AuditRecord> {
  for await (const page of readRecordPages(db, workspaceId, range)) {
    for (const { body, hash } of page) yield parseRecord(body, hash)
  }
}

/** Throws at the first missing record. */
export async function* readHashPages(db: Db, workspaceId: string, after: number, through: number): AsyncGenerator<Buffer[]> {
  let last = after
  const missing = (sequence: number) => new Error(`record ${sequence} of ${workspaceId} is missing`)
  for await (const page of readLinkPages(db, workspaceId, after, through)) {
    const gap = page.findIndex(({ sequence }, index) => sequence !== last + 1 + index)
    if (gap !== -1) throw missing(last + 1 + gap)
    yield page.map(({ hash }) => hash)
    last += page.length
  }
  if (last < through) throw missing(last + 1)
}

/** `body`: null if the seal does not cover it, because it is that of a position. */
export type SealedLink = Pick<StoredRecord, 'id' | 'sequence' | 'prev_hash' | 'hash' | 'seal'> & { readonly body: string | null }

export const readSealedLinkPages = (db: Db, workspaceId: string, range: Range): AsyncGenerator<SealedLink[]> =>
  readPages(range, (last) =>
    selectRange(db, workspaceId, last, range.through)
      .select(['id', 'sequence', 'prev_hash', 'hash', 'seal'])
      .select(sql<string | null>`case when octet_length(seal) = ${sql.lit(GROUP_SEAL_BYTES)} then body end`.as('body'))
      .limit(SEALED_PAGE_SIZE)
      .execute(),
  )

export async function findHashes(db: Db, workspaceId: string, sequences: readonly number[]): Promise<Map<number, Buffer>> {
  if (sequences.length === 0) return new Map()
  const records = recordsOf(db, workspaceId).where(sql<boolean>`sequence = any(${sequences}::bigint[])`)
  const rows = await records.select(['sequence', 'hash']).execute()
  return new Map(rows.map(({ sequence, hash }) => [sequence, hash]))
}

/** Those of the ids that several records have: only without the unique index of the table. */
export async function findRepeatedIds(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from audit_record where id = any(${ids}::uuid[]) group by id having count(*) > 1`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Records may be missing. */
export const readLinkPages = (db: Db, workspaceId: string, after: number, through: number) =>
  readPages({ after, through }, (last) =>
    selectRange(db, workspaceId, last, through).select(['sequence', 'hash']).limit(HASH_PAGE_SIZE).execute(),
  )

async function* readPages<Row extends Pick<StoredRecord, 'sequence'>>(
  { after, through }: Range,
  read: (after: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last = after; last < through; ) {
    const page = await read(last)
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    last = end.sequence
  }
}

const selectRange = (db: Db, workspaceId: string, after: number, through: number) =>
  recordsOf(db, workspaceId).where('sequence', '>', after).where('sequence', '<=', through).orderBy('sequence')

/** A sequence above the largest safe integer is returned as that integer. Throws ChainEndMissingError. */
export async function findChainEnd(db: Db, workspaceId: string): Promise<ChainEnd> {
  const head = await db
    .selectFrom('audit_head')
    .select(['sequence', 'hash'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  if (head === undefined) throw new ChainEndMissingError(`Workspace ${workspaceId} has no audit chain`)
  return { ...head, sequence: Math.min(head.sequence, Number.MAX_SAFE_INTEGER) }
}

export class ChainEndMissingError extends Error {}

export async function findFirstSequence(db: Db, workspaceId: string): Promise<number | undefined> {
  const row = await recordsOf(db, workspaceId).select('sequence').orderBy('sequence').limit(1).executeTakeFirst()
  return row?.sequence
}
