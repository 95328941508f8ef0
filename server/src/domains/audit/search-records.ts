import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Page } from '../../platform/db/page.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { parseRecord } from './chain/chain.ts'
import { findCheckpointNewerThan, findCheckpointOlderThan } from './checkpoints/checkpoint-store.ts'
import type { AuditRecord } from './record/record.ts'
import { contentConditions, type Range, type RecordFilter } from './record-filter.ts'
import { type Driver, findDrivers, hasValue } from './search-drivers.ts'

const SORT_COLUMNS = { latency: 'duration_ms', cost: 'coalesce(cost, 0)', tokens: 'tokens' } as const

export interface RecordSort {
  readonly by: keyof typeof SORT_COLUMNS
  readonly direction: 'asc' | 'desc'
  /** The last record of the previous page, and the last record of the log when the first page was read. */
  readonly after?: { readonly value: number; readonly sequence: number; readonly top: number }
}

/** A page may be shorter than its limit, also empty, although more records follow: `end` is then where the next page begins. */
export interface RecordPage extends Page<AuditRecord> {
  readonly end: number | undefined
}

/** Entries of an index that a page reads at most, so that its cost does not depend on the number of records. */
const MAX_ENTRIES = 10_000

const FEW_ENTRIES = 500

/** Newest first; pages stay stable while records are added. Filters without an index are applied to at most 10,000 records. */
export async function searchRecords(db: Db, workspaceId: string, filter: RecordFilter): Promise<RecordPage> {
  const search = await searchOf(db, workspaceId, filter)
  const few = await readEntries(db, search, filter.limit, Math.max(FEW_ENTRIES, filter.limit + 1))
  return few.isCut ? (await readEntries(db, search, filter.limit, MAX_ENTRIES)).page : few.page
}

interface Search {
  readonly entries: (most: number) => RawBuilder<unknown>
  readonly others: readonly RawBuilder<unknown>[]
}

async function searchOf(db: Db, workspaceId: string, filter: RecordFilter): Promise<Search> {
  const workspace = uuidOf('ws', workspaceId)
  const drivers = await findDrivers(db, workspace, filter)
  const bounds = await boundsOf(db, workspaceId, filter)
  const entries = (most: number) => entriesOf(workspace, filter, drivers, bounds, most)
  return { entries, others: conditionsOf(filter, drivers) }
}

/** The newest 10,000 records of one index: an index of figures would cost every write. The first page fixes the newest record. */
export async function sortRecords(db: Db, workspaceId: string, filter: RecordFilter, sort: RecordSort) {
  const { limit } = filter
  const { after, direction } = sort
  const { entries, others } = await searchOf(db, workspaceId, { ...filter, ...(after && { below: after.top + 1 }) })
  const value = sql.raw(SORT_COLUMNS[sort.by])
  const beyond = sql.raw(direction === 'asc' ? '>' : '<')
  const order = sql.raw(direction)
  const { rows } = await sql<{ top: number; value: number; sequence: number | null; body: string; hash: Buffer }>`
    with entry as materialized (${entries(MAX_ENTRIES)}),
    found as (
      select id, ${value} as value, sequence from entry
      where ${all(others)}
        and ${after ? sql`(${value}, sequence) ${beyond} (${after.value}::double precision, ${after.sequence}::bigint)` : sql`true`}
      order by value ${order}, sequence ${order} limit ${limit + 1}
    )
    select (select max(sequence) from entry) as top, found.value, found.sequence, record.body, record.hash
    from found join audit_record as record using (id) order by found.value ${order}, found.sequence ${order}`.execute(db)
  const data = rows.slice(0, limit)
  const last = rows.length > limit ? data.at(-1) : undefined
  const end = last && { value: last.value, sequence: Number(last.sequence), top: after?.top ?? last.top }
  return { data: data.map(({ body, hash }) => parseRecord(body, hash)), hasMore: end !== undefined, end }
}

/** `isCut`: the page is not full, and more entries follow. */
async function readEntries(
  db: Db,
  { entries, others }: Search,
  limit: number,
  most: number,
): Promise<{ page: RecordPage; isCut: boolean }> {
  const read = others.length === 0 ? limit + 1 : most
  const { rows } = await sql<{ entries: number; last: number | null; sequence: number | null; body: string; hash: Buffer }>`
    with entry as materialized (${entries(read)}),
    found as (select id, sequence from entry where ${all(others)} order by sequence desc limit ${limit + 1})
    select entries, last, record.sequence, record.body, record.hash
    from (select count(*)::int as entries, min(sequence) as last from entry) as extent
    left join (found join audit_record as record using (id)) on true
    order by record.sequence desc nulls last`.execute(db)
  const found = rows.flatMap(({ sequence, body, hash }) => (sequence === null ? [] : [{ sequence, body, hash }]))
  const data = found.slice(0, limit)
  const isFull = found.length > limit
  const isCut = !isFull && others.length > 0 && rows[0]?.entries === read
  const end = isFull ? data.at(-1)?.sequence : isCut ? (rows[0]?.last ?? undefined) : undefined
  return { page: { data: data.map(({ body, hash }) => parseRecord(body, hash)), hasMore: end !== undefined, end }, isCut }
}

