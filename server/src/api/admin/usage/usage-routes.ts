import { type TSchema, Type } from 'typebox'
import { readGroupLatencies, readLatency } from '../../../domains/audit/statistics/read-latency.ts'
import {
  NO_USAGE,
  readGroupIntervals,
  readGroups,
  readIntervals,
  readTotals,
  subtractUsage,
  sumOfUsage,
  type UsageCounts,
} from '../../../domains/audit/statistics/read-usage.ts'
import { rollUpNewestRecords } from '../../../domains/audit/statistics/roll-up.ts'
import type { UsageQuery } from '../../../domains/audit/statistics/usage-query.ts'
import { GROUPINGS, type Grouping } from '../../../domains/audit/statistics/usage-sums.ts'
import { findTeamsOfKeys } from '../../../domains/identity/team-store.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { csvCell } from '../../../platform/lib/csv.ts'
import { fromId, toId } from '../../../platform/lib/id.ts'
import { present } from '../../../platform/lib/present.ts'
import type { Operator } from '../../../shared/operator.ts'
import { applicationIn } from '../../kit/paging.ts'
import { handle, type QueryOf, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { userHashesOf } from '../audit/audit-query.ts'
import { inWorkspace } from '../kit/operation.ts'
import { sumsView, totalsView, USAGE_QUERY, UsageReportView } from './usage-shapes.ts'
import { INTERVALS, startsOf, timeOf, type UsageTime } from './usage-time.ts'

const docs = inWorkspace('GET /usage', 'getUsage', 'Get requests, tokens, cost and latency of a time, and of the time before', {
  scope: 'audit:read',
  description:
    'With `group_by`, also for the largest groups. A request counts for the provider and model of its last attempt; tokens and cost count for the attempt that used them. `format=csv` returns the groups, or the intervals without a grouping, as a file.',
  query: USAGE_QUERY,
  answers: {
    200: {
      description: 'The usage.',
      content: { 'application/json': { schema: UsageReportView }, 'text/csv': { schema: Type.String() } },
    } as TSchema,
  },
})

type Query = QueryOf<typeof USAGE_QUERY>

const DEFAULT_LIMIT = 10
const CSV_LIMIT = 100

export function usageRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, clock } = deps

  handle(app, docs, async ({ workspaceId, query, operator }, reply) => {
    const now = clock.now()
    const groupBy = GROUPINGS.find((dimension) => dimension === query.group_by)
    const time = timeOf(query, now, groupBy === 'user' || query.user !== undefined)
    const usage = await usageQueryOf(query, workspaceId, time, deps)
    const uncounted = await rollUpNewestRecords(db, workspaceId, now)
    const isCsv = query.format === 'csv'
    const limit = query.limit ?? (isCsv ? CSV_LIMIT : DEFAULT_LIMIT)
    const asked = { query: usage, time, groupBy, order: query.order_by ?? ('requests' as const), limit }
    const report = await reads.run((readDb) => readReport(readDb, asked))
    const values = report.groups.map(({ value }) => value)
    const labels = await labelsOf(deps, workspaceId, { dimension: groupBy, values, operator })
    const groups = report.groups.map((group) => ({ ...group, label: labels.get(group.value) ?? null }))
    if (isCsv) {
      reply.header('content-disposition', `attachment; filename="${fileName(time, groupBy)}"`)
      return reply.type('text/csv; charset=utf-8').send(toCsv({ ...report, groups }, groupBy))
    }
    return reply.send({
      object: 'usage',
      from: time.from.toISOString(),
      to: time.to.toISOString(),
      interval: time.interval,
      group_by: groupBy ?? 'none',
      currency: 'USD',
      uncounted,
      ...report,
      groups,
    })
  })
}

async function usageQueryOf(
  query: Query,
  workspaceId: string,
  { from, to }: UsageTime,
  { db, workspaceKeys: keys }: Pick<AdminDeps, 'db' | 'workspaceKeys'>,
): Promise<UsageQuery> {
  const { key_id: key, team_id: team, provider, model, user, verdict } = query
  const userHashes = user === undefined ? undefined : await hashesOf(user, workspaceId, keys)
  const hasTeams = team !== undefined || query.group_by === 'team'
  const teamOfKey = hasTeams ? await findTeamsOfKeys(db, workspaceId) : undefined
  const keyIds = keyIdsOf(key, team, teamOfKey)
  return {
    workspaceId,
    from,
    to,
    ...present({ applicationId: applicationIn(query), keyIds, teamOfKey, provider, model, userHashes, verdict }),
  }
}

