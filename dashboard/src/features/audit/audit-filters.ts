import { useMemo } from 'react'
import { OUTCOMES } from '../../../../server/src/shared/request-outcome.ts'
import { oneOf, textOf } from '../../routing/location.ts'
import { PERIODS, periodStart } from '../../routing/period.ts'

export const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny'] as const
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export const ENDPOINTS = [
  'chat',
  'embeddings',
  'models',
  'knowledge_search',
  'memory_search',
  'memory_capture',
  'stored_responses',
  'audit',
  'message',
  'admin',
] as const

export const SORTS = ['latency', '-latency', 'cost', '-cost', 'tokens', '-tokens'] as const

/** Filters in the page's URL. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  application: textOf(search.application),
  user: textOf(search.user),
  outcome: listOf(OUTCOMES, search.outcome),
  verdict: listOf(VERDICTS, search.verdict),
  risk: oneOf(RISK_LEVELS, search.risk),
  endpoint: oneOf(ENDPOINTS, search.endpoint),
  status: textOf(search.status),
  model: textOf(search.model),
  provider: textOf(search.provider),
  rule: textOf(search.rule),
  slower: textOf(search.slower),
  costlier: textOf(search.costlier),
  period: oneOf(PERIODS, search.period),
  from: textOf(search.from),
  to: textOf(search.to),
  sort: oneOf(SORTS, search.sort),
})

/** The known values of a list like `deny,escalate`. */
function listOf(known: readonly string[], list: unknown): string | undefined {
  const values = (textOf(list) ?? '').split(',').filter((value) => known.includes(value))
  return [...new Set(values)].join() || undefined
}

export type AuditFilters = ReturnType<typeof readFilters>

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

/** A status or status class; undefined if the text is neither. */
const statusOf = (text: string) => (/^[1-5]\d\d$/.test(text) ? Number(text) : oneOf(STATUS_CLASSES, text.toLowerCase()))

export const isStatusInvalid = ({ status }: Pick<AuditFilters, 'status'>): boolean =>
  status !== undefined && statusOf(status) === undefined

/** A count of milliseconds; undefined if the text is none. */
const msOf = (text: string | undefined) => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined)
/** An amount of USD; undefined if the text is none. */
const costOf = (text: string | undefined) => (text !== undefined && /^\d{1,9}([.]\d{1,9})?$/.test(text) ? text : undefined)

export const isLatencyInvalid = ({ slower }: AuditFilters): boolean => slower !== undefined && msOf(slower) === undefined
export const isCostInvalid = ({ costlier }: AuditFilters): boolean => costlier !== undefined && costOf(costlier) === undefined

/** The filter whose text has no meaning. */
export function problemOf(filters: AuditFilters): 'status' | 'latency' | 'cost' | undefined {
  if (isStatusInvalid(filters)) return 'status'
  if (isLatencyInvalid(filters)) return 'latency'
  return isCostInvalid(filters) ? 'cost' : undefined
}

/** Query of the API, without the sort. A period that ends now starts at the same time until the filters change. */
export function useAuditQuery(filters: AuditFilters) {
  const key = JSON.stringify({ ...filters, sort: undefined })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are new objects with each render
  return useMemo(() => queryOf(filters), [key])
}

/** Local times are converted to UTC. */
export function queryOf({ status: statusText, ...filters }: AuditFilters) {
  const { application, user, outcome, verdict, risk, endpoint, model, provider, rule } = filters
  const latency = msOf(filters.slower)
  const cost = costOf(filters.costlier)
  const status = statusText === undefined ? undefined : statusOf(statusText)
  return {
    ...(application && { application_id: application }),
    ...(user && { user }),
    ...(outcome && { outcome }),
    ...(verdict && { verdict }),
    ...(risk && { risk_level: risk }),
    ...(endpoint && { endpoint }),
    ...(status !== undefined && { status }),
    ...(model && { model }),
    ...(provider && { provider }),
    ...(rule && { rule }),
    ...(latency !== undefined && { latency_from: latency }),
    ...(cost !== undefined && { cost_from: cost }),
    ...timesOf(filters),
  }
}

export function timesOf({ period, from, to }: Pick<AuditFilters, 'period' | 'from' | 'to'>): { from?: string; to?: string } {
  if (period) return { from: periodStart(period) }
  const start = instantOf(from)
  const end = instantOf(to)
  return { ...(start && { from: start }), ...(end && { to: end }) }
}

/** A local time (`2026-11-21T09:30`) in UTC; undefined if invalid. */
function instantOf(local: string | undefined): string | undefined {
  const time = local ? new Date(local) : undefined
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined
}
