import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { recordsOf } from '../audit-store.ts'
import { COUNTED_COLUMNS, type CountedRecord, countedOfRow, type RecordsBySequence } from './counted-record.ts'
import { UsageCounter, type UsageRows } from './usage-counter.ts'
import { floorTo, HOUR_MS, MINUTES_KEPT_MS } from './usage-spans.ts'
import { DURATION_COLUMNS, SUM_TYPES, VERDICT_TYPES } from './usage-sums.ts'

/** Uncounted records from which on a reader does not wait for their counts. */
const READER_COUNTS = 5_000
/** Limits of one step. The embedded database runs one statement at a time, and each of a step should take a few milliseconds. */
export const STEP = { recordsRead: 200, records: 2_000, rowsWritten: 400 } as const

export async function findWorkspacesToRollUp(db: Db): Promise<readonly string[]> {
  const rows = await selectPositions(db)
    .where(({ eb, fn }) => eb('audit_head.sequence', '>', fn.coalesce('position.through', sql<number>`0`)))
    .execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/** Counts the newest records, so that a reader need not wait for the job. Returns how many are left for the job: many only after an import. */
export async function rollUpNewestRecords(db: Db, workspaceId: string, now: Date): Promise<number> {
  const { head, through } = await findPosition(db, workspaceId)
  if (head - through > READER_COUNTS) return head - through
  await rollUpRecords(db, workspaceId, { now })
  return 0
}

interface RollUp {
  readonly now: Date
  /** Records that need not be read from the log. */
  readonly recent?: RecordsBySequence | undefined
}

/** Counts the records that are in the log now. Later ones wait for the next call, so that each row is written for many records. */
export async function rollUpRecords(db: Db, workspaceId: string, options: RollUp): Promise<void> {
  const { head } = await findPosition(db, workspaceId)
  while ((await rollUpNextRecords(db, workspaceId, options)) < head);
}

/** Returns the sequence up to which records are counted. Records become visible in the order of their sequences, so none is passed over. */
export async function rollUpNextRecords(db: Db, workspaceId: string, { now, recent = new Map() }: RollUp): Promise<number> {
  const position = await findPosition(db, workspaceId)
  const { head, through } = position
  if (head <= through) return head
  const { records, to } = await findNextRecords(db, workspaceId, position, recent)
  const counter = new UsageCounter(new Date(now.getTime() - MINUTES_KEPT_MS))
  let last: number = through
  for (const record of records) {
    if (counter.size >= STEP.rowsWritten) break
    counter.add(record)
    last = record.sequence
  }
  const counted = { from: through, to: counter.size >= STEP.rowsWritten ? last : to, rows: counter.rows() }
  if (!position.exists) await createPosition(db, workspaceId)
  return (await writeCounts(db, workspaceId, counted)) ? counted.to : through
}

const selectPositions = (db: Db) =>
  db
    .selectFrom('audit_head')
    .leftJoin('audit_usage_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select(['audit_head.workspace_id', 'audit_head.sequence', 'position.through'])

async function findPosition(db: Db, workspaceId: string) {
  const row = await selectPositions(db).where('audit_head.workspace_id', '=', uuidOf('ws', workspaceId)).executeTakeFirst()
  return { head: row?.sequence ?? 0, through: row?.through ?? 0, exists: row?.through != null }
}

const createPosition = (db: Db, workspaceId: string) =>
  db
    .insertInto('audit_usage_position')
    .values({ workspace_id: uuidOf('ws', workspaceId), through: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

async function findNextRecords(
  db: Db,
  workspaceId: string,
  { head, through }: { readonly head: number; readonly through: number },
  recent: RecordsBySequence,
): Promise<{ readonly records: readonly CountedRecord[]; readonly to: number }> {
  const to = Math.min(head, through + STEP.records)
  const sequences = Array.from({ length: to - through }, (_, index) => through + 1 + index)
  const unknown = sequences.filter((sequence) => !recent.has(sequence))
  const stored = recordsOf(db, workspaceId).select(COUNTED_COLUMNS).orderBy('sequence')
  if (unknown.length > STEP.recordsRead) {
    const rows = await stored.where('sequence', '>', through).where('sequence', '<=', head).limit(STEP.recordsRead).execute()
    return { records: rows.map(countedOfRow), to: rows.length < STEP.recordsRead ? head : (rows.at(-1)?.sequence ?? head) }
  }
  const rows = unknown.length === 0 ? [] : await stored.where(sql<boolean>`sequence = any(${unknown}::bigint[])`).execute()
  const read = new Map(rows.map((row) => [row.sequence, countedOfRow(row)]))
  return { records: sequences.flatMap((sequence) => recent.get(sequence) ?? read.get(sequence) ?? []), to }
}

type Columns = Readonly<Record<string, string>>

const TIME: Columns = { span: 'text', at: 'timestamptz' }
const COMBINATION: Columns = {
  ...{ ...TIME, application_id: 'uuid', key_id: 'text' },
  ...{ provider: 'text', model: 'text', verdict: 'text' },
}
const DURATIONS: Columns = Object.fromEntries(DURATION_COLUMNS.map((column) => [column, 'bigint[]']))

interface Counted {
  readonly from: number
  readonly to: number
  readonly rows: UsageRows
}

/** One statement, which also moves the position. Returns false, without a change, if it is not `from`: another node has counted the records. */
async function writeCounts(db: Db, workspaceId: string, { from, to, rows }: Counted): Promise<boolean> {
  const moved = await sql`
    with moved as (
      update audit_usage_position set through = ${to} where workspace_id = ${uuidOf('ws', workspaceId)} and through = ${from}
      returning workspace_id
    ),
    combinations as (${addRows('audit_usage', rows.combinations, COMBINATION, SUM_TYPES)}),
    users as (${addRows('audit_usage_user', rows.users, { ...COMBINATION, user_hash: 'text' }, SUM_TYPES)}),
    by_value as (${addRows(
      'audit_usage_value',
      rows.values,
      { ...TIME, dimension: 'text', value: 'text' },
      { ...SUM_TYPES, ...VERDICT_TYPES, ...DURATIONS },
    )})
    select from moved`.execute(db)
  return moved.rows.length === 1
}

function addRows(table: string, rows: readonly object[], key: Columns, sums: Columns) {
  const columns = { ...key, ...sums }
  const types = Object.entries(columns).map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`)
  return sql`
    insert into ${sql.table(table)} as old (workspace_id, ${namesOf(columns)})
    select * from moved, json_to_recordset(${JSON.stringify(rows)}::json) as added(${sql.join(types)})
    on conflict (workspace_id, ${namesOf(key)}) do update set ${sql.join(Object.entries(sums).map(addedTo))}`
}

const namesOf = (columns: Columns) => sql.join(Object.keys(columns).map((column) => sql.ref(column)))

function addedTo([column, type]: [string, string]) {
  const [name, old, added] = [sql.ref(column), sql.ref(`old.${column}`), sql.ref(`excluded.${column}`)]
  if (type === 'bigint[]') return sql`${name} = audit_add_durations(${old}, ${added})`
  if (column === 'cost') return sql`${name} = case when ${old} is null then ${added} else ${old} + coalesce(${added}, 0) end`
  return sql`${name} = ${old} + ${added}`
}

/** Removes the counts of hours that ended before `before`, as retention removes their records, and old counts of minutes. */
export async function removeOldRollUps(
  db: Db,
  workspaceId: string,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  const keptFrom = floorTo(HOUR_MS, before)
  await db.transaction().execute(async (tx) => {
    // Readers take no day that began before this time from the counts of days.
    await tx
      .updateTable('audit_usage_position')
      .set({ kept_from: keptFrom })
      .where('workspace_id', '=', workspace)
      .where('kept_from', '<', keptFrom)
      .execute()
    for (const table of ['audit_usage', 'audit_usage_user', 'audit_usage_value'] as const)
      await tx.deleteFrom(table).where('workspace_id', '=', workspace).where('at', '<', keptFrom).execute()
    const oldestMinute = new Date(now.getTime() - MINUTES_KEPT_MS)
    const minutes = tx.deleteFrom('audit_usage').where('workspace_id', '=', workspace).where('span', '=', 'minute')
    await minutes.where('at', '<', oldestMinute).execute()
  })
}