/** The keys that the filters select; undefined: all. */
function keyIdsOf(key: string | undefined, team: string | undefined, teamOfKey: ReadonlyMap<string, string> = new Map()) {
  if (team === undefined) return key === undefined ? undefined : [key]
  const ofTeam = [...teamOfKey].filter(([, one]) => one === team).map(([id]) => id)
  return key === undefined ? ofTeam : ofTeam.filter((id) => id === key)
}

/** An empty text: requests without a user. */
const hashesOf = async (user: string, workspaceId: string, keys: AdminDeps['workspaceKeys']): Promise<readonly string[]> =>
  user === '' ? [''] : userHashesOf(user, (await keys.get(workspaceId)).hasher)

const fileName = ({ from, to }: UsageTime, groupBy: Grouping | undefined): string =>
  `usage-${groupBy ? `by-${groupBy}-` : ''}${from.toISOString().slice(0, 10)}-${to.toISOString().slice(0, 10)}.csv`

interface LabelledReport extends Omit<Report, 'groups'> {
  readonly groups: readonly (Report['groups'][number] & { readonly label: string | null })[]
}

function toCsv({ series, groups, other }: LabelledReport, groupBy: Grouping | undefined): string {
  if (!groupBy)
    return csvOf(
      ['start'],
      series.map(({ at, ...counts }): CsvRow => ({ cells: [at], counts })),
    )
  const rows = groups.map(({ value, label, totals }): CsvRow => ({ cells: [value, label ?? ''], counts: totals }))
  const rest = other && other.requests > 0 ? [{ cells: ['', 'Other'], counts: other }] : []
  return csvOf([groupBy, 'name'], [...rows, ...rest])
}

type Sums = ReturnType<typeof sumsView>

interface CsvRow {
  readonly cells: readonly string[]
  readonly counts: Sums
}

const COUNT_COLUMNS: Readonly<Record<string, (counts: Sums) => number | null>> = {
  requests: ({ requests }) => requests,
  allowed: ({ verdicts }) => verdicts.allow,
  escalated: ({ verdicts }) => verdicts.escalate,
  held: ({ verdicts }) => verdicts.require_approval,
  denied: ({ verdicts }) => verdicts.deny,
  errors: ({ errors }) => errors,
  input_tokens: ({ tokens }) => tokens.input,
  cached_tokens: ({ tokens }) => tokens.cached,
  output_tokens: ({ tokens }) => tokens.output,
  reasoning_tokens: ({ tokens }) => tokens.reasoning,
  cost_usd: ({ cost }) => cost,
}

function csvOf(header: readonly string[], rows: readonly CsvRow[]): string {
  const lines = [
    [...header, ...Object.keys(COUNT_COLUMNS)],
    ...rows.map(({ cells, counts }) => [
      ...cells.map(csvCell),
      ...Object.values(COUNT_COLUMNS).map((read) => String(read(counts) ?? '')),
    ]),
  ]
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('')
}

/** Users that are compared with keyed hashes: a hash takes microseconds. */
const MAX_USERS = 20_000

interface Grouped {
  readonly dimension: Grouping | undefined
  readonly values: readonly string[]
  readonly operator: Pick<Operator, 'scopes'>
}

