import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { ReviewKind } from './review.ts'
import { pendingItems } from './review-row.ts'

export interface TimeRange {
  readonly from: Date
  readonly to: Date
}

/** How fast items that were created in a range were decided. Times in seconds; null: nothing was decided. */
export interface DecisionTimes {
  readonly decided: number
  readonly median: number | null
  readonly p90: number | null
}

export interface ServiceLevels extends DecisionTimes {
  readonly created: number
  readonly expired: number
  readonly reviewers: readonly (DecisionTimes & { readonly reviewerId: string })[]
  readonly applications: readonly (DecisionTimes & { readonly applicationId: string | null })[]
}

export interface PendingLevels {
  readonly count: number
  readonly oldest: Date | null
  readonly overdue: number
}

interface TimesRow extends DecisionTimes {
  readonly key: string | null
  readonly created: number
  readonly expired: number
}

const MAX_ROWS = 50

export async function readServiceLevels(db: Db, workspaceId: string, range: TimeRange, now: Date): Promise<ServiceLevels> {
  const read = async (by: 'decided_by' | 'application_id' | undefined): Promise<TimesRow[]> => {
    const key = by ? sql`${sql.ref(by)}::text` : sql`null::text`
    const seconds = sql`extract(epoch from decided_at - created_at)`
    const { rows } = await sql<TimesRow>`
      select ${key} as key, count(*)::int as created, count(decided_at)::int as decided,
        count(*) filter (where decided_at is null and expires_at <= ${now})::int as expired,
        percentile_cont(0.5) within group (order by ${seconds})::float8 as median,
        percentile_cont(0.9) within group (order by ${seconds})::float8 as p90
      from review_item
      where workspace_id = ${uuidOf('ws', workspaceId)} and created_at >= ${range.from} and created_at < ${range.to}
        ${by === 'decided_by' ? sql`and decided_by is not null` : sql``}
      group by 1 order by 3 desc, 1 limit ${MAX_ROWS}`.execute(db)
    return rows
  }
  const [total] = await read(undefined)
  const reviewers = await read('decided_by')
  const applications = await read('application_id')
  return {
    created: total?.created ?? 0,
    expired: total?.expired ?? 0,
    ...timesOf(total),
    reviewers: reviewers.map((row) => ({ reviewerId: row.key ?? '', ...timesOf(row) })),
    applications: applications.map((row) => ({ applicationId: row.key && toId('app', row.key), ...timesOf(row) })),
  }
}

const timesOf = (row: TimesRow | undefined): DecisionTimes => ({
  decided: row?.decided ?? 0,
  median: row?.median ?? null,
  p90: row?.p90 ?? null,
})

/** `overdueBefore`: pending items that were created before are overdue; undefined: the Workspace has no target. */
export async function readPendingLevels(
  db: Db,
  workspaceId: string,
  { now, overdueBefore }: { readonly now: Date; readonly overdueBefore: Date | undefined },
): Promise<PendingLevels> {
  const row = await pendingItems(db, workspaceId, now)
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
    .select(sql<number>`count(*) filter (where created_at < ${overdueBefore ?? null}::timestamptz)`.as('overdue'))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count), oldest: row.oldest as Date | null, overdue: Number(row.overdue) }
}

export interface PendingCount {
  readonly kind: ReviewKind
  readonly count: number
  readonly oldest: Date
  readonly nextExpiry: Date
}

/** The pending review items of a Workspace by kind. A kind without pending items has no entry. */
export async function countPending(db: Db, workspaceId: string, now: Date): Promise<PendingCount[]> {
  const rows = await pendingItems(db, workspaceId, now)
    .select(['kind', (of) => of.fn.countAll<number>().as('count')])
    .select((of) => [of.fn.min('created_at').as('oldest'), of.fn.min('expires_at').as('next')])
    .groupBy('kind')
    .execute()
  return rows.map(({ kind, count, oldest, next }) => ({
    kind,
    count: Number(count),
    oldest: oldest as Date,
    nextExpiry: next as Date,
  }))
}
