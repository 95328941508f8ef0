import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { uuidOf } from '../db/values.ts'
import { VERDICTS, type Verdict } from '../domain/decision.ts'
import type { AuditRecord } from './record.ts'

/** Records to count: `from` inclusive, `to` exclusive. */
export interface StatisticsQuery {
  readonly workspaceId: string
  readonly applicationId?: string
  readonly from: Date
  readonly to: Date
}

/** Counts of one interval or of all intervals, without operators' changes. */
export interface RequestCounts {
  readonly requests: number
  readonly verdicts: Readonly<Record<Verdict, number>>
  /** Failed requests: no response and no verdict against them. */
  readonly errors: number
  readonly tokens: number
  /** null: no model had a price. */
  readonly cost: number | null
  /** Duration of the whole request; null: there were no requests. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface TotalCounts extends RequestCounts {
  /** Part of `tokens` that providers read from their caches. */
  readonly cachedTokens: number
}

export interface IntervalCounts extends RequestCounts {
  readonly at: Date
}

/** Counts per interval with records, oldest first. Uses one index and reads no record body. */
export async function countByInterval(db: Db, query: StatisticsQuery, seconds: number): Promise<IntervalCounts[]> {
  const at = sql<Date>`date_bin(make_interval(secs => ${seconds}), created_at, ${query.from})`
  const rows = await selectRecords(db, query).select(COUNT_COLUMNS).select(at.as('at')).groupBy('at').orderBy('at').execute()
  return rows.map((row) => ({ at: row.at, ...toRequestCounts(row) }))
}

export async function countRequests(db: Db, query: StatisticsQuery): Promise<TotalCounts> {
  const [counts, { cached }] = await Promise.all([
    selectRecords(db, query).select(COUNT_COLUMNS).executeTakeFirstOrThrow(),
    // Apart from the other counts, because it has its own index: few records have cached tokens.
    selectRecords(db, query)
      .where('cache_read_tokens', 'is not', null)
      .select(({ fn }) => fn.sum<number | null>('cache_read_tokens').as('cached'))
      .executeTakeFirstOrThrow(),
  ])
  return { ...toRequestCounts(counts), cachedTokens: Number(cached ?? 0) }
}

const selectRecords = (db: Db, { workspaceId, applicationId, from, to }: StatisticsQuery) => {
  const all = db
    .selectFrom('audit_record')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('endpoint', '<>', 'admin')
  return applicationId === undefined ? all : all.where('application_id', '=', uuidOf('app', applicationId))
}

const COUNT_COLUMNS = ({ fn }: ExpressionBuilder<Schema, 'audit_record'>) => [
  fn.countAll<number>().as('requests'),
  ...VERDICTS.map((verdict) => fn.countAll<number>().filterWhere('verdict', '=', verdict).as(verdict)),
  sql<number>`count(*) filter (where status >= 400 and coalesce(verdict, 'allow') in ('allow', 'escalate'))`.as('errors'),
  sql<number | null>`sum(tokens)`.as('tokens'),
  sql<number | null>`sum(cost)`.as('cost'),
  sql<number[] | null>`percentile_cont(array[0.5, 0.95]) within group (order by duration_ms)`.as('percentiles'),
]

type Row = { readonly [V in Verdict]: number } & {
  readonly requests: number
  readonly errors: number
  readonly tokens: number | null
  readonly cost: number | null
  readonly percentiles: number[] | null
}

function toRequestCounts(found: object): RequestCounts {
  const row = found as Row
  const [p50, p95] = row.percentiles ?? []
  return {
    requests: Number(row.requests),
    verdicts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, Number(row[verdict])])) as RequestCounts['verdicts'],
    errors: Number(row.errors),
    tokens: Number(row.tokens ?? 0),
    cost: row.cost === null ? null : Number(row.cost),
    p50Ms: p50 ?? null,
    p95Ms: p95 ?? null,
  }
}

export interface StageTimes {
  readonly name: string
  readonly p50Ms: number
  readonly p95Ms: number
  /** Records in which the stage ran. */
  readonly count: number
}

const SAMPLE_SIZE = 1_000

/**
 * Durations of the stages, from a sample of about a thousand records spread evenly over the time range, because whole records are
 * read.
 */
export async function stageTimes(db: Db, query: StatisticsQuery, requests: number): Promise<StageTimes[]> {
  const step = Math.max(Math.ceil(requests / SAMPLE_SIZE), 1)
  const rows = await selectRecords(db, query)
    .select('body')
    .where(sql<boolean>`sequence % ${step} = 0`)
    .limit(2 * SAMPLE_SIZE)
    .execute()
  const times = new Map<string, number[]>()
  for (const { body } of rows) {
    for (const { name, outcome, ms } of (JSON.parse(body) as AuditRecord).stages) {
      const known = times.get(name) ?? []
      if (outcome !== 'skipped') known.push(ms)
      times.set(name, known)
    }
  }
  return [...times].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b)
    return { name, p50Ms: quantile(sorted, 0.5), p95Ms: quantile(sorted, 0.95), count: sorted.length }
  })
}

const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
