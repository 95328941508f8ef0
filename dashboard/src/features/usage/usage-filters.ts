import { oneOf, textOf } from '../../routing/location.ts'
import { readPeriod, type TimeRange } from '../../routing/period.ts'

export const GROUPS = ['application', 'model', 'provider', 'user', 'key', 'team'] as const
export const MEASURES = ['requests', 'tokens', 'cost'] as const
export const INTERVALS = ['1h', '6h', '1d'] as const
export const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny'] as const

type Search = Readonly<Record<string, unknown>>

/** State of the page in its URL: a saved view is this query. */
export const readFilters = (search: Search) => ({
  ...readPeriod(search),
  group: oneOf(GROUPS, search.group) ?? 'application',
  measure: oneOf(MEASURES, search.measure) ?? 'requests',
  interval: oneOf(INTERVALS, search.interval),
  application: textOf(search.application),
  model: textOf(search.model),
  provider: textOf(search.provider),
  user: textOf(search.user),
  key: textOf(search.key),
  team: textOf(search.team),
  verdict: oneOf(VERDICTS, search.verdict),
})

export type UsageFilters = ReturnType<typeof readFilters>

/** Query of the API. */
export function queryOf(
  { group, measure, interval, application, model, provider, user, key, team, verdict }: UsageFilters,
  time: TimeRange,
) {
  return {
    ...time,
    group_by: group,
    order_by: measure,
    ...(interval && { interval }),
    ...(application && { application_id: application }),
    ...(model && { model }),
    ...(provider && { provider }),
    ...(user && { user }),
    ...(key && { key_id: key }),
    ...(team && { team_id: team }),
    ...(verdict && { verdict }),
  }
}

/** Local times of the audit log's filters, which name minutes. */
const localMinute = (iso: string): string => {
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** The filters that the audit log has too, for a link to the records. */
export const auditSearchOf = (
  { application, user, verdict }: UsageFilters,
  { from, to }: { readonly from: string; readonly to: string },
) => ({
  ...(application && { application }),
  ...(user && { user }),
  ...(verdict && { verdict }),
  from: localMinute(from),
  to: localMinute(to),
})
