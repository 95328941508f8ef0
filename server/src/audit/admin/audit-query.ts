import { applicationIn, invalidCursor, type PAGE, pageOf } from '../../http/paging.ts'
import { invalid } from '../../http/refusals.ts'
import type { QueryOf } from '../../http/route.ts'
import { parseTime } from '../../lib/clock.ts'
import type { KeyedHasher } from '../record/hashes.ts'
import type { RecordFilter } from '../search-records.ts'
import type { AUDIT_FILTER, StatusClass, TIME_RANGE_QUERY } from './audit-shapes.ts'

/** The filter of a query. Audit records contain only the keyed hash of users: `hasher` is the Workspace's. */
export function toRecordFilter(query: QueryOf<typeof PAGE & typeof AUDIT_FILTER>, hasher: KeyedHasher): RecordFilter {
  const { limit, after } = pageOf(query)
  const applicationId = applicationIn(query)
  const userHashes = query.user === undefined || query.user === '' ? undefined : hasher.known('user', query.user)
  const { verdict, risk_level: riskLevel, endpoint, status } = query
  return {
    limit,
    ...parseTimeRange(query),
    ...(after !== undefined && { below: parseSequence(after) }),
    ...(applicationId !== undefined && { applicationId }),
    ...(userHashes && { userHashes }),
    ...(verdict && { verdict }),
    ...(riskLevel && { riskLevel }),
    ...(endpoint && { endpoint }),
    ...(status !== undefined && { status: statusesOf(status) }),
  }
}

/** Range of a status or a class: `5xx` is 500 to 599. */
function statusesOf(status: number | StatusClass): { readonly from: number; readonly to: number } {
  if (typeof status === 'number') return { from: status, to: status }
  const from = Number(status[0]) * 100
  return { from, to: from + 99 }
}

/** Sequence of the last record of the previous page. */
export function parseSequence(key: string): number {
  if (!/^[1-9]\d{0,14}$/.test(key)) throw invalidCursor()
  return Number(key)
}

export const parseTimeRange = ({ from, to }: QueryOf<typeof TIME_RANGE_QUERY>) => ({
  ...(from !== undefined && { from: timeIn('from', from) }),
  ...(to !== undefined && { to: timeIn('to', to) }),
})

/** RFC 3339 allows leap seconds, which Date does not, and offsets that move a time out of the supported years. */
function timeIn(param: string, text: string): Date {
  const time = parseTime(text)
  if (!time) throw invalid({ param, message: 'must be a date-time between the years 0001 and 9999 in UTC' })
  return time
}
