import { NO_USAGE } from '../../../domains/audit/statistics/read-usage.ts'
import { rollUpNewestRecords } from '../../../domains/audit/statistics/roll-up.ts'
import { countRequests, type StatisticsQuery, stageTimes } from '../../../domains/audit/statistics/statistics.ts'
import { readBudgetsNearLimit } from '../../../domains/budgets/window-store.ts'
import { findApplication } from '../../../domains/identity/application-store.ts'
import { countPending, type PendingCount } from '../../../domains/review/service-levels.ts'
import type { Db } from '../../../platform/db/database.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { inWorkspace } from '../kit/operation.ts'
import { healthView } from '../providers/provider-shapes.ts'
import { INTERVALS, type Interval, startsOf, timeOf, USAGE_TIME_QUERY } from '../usage/usage-time.ts'
import { attentionTo } from './attention.ts'
import { countedView, OverviewView, StageView, totalsView, UsageView } from './overview-shapes.ts'

const docs = {
  overview: inWorkspace(
    'GET /overview',
    'getOverview',
    'Get the overview of a Workspace: usage, and problems that need attention',
    { scope: 'audit:read', query: USAGE_TIME_QUERY, answers: { 200: OverviewView } },
  ),
  usage: inWorkspace('GET /applications/:id/usage', 'getApplicationUsage', 'Get the usage of an Application', {
    scope: 'applications:read',
    query: USAGE_TIME_QUERY,
    answers: { 200: UsageView },
    errors: { 404: 'NOT_FOUND: the Application, or the Workspace' },
  }),
}

export function overviewRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, reads, clock, policies, auditWatch } = deps

  handle(app, docs.overview, async ({ workspaceId, query }) => {
    const now = clock.now()
    const time = timeOf(query, now)
    await rollUpNewestRecords(db, workspaceId, now)
    const [counted, waiting, providers, policy, budgets] = await Promise.all([
      reads.run((readDb) => statistics(readDb, { workspaceId, ...time }, time.interval)),
      countPending(db, workspaceId, now),
      providersOf(workspaceId, deps),
      policies.current(workspaceId),
      readBudgetsNearLimit(db, workspaceId),
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
    const application = requireFound(await findApplication(db, workspaceId, params.id), 'Application')
    const now = clock.now()
    const time = timeOf(query, now)
    await rollUpNewestRecords(db, workspaceId, now)
    const counted = { workspaceId, applicationId: application.id, ...time }
    const { totals, ...shown } = await reads.run((readDb) => statistics(readDb, counted, time.interval))
    return { object: 'application_usage', application_id: application.id, ...shown, totals: totalsView(totals) }
  })
}

/** All intervals in order, including those without requests. The first and the last may be partial. */
async function statistics(db: Db, query: StatisticsQuery, interval: Interval) {
  const { totals, intervals } = await countRequests(db, query, INTERVALS[interval])
  const series = startsOf({ ...query, interval }).map((at) => ({
    at: new Date(at).toISOString(),
    ...countedView(intervals.get(at) ?? { ...NO_USAGE, p50Ms: null, p95Ms: null }),
  }))
  const stages = await stageTimes(db, query)
  return {
    from: query.from.toISOString(),
    to: query.to.toISOString(),
    interval,
    totals,
    series,
    stages: stages.map((stage) => viewOf(StageView, stage)),
  }
}

async function providersOf(workspaceId: string, { providers, health }: AdminDeps) {
  const known = await providers.get(workspaceId)
  return known.map((provider) => ({ id: provider.id, enabled: provider.enabled, health: healthView(provider, health) }))
}

function waitingView(waiting: readonly PendingCount[], kind: PendingCount['kind']) {
  const found = waiting.find((one) => one.kind === kind)
  return {
    count: found?.count ?? 0,
    oldest: found?.oldest.toISOString() ?? null,
    next_expiry: found?.nextExpiry.toISOString() ?? null,
  }
}
