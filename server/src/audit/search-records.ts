import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Page } from '../db/page.ts'
import { uuidOf } from '../db/values.ts'
import type { RiskLevel } from '../domain/classification.ts'
import type { Verdict } from '../domain/decision.ts'
import { parseRecord } from './chain/chain.ts'
import { findCheckpointNewerThan, findCheckpointOlderThan } from './checkpoints/checkpoint-store.ts'
import type { AuditEndpoint, AuditRecord } from './record/record.ts'

export interface RecordFilter {
  /** By `created_at`; `from` inclusive, `to` exclusive. */
  readonly from?: Date
  readonly to?: Date
  readonly applicationId?: string
  /** Keyed hashes, as in `user.id` of the record. */
  readonly userHashes?: readonly string[]
  readonly verdict?: Verdict
  readonly riskLevel?: RiskLevel
  readonly endpoint?: AuditEndpoint
  /** Records of any of these endpoints match. */
  readonly endpoints?: readonly AuditEndpoint[]
  /** Inclusive range of HTTP statuses. */
  readonly status?: { readonly from: number; readonly to: number }
  /** Exclusive upper sequence: that of the last record of the previous page. */
  readonly below?: number
  readonly limit: number
}

/** A page may be shorter than its limit, also empty, although more records follow: `end` is then where the next page begins. */
export interface RecordPage extends Page<AuditRecord> {
  /** `below` of the next page; undefined: there is none. */
  readonly end: number | undefined
}

/** Entries of an index that a page reads at most, so that its cost does not depend on the number of records. */
const MAX_ENTRIES = 10_000

/** A column whose index gives the records of each value in the order of the chain. */
interface Driver {
  readonly column: 'user_hash' | 'status' | 'risk_level' | 'verdict' | 'endpoint' | 'application_id'
  readonly type: 'text' | 'integer' | 'uuid'
  readonly values: readonly (string | number)[]
  /** Condition of the index, which the planner needs to see. */
  readonly where: string
}

/** A first attempt reads this many entries, which mostly suffices. */
const FEW_ENTRIES = 500

/**
 * Newest first by sequence; pages stay stable while records are added. An index gives the records of one filter, and the others are
 * applied to at most 10,000 of them.
 */
export async function searchRecords(db: Db, workspaceId: string, filter: RecordFilter): Promise<RecordPage> {
  const { limit } = filter
  const driver = await findDriver(db, uuidOf('ws', workspaceId), filter)
  const search = { filter, driver, bounds: await boundsOf(db, workspaceId, filter), others: conditionsOf(filter, driver) }
  const few = await readEntries(db, workspaceId, { ...search, most: Math.max(FEW_ENTRIES, limit + 1) })
  return few.isCut ? (await readEntries(db, workspaceId, { ...search, most: MAX_ENTRIES })).page : few.page
}

interface Search {
  readonly filter: RecordFilter
  readonly driver: Driver | undefined
  readonly bounds: readonly RawBuilder<unknown>[]
  readonly others: readonly RawBuilder<unknown>[]
  readonly most: number
}

/** `isCut`: the page is not full, and more entries follow. */
async function readEntries(
  db: Db,
  workspaceId: string,
  { filter: { limit }, driver, bounds, others, most }: Search,
): Promise<{ page: RecordPage; isCut: boolean }> {
  const workspace = uuidOf('ws', workspaceId)
  const read = others.length === 0 ? limit + 1 : most
  // A single value is a constant for the planner, which then knows how frequent it is.
  const [value, ...more] = driver?.values ?? []
  const entries =
    driver && more.length > 0
      ? sql`select entry.* from unnest(${[...driver.values]}::${sql.raw(driver.type)}[]) as driver(value)
        cross join lateral (${selectEntries(workspace, [...bounds, hasValue(driver, sql`driver.value`)], read)}) as entry
        order by sequence desc limit ${read}`
      : selectEntries(workspace, driver ? [...bounds, hasValue(driver, sql`${value ?? null}`)] : bounds, read)
  const { rows } = await sql<{ entries: number; last: number | null; sequence: number | null; body: string; hash: Buffer }>`
    with entry as materialized (${entries}),
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

/** The index entries of one value of the driver, or of all records, newest first. */
const selectEntries = (workspace: string, conditions: readonly RawBuilder<unknown>[], read: number) => sql`
  select id, sequence, created_at, endpoint, verdict, risk_level, status, user_hash, application_id from audit_record
  where ${all([sql`workspace_id = ${workspace}`, ...conditions])} order by sequence desc limit ${read}`

const hasValue = ({ column, type, where }: Driver, value: RawBuilder<unknown>) =>
  sql`${sql.ref(column)} = ${value}::${sql.raw(type)} and ${sql.raw(where)}`

const all = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `)

