import { parseTimeRange } from '../../audit/admin/audit-query.ts'
import { stageTimes } from '../../audit/statistics/stage-times.ts'
import { countRequests, type StatisticsQuery } from '../../audit/statistics/statistics.ts'
import { readStrained } from '../../budgets/strained-store.ts'
import type { Db } from '../../db/database.ts'
import { invalid, notFound } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import { findApplication } from '../../identity/application-store.ts'
import { healthView } from '../../providers/admin/provider-shapes.ts'
import { countPending, type PendingCount } from '../../review/pending-counts.ts'
import type { AdminDeps } from '../connect-domains.ts'
import { inWorkspace } from '../kit/operation.ts'
import { attentionTo } from './attention.ts'
import {
  countedView,
  INTERVALS,
  type Interval,
  OverviewView,
  STATISTICS_QUERY,
  stageView,
  totalsView,
  UsageView,
} from './overview-shapes.ts'

const docs = {
  overview: inWorkspace(
    'GET /overview',
    'getOverview',
    'Get the overview of a Workspace: usage, and problems that need attention',
    {
      scope: 'audit:read',
      query: STATISTICS_QUERY,
      answers: { 200: OverviewView },
    },
  ),
  usage: inWorkspace('GET /applications/:id/usage', 'getApplicationUsage', 'Get the usage of an Application', {
    scope: 'applications:read',
    query: STATISTICS_QUERY,
    answers: { 200: UsageView },
    errors: { 404: 'NOT_FOUND: the Application, or the Workspace' },
  }),
}

interface Asked {
  readonly from?: string
  readonly to?: string
  readonly interval?: Interval
}

export function overviewRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, clock, policies, auditWatch } = deps

  handle(app, docs.overview, async ({ workspaceId, query }) => {
    const now = clock.now()
    const time = timeOf(query, now)
    const [counted, waiting, providers, policy, budgets] = await Promise.all([
      reads.run((readDb) => statistics(readDb, { workspaceId, ...time }, time.interval)),
      countPending(db, workspaceId, now),
      providersOf(workspaceId, deps),
      policies.current(workspaceId),
      readStrained(db, workspaceId),
    ])
    const down = providers
      .filter(({ enabled, health }) => enabled && (health.circuit === 'open' || health.problem))
      .map(({ id }) => id)
    const faults = providers.flatMap(({ id, enabled, health }) =>
      enabled && health.last_error?.fault ? [{ id, kind: health.last_error.kind }] : [],
    )
    const { totals, ...shown } = counted
    return {
      object: 'overview',
      ...shown,
      totals: totalsView(totals),
      holds: waitingView(waiting, 'hold'),
      escalations: waitingView(waiting, 'escalation'),
      providers,
      attention: attentionTo({
        waiting,
        down,
        faults,
        budgets,
        totals,
        governed: policy !== undefined,
        tampered: auditWatch.faults.get(workspaceId),
        now,
      }),
    }
  })

  usageRoute(app, deps)
}

function usageRoute(app: TypedApp, { db, reads, clock }: AdminDeps): void {
  handle(app, docs.usage, async ({ workspaceId, params, query }) => {
    const application = await findApplication(db, workspaceId, params.id)
    if (!application) throw notFound('Application')
    const time = timeOf(query, clock.now())
    const counted = { workspaceId, applicationId: application.id, ...time }
    const { totals, ...shown } = await reads.run((readDb) => statistics(readDb, counted, time.interval))
    return {
      object: 'application_usage',
      application_id: application.id,
      ...shown,
      totals: totalsView(totals),
    }
  })
}

const DAY_MS = 86_400_000
const MAX_POINTS = 400
const POINTS = 100

function timeOf({ from: asked, to: until, interval }: Asked, now: Date) {
  const times = parseTimeRange({
    ...(asked !== undefined && { from: asked }),
    ...(until !== undefined && { to: until }),
  })
  const to = times.to ?? now
  const start = times.from ?? new Date(to.getTime() - DAY_MS)
  if (start >= to) throw invalid({ param: 'from', message: 'must be before to' })
  const seconds = (to.getTime() - start.getTime()) / 1_000
  const names = Object.keys(INTERVALS) as Interval[]
  const chosen = interval ?? names.find((name) => seconds / INTERVALS[name] <= POINTS) ?? '1d'
  if (seconds / INTERVALS[chosen] > MAX_POINTS) {
    throw invalid({
      param: 'interval',
      message: `must not make more than ${MAX_POINTS} points of the time`,
    })
  }
  // The default time has whole intervals but for the last.
  const intervalMs = INTERVALS[chosen] * 1_000
  const from = times.from ?? new Date(Math.ceil(start.getTime() / intervalMs) * intervalMs)
  return { from: from < to ? from : start, to, interval: chosen }
}

/** All intervals in order, including those without requests. The first and the last may be partial. */
async function statistics(db: Db, query: StatisticsQuery, interval: Interval) {
  const seconds = INTERVALS[interval]
  const { totals, intervals } = await countRequests(db, query, seconds)
  const times: number[] = []
  const first = Math.floor(query.from.getTime() / 1_000 / seconds) * seconds * 1_000
  for (let at = first; at < query.to.getTime(); at += seconds * 1_000) times.push(at)
  const nothing = {
    requests: 0,
    verdicts: { allow: 0, escalate: 0, require_approval: 0, deny: 0 },
    errors: 0,
    tokens: 0,
  }
  const series = times.map((at) => ({
    at: new Date(at).toISOString(),
    ...countedView(intervals.get(at) ?? { ...nothing, cost: null, p50Ms: null, p95Ms: null }),
  }))
  const stages = await stageTimes(db, query)
  return {
    from: query.from.toISOString(),
    to: query.to.toISOString(),
    interval,
    totals,
    series,
    stages: stages.map(stageView),
  }
}

async function providersOf(workspaceId: string, { providers, health }: AdminDeps) {
  return (await providers.get(workspaceId)).map((provider) => ({
    id: provider.id,
    enabled: provider.enabled,
    health: healthView(provider, health),
  }))
}

function waitingView(waiting: readonly PendingCount[], kind: PendingCount['kind']) {
  const found = waiting.find((one) => one.kind === kind)
  return {
    count: found?.count ?? 0,
    oldest: found?.oldest.toISOString() ?? null,
    next_expiry: found?.nextExpiry.toISOString() ?? null,
  }
}