function entriesOf(
  workspace: string,
  filter: RecordFilter,
  drivers: readonly Driver[],
  bounds: readonly RawBuilder<unknown>[],
  read: number,
) {
  if (drivers.length < 2) return entriesOfDriver(workspace, filter, drivers[0], bounds, read)
  const parts = drivers.map((driver) => sql`(${entriesOfDriver(workspace, filter, driver, bounds, read)})`)
  return sql`select * from (${sql.join(parts, sql` union `)}) as entry order by sequence desc limit ${read}`
}

function entriesOfDriver(
  workspace: string,
  filter: RecordFilter,
  driver: Driver | undefined,
  bounds: readonly RawBuilder<unknown>[],
  read: number,
) {
  const marks = contentConditions(filter)
  // A single value is a constant for the planner, which then knows how frequent it is.
  const [value, ...more] = driver?.values ?? []
  return driver && more.length > 0
    ? sql`select entry.* from unnest(${[...driver.values]}::${sql.raw(driver.type)}[]) as driver(value)
        cross join lateral (${selectEntries(workspace, [...bounds, hasValue(driver, sql`driver.value`)], read, marks)}) as entry
        order by sequence desc limit ${read}`
    : selectEntries(workspace, driver ? [...bounds, hasValue(driver, sql`${value ?? null}`)] : bounds, read, marks)
}

const selectEntries = (
  workspace: string,
  conditions: readonly RawBuilder<unknown>[],
  read: number,
  marks: readonly RawBuilder<unknown>[],
) => sql`
  select id, sequence, created_at, endpoint, verdict, risk_level, status, user_hash, application_id, duration_ms, cost, tokens,
    ${all(marks)} as has_marks from audit_record
  where ${all([sql`workspace_id = ${workspace}`, ...conditions])} order by sequence desc limit ${read}`

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)

/** The checkpoints narrow the sequences to those around the time range. */
async function boundsOf(db: Db, workspaceId: string, { from, to, below }: RecordFilter): Promise<RawBuilder<unknown>[]> {
  const floor = from && (await findCheckpointOlderThan(db, workspaceId, from))
  const ceiling = to && (await findCheckpointNewerThan(db, workspaceId, to))
  return [
    ...(floor ? [sql`sequence > ${floor.size}`] : []),
    ...(ceiling ? [sql`sequence <= ${ceiling.size}`] : []),
    ...(below === undefined ? [] : [sql`sequence < ${below}`]),
  ]
}

function conditionsOf(filter: RecordFilter, drivers: readonly Driver[]): RawBuilder<unknown>[] {
  const { from, to, applicationId, userHashes, riskLevel, verdicts, endpoint, endpoints, status, latencyMs, cost } = filter
  const unless = (column: Driver['column'], condition: RawBuilder<unknown> | undefined | '') =>
    condition && !(drivers.length === 1 && drivers[0]?.column === column) ? [condition] : []
  return [
    ...(from ? [sql`created_at >= ${from}`] : []),
    ...(to ? [sql`created_at < ${to}`] : []),
    ...(contentConditions(filter).length > 0 ? [sql`has_marks`] : []),
    ...inRange(sql`duration_ms`, latencyMs),
    ...inRange(sql`cost`, cost),
    ...(endpoints ? [sql`endpoint = any(${[...endpoints]}::text[])`] : []),
    ...unless('application_id', applicationId && sql`application_id = ${uuidOf('app', applicationId)}`),
    ...unless('user_hash', userHashes && sql`user_hash = any(${[...userHashes]}::text[])`),
    ...unless('verdict', verdicts && sql`verdict = any(${[...verdicts]}::text[])`),
    ...unless('risk_level', riskLevel && sql`risk_level = ${riskLevel}`),
    ...unless('endpoint', endpoint && sql`endpoint = ${endpoint}`),
    ...unless('status', status && sql`status between ${status.from} and ${status.to}`),
  ]
}

const inRange = (column: RawBuilder<unknown>, { from, to }: Range = {}): RawBuilder<unknown>[] => [
  ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
  ...(to === undefined ? [] : [sql`${column} <= ${to}`]),
]