/** Names of the groups, by value. Providers and models have no name. Users have one only if the operator may read users. */
async function labelsOf(
  { db, workspaceKeys }: AdminDeps,
  workspaceId: string,
  { dimension, values, operator }: Grouped,
): Promise<ReadonlyMap<string, string>> {
  const workspace = uuidOf('ws', workspaceId)
  const uuids = (prefix: string) => values.flatMap((value) => fromId(prefix, value) ?? [])
  if (dimension === 'application') {
    const rows = await db
      .selectFrom('application')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspace)
      .where('id', 'in', [...uuids('app'), workspace])
      .execute()
    return new Map(rows.map(({ id, name }) => [toId('app', id), name]))
  }
  if (dimension === 'team') {
    const rows = await db
      .selectFrom('team')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspace)
      .where('id', 'in', [...uuids('tea'), workspace])
      .execute()
    return new Map(rows.map(({ id, name }) => [toId('tea', id), name]))
  }
  if (dimension === 'key') {
    const rows = await db
      .selectFrom('api_key')
      .innerJoin('application', 'application.id', 'api_key.application_id')
      .select(['api_key.id', 'api_key.name', 'application.name as application'])
      .where('api_key.workspace_id', '=', workspace)
      .where('api_key.id', 'in', [...uuids('key'), workspace])
      .execute()
    return new Map(rows.map(({ id, name, application }) => [toId('key', id), `${name || toId('key', id)} (${application})`]))
  }
  if (dimension !== 'user' || !operator.scopes.includes('people:read')) return new Map()
  const { hasher } = await workspaceKeys.get(workspaceId)
  const users = await db
    .selectFrom('workspace_user')
    .select('id')
    .where('workspace_id', '=', workspace)
    .orderBy('updated_at', 'desc')
    .limit(MAX_USERS)
    .execute()
  const wanted = new Set(values)
  return new Map(
    users.flatMap(({ id }) => {
      const hash = hasher.user(id)
      return hash !== null && wanted.has(hash) ? [[hash, id] as const] : []
    }),
  )
}

interface Asked {
  readonly query: UsageQuery
  readonly time: UsageTime
  readonly groupBy: Grouping | undefined
  readonly order: 'requests' | 'tokens' | 'cost' | 'errors'
  readonly limit: number
}

type Report = Awaited<ReturnType<typeof report>>

/** Usage of a time and of the one before, from one state of the counts. */
const readReport = (db: Db, asked: Asked): Promise<Report> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((tx) => report(tx, asked))

async function report(tx: Tx, asked: Asked) {
  const { query, time } = asked
  const intervals = await readIntervals(tx, query, INTERVALS[time.interval])
  const totals = sumOfUsage([...intervals.values()])
  const latency = await readLatency(tx, query)
  const before = previousOf(query)
  const previous = totalsView(await readTotals(tx, before), await readLatency(tx, before))
  return {
    totals: totalsView(totals, latency),
    previous: { from: before.from.toISOString(), to: before.to.toISOString(), totals: previous },
    series: startsOf(time).map((at) => ({ at: new Date(at).toISOString(), ...sumsView(intervals.get(at) ?? NO_USAGE) })),
    ...(await groupsOf(tx, asked, before, totals)),
  }
}

const previousOf = (query: UsageQuery): UsageQuery => ({
  ...query,
  from: new Date(2 * query.from.getTime() - query.to.getTime()),
  to: query.from,
})

async function groupsOf(tx: Tx, { query, time, groupBy, order, limit }: Asked, before: UsageQuery, totals: UsageCounts) {
  if (groupBy === undefined) return { groups: [], other: null }
  const groups = await readGroups(tx, query, { dimension: groupBy, order, limit })
  const values = [...groups.keys()]
  const earlier = await readGroups(tx, before, { dimension: groupBy, order, limit, values })
  const latencies = await readGroupLatencies(tx, query, groupBy, values)
  const points = await readGroupIntervals(tx, query, { dimension: groupBy, values, seconds: INTERVALS[time.interval] })
  const starts = startsOf(time)
  const other = subtractUsage(totals, sumOfUsage([...groups.values()]))
  return {
    groups: [...groups].map(([value, counts]) => {
      const series = starts.map((at) => points.get(value)?.get(at) ?? NO_USAGE)
      return {
        value,
        totals: totalsView(counts, latencies?.get(value)),
        previous: sumsView(earlier.get(value) ?? NO_USAGE),
        series: {
          requests: series.map(({ requests }) => requests),
          tokens: series.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
          cost: series.map(({ cost }) => cost),
        },
      }
    }),
    other: groups.size < limit ? null : sumsView(other),
  }
}
