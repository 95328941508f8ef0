import type { RecordFilter } from '../audit/audit-store.ts'
import type { KeyedHasher } from '../audit/hashes.ts'
import type { AuditEndpoint } from '../audit/record.ts'
import type { RiskLevel } from '../domain/classification.ts'
import type { Verdict } from '../domain/decision.ts'
import { parseTime } from '../lib/clock.ts'
import type { StatusClass } from './audit-shapes.ts'
import { applicationIn, invalidCursor, pageOf } from './paging.ts'
import { invalid } from './refusals.ts'

interface Times {
  readonly from?: string
  readonly to?: string
}

interface AuditQuery extends Times {
  readonly limit?: number
  readonly cursor?: string
  readonly application_id?: string
  readonly user?: string
  readonly verdict?: Verdict
  readonly risk_level?: RiskLevel
  readonly endpoint?: AuditEndpoint
  readonly status?: number | StatusClass
}

/** What is searched for. Records know users by their keyed hash only: `hasher` is the Workspace's. */
export function recordFilter(query: AuditQuery, hasher: KeyedHasher): RecordFilter {
  const { limit, after } = pageOf(query)
  const applicationId = applicationIn(query)
  const userHashes = query.user === undefined || query.user === '' ? undefined : hasher.known('user', query.user)
  const { verdict, risk_level: riskLevel, endpoint, status } = query
  return {
    limit,
    ...timesIn(query),
    ...(after !== undefined && { cursor: sequenceIn(after) }),
    ...(applicationId !== undefined && { applicationId }),
    ...(userHashes && { userHashes }),
    ...(verdict && { verdict }),
    ...(riskLevel && { riskLevel }),
    ...(endpoint && { endpoint }),
    ...(status !== undefined && { status: statusesOf(status) }),
  }
}

/** Of one status, or of a class: `5xx` is 500 to 599. */
function statusesOf(status: number | StatusClass): { readonly from: number; readonly to: number } {
  if (typeof status === 'number') return { from: status, to: status }
  const from = Number(status[0]) * 100
  return { from, to: from + 99 }
}

/** The place in the chain where the page before ended. */
export function sequenceIn(key: string): number {
  if (!/^[1-9]\d{0,14}$/.test(key)) throw invalidCursor()
  return Number(key)
}

export const timesIn = ({ from, to }: Times) => ({
  ...(from !== undefined && { from: timeIn('from', from) }),
  ...(to !== undefined && { to: timeIn('to', to) }),
})

/** RFC 3339 knows leap seconds, which a Date does not; and with its offset a time may lie beyond the years that it can write. */
function timeIn(param: string, text: string): Date {
  const time = parseTime(text)
  if (!time) throw invalid({ param, message: 'must be a point in time, of the years 0001 to 9999 in UTC' })
  return time
}