/** The filter with an index that is likely to have the fewest records. The frequent values of columns are in no index. */
async function findDriver(db: Db, workspace: string, filter: RecordFilter): Promise<Driver | undefined> {
  const { userHashes, status, riskLevel, verdict, endpoint, applicationId } = filter
  if (userHashes) return { column: 'user_hash', type: 'text', values: userHashes, where: 'user_hash is not null' }
  if (status && (status.from > 200 || status.to < 200))
    return { column: 'status', type: 'integer', values: await listStatuses(db, workspace, status), where: 'status <> 200' }
  if (riskLevel && riskLevel !== 'low')
    return { column: 'risk_level', type: 'text', values: [riskLevel], where: "risk_level <> 'low'" }
  if (verdict && verdict !== 'allow') return { column: 'verdict', type: 'text', values: [verdict], where: "verdict <> 'allow'" }
  if (endpoint && endpoint !== 'chat')
    return { column: 'endpoint', type: 'text', values: [endpoint], where: "endpoint <> 'chat'" }
  if (applicationId === undefined) return undefined
  return { column: 'application_id', type: 'uuid', values: [uuidOf('app', applicationId)], where: 'true' }
}

/** The statuses of the range that records have: one look-up in the index for each. */
async function listStatuses(db: Db, workspace: string, { from, to }: { from: number; to: number }): Promise<number[]> {
  if (from === to) return [from]
  const next = (after: RawBuilder<unknown>) => sql`select min(status) as status from audit_record
    where workspace_id = ${workspace} and status <> 200 and status > ${after} and status <= ${to}`
  const { rows } = await sql<{ status: number }>`
    with recursive known as (
      ${next(sql`${from - 1}::integer`)}
      union all
      select (${next(sql`known.status`)}) from known where known.status is not null
    )
    select status from known where status is not null`.execute(db)
  return rows.map(({ status }) => status)
}

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

/** The filters that the driver does not apply. */
function conditionsOf(filter: RecordFilter, driver: Driver | undefined): RawBuilder<unknown>[] {
  const { from, to, applicationId, userHashes, verdict, riskLevel, endpoint, endpoints, status } = filter
  const unless = (column: Driver['column'], condition: RawBuilder<unknown> | undefined | '') =>
    condition && driver?.column !== column ? [condition] : []
  return [
    ...(from ? [sql`created_at >= ${from}`] : []),
    ...(to ? [sql`created_at < ${to}`] : []),
    ...(endpoints ? [sql`endpoint = any(${[...endpoints]}::text[])`] : []),
    ...unless('application_id', applicationId && sql`application_id = ${uuidOf('app', applicationId)}`),
    ...unless('user_hash', userHashes && sql`user_hash = any(${[...userHashes]}::text[])`),
    ...unless('verdict', verdict && sql`verdict = ${verdict}`),
    ...unless('risk_level', riskLevel && sql`risk_level = ${riskLevel}`),
    ...unless('endpoint', endpoint && sql`endpoint = ${endpoint}`),
    ...unless('status', status && sql`status between ${status.from} and ${status.to}`),
  ]
}
