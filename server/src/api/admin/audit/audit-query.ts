import type { KeyedHasher } from '../../../domains/audit/record/hashes.ts'
import type { Range, RecordFilter } from '../../../domains/audit/record-filter.ts'
import type { RecordSort } from '../../../domains/audit/search-records.ts'
import { parseTime } from '../../../platform/lib/clock.ts'
import { present } from '../../../platform/lib/present.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { invalid } from '../../../shared/request-errors.ts'
import type { RequestOutcome } from '../../../shared/request-outcome.ts'
import { applicationIn, invalidCursor, type PAGE, pageOf, sortOf } from '../../kit/paging.ts'
import type { QueryOf } from '../../kit/route.ts'
import { type AUDIT_FILTER, type AUDIT_SORT, RECORD_SORTS, type StatusClass, type TIME_RANGE_QUERY } from './audit-shapes.ts'

type FilterQuery = QueryOf<typeof PAGE & typeof AUDIT_FILTER & typeof AUDIT_SORT>

/** The filter of a query. Audit records contain only the keyed hash of users: `hasher` is the Workspace's. */
export function toRecordFilter(query: FilterQuery, hasher: KeyedHasher): RecordFilter {
  const { limit = 20, user, verdict, risk_level: riskLevel, endpoint, status, model, provider, rule } = query
  return {
    limit,
    ...parseTimeRange(query),
    ...present({
      ...{ applicationId: applicationIn(query), model, provider, rule, riskLevel, endpoint },
      userHashes: user ? userHashesOf(user, hasher) : undefined,
      verdicts: verdict?.split(',') as Verdict[] | undefined,
      outcomes: query.outcome?.split(',') as RequestOutcome[] | undefined,
      latencyMs: rangeOf(query.latency_from, query.latency_to),
      cost: rangeOf(numberOf(query.cost_from), numberOf(query.cost_to)),
      status: status === undefined ? undefined : statusesOf(status),
    }),
  }
}

const HASH = /^[0-9a-f]{64}$/

/** The hash that records have for a user id, and the text itself if it is a hash, as the usage by user has it. */
export const userHashesOf = (user: string, hasher: Pick<KeyedHasher, 'user'>): readonly string[] => [
  ...[hasher.user(user), HASH.test(user) ? user : null].filter((hash) => hash !== null),
]

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

const rangeOf = (from: number | undefined, to: number | undefined): Range | undefined =>
  from === undefined && to === undefined ? undefined : present({ from, to })

/** Where a page of the newest records begins. Throws a 400 for a cursor that no list has returned. */
export function startOf(page: Parameters<typeof pageOf>[0]): Pick<RecordFilter, 'below'> {
  const { after } = pageOf(page)
  return after === undefined ? {} : { below: parseSequence(after) }
}

export function toRecordSort(query: FilterQuery): RecordSort | undefined {
  const sort = sortOf(RECORD_SORTS, query)
  if (!sort) return undefined
  const { after } = pageOf(query)
  return { ...sort, ...(after !== undefined && { after: parsePlace(after) }) }
}

export const formatPlace = ({ value, sequence, top }: NonNullable<RecordSort['after']>): string => `${value} ${sequence} ${top}`

function parsePlace(key: string): NonNullable<RecordSort['after']> {
  const [value = Number.NaN, sequence = 0, top = 0, more] = key.split(' ').map(Number)
  const isPosition = (position: number) => Number.isSafeInteger(position) && position > 0
  if (!Number.isFinite(value) || !isPosition(sequence) || !isPosition(top) || more !== undefined) throw invalidCursor()
  return { value, sequence, top }
}

function statusesOf(status: number | StatusClass): { readonly from: number; readonly to: number } {
  if (typeof status === 'number') return { from: status, to: status }
  const from = Number(status[0]) * 100
  return { from, to: from + 99 }
}

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
