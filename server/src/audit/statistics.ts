import { type ExpressionBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { VERDICTS, type Verdict } from '../domain/decision.ts'
import { uuidOf } from './chain.ts'
import type { AuditRecord } from './record.ts'

/** Whose records, and of what time: `from` inclusive, `to` exclusive. */
export interface StatisticsQuery {
  readonly workspaceId: string
  readonly applicationId?: string
  readonly from: Date
  readonly to: Date
}

/** What one interval, or all of them, came to. Operators' changes are not among it. */
export interface Counted {
  readonly requests: number
  readonly verdicts: Readonly<Record<Verdict, number>>
  /** Failures: neither an answer, nor a verdict. */
  readonly errors: number
  readonly tokens: number
  /** null: nothing had a price. */
  readonly cost: number | null
  /** Of the whole exchange; null: there was none. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export interface CountedInterval extends Counted {
  readonly at: Date
}

/** One entry for each interval in which something happened, oldest first. Served from one index: no record's text is read. */
export async function countByInterval(db: Db, query: StatisticsQuery, seconds: number): Promise<CountedInterval[]> {
  const at = sql<Date>`date_bin(make_interval(secs => ${seconds}), created_at, ${query.from})`
  const rows = await records(db, query).select(counts).select(at.as('at')).groupBy('at').orderBy('at').execute()
  return rows.map((row) => ({ at: row.at, ...countedOf(row) }))
}

export async function countAll(db: Db, query: StatisticsQuery): Promise<Counted> {
  return countedOf(await records(db, query).select(counts).executeTakeFirstOrThrow())
}

const records = (db: Db, { workspaceId, applicationId, from, to }: StatisticsQuery) => {
  const all = db
    .selectFrom('audit_record')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('endpoint', '<>', 'admin')
  return applicationId === undefined ? all : all.where('application_id', '=', uuidOf('app', applicationId))
}

const counts = ({ fn }: ExpressionBuilder<Schema, 'audit_record'>) => [
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

function countedOf(found: object): Counted {
  const row = found as Row
  const [p50, p95] = row.percentiles ?? []
  return {
    requests: Number(row.requests),
    verdicts: Object.fromEntries(VERDICTS.map((verdict) => [verdict, Number(row[verdict])])) as Counted['verdicts'],
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
  /** Records in which the stage worked. */
  readonly count: number
}

const SAMPLED = 1_000

/** How long stages took, from about a thousand records spread evenly over the time: theirs are read whole. */
export async function stageTimes(db: Db, query: StatisticsQuery, requests: number): Promise<StageTimes[]> {
  const step = Math.max(Math.ceil(requests / SAMPLED), 1)
  const rows = await records(db, query)
    .select('body')
    .where(sql<boolean>`sequence % ${step} = 0`)
    .limit(2 * SAMPLED)
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
