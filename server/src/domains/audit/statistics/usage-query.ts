import { type RawBuilder, sql } from 'kysely'
import { uuidOf } from '../../../platform/db/values.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { type Dimension, toUuidOrText } from './dimension-values.ts'
import { ceilTo, floorTo, HOUR_MS, MINUTES_KEPT_MS, SPAN_MS, type Span, startOfSpan } from './usage-spans.ts'

/** Values of a dimension are ids and names; `user`: keyed hashes. An empty text: the request has none. */
export interface UsageFilter {
  readonly applicationId?: string
  readonly keyId?: string
  readonly provider?: string
  readonly model?: string
  readonly userHashes?: readonly string[]
  readonly verdict?: Verdict
}

/** Requests to count: `from` inclusive, `to` exclusive. */
export interface UsageQuery extends UsageFilter {
  readonly workspaceId: string
  readonly from: Date
  readonly to: Date
}

const MINUTE_MS = SPAN_MS.minute

/** Longest time that is counted to the minute. */
const MINUTES_READ_MS = 6 * HOUR_MS

/** Whether there are counts of minutes for a time. Those of users have none. */
export const hasMinutes = ({ from, to }: Pick<UsageQuery, 'from' | 'to'>, byUser: boolean, now: Date): boolean =>
  !byUser && to.getTime() - from.getTime() <= MINUTES_READ_MS && from.getTime() > now.getTime() - MINUTES_KEPT_MS + HOUR_MS

/** The time that is counted: outwards to whole minutes, or whole hours. */
export function roundedTime<T extends Pick<UsageQuery, 'from' | 'to'>>(query: T, byUser: boolean, now: Date): T {
  const step = hasMinutes(query, byUser, now) ? MINUTE_MS : HOUR_MS
  return { ...query, from: floorTo(step, query.from), to: ceilTo(step, query.to) }
}

const SHORTER = { week: 'day', day: 'hour', hour: 'minute' } as const

export interface Piece {
  readonly span: Span
  readonly from: Date
  readonly to: Date
}

/**
 * Divides a rounded time into spans of `longest`, and the shorter ones before and after them. A day or week that began before `keptFrom` is
 * divided, because retention has removed a part of it.
 */
export function piecesOf({ from, to }: Pick<UsageQuery, 'from' | 'to'>, longest: Span, keptFrom: Date): Piece[] {
  if (from >= to) return []
  if (longest === 'minute') return [{ span: 'minute', from, to }]
  const shorter = SHORTER[longest]
  const earliest = longest !== 'hour' && keptFrom > from ? keptFrom : from
  const end = startOfSpan(longest, to)
  const floor = startOfSpan(longest, earliest)
  const start = floor < earliest ? new Date(floor.getTime() + SPAN_MS[longest]) : floor
  if (start >= end) return piecesOf({ from, to }, shorter, keptFrom)
  return [
    ...piecesOf({ from, to: start }, shorter, keptFrom),
    { span: longest, from: start, to: end },
    ...piecesOf({ from: end, to }, shorter, keptFrom),
  ]
}

/** Longest time that is read from the counts of all combinations, which are kept to the minute and have few rows for it. */
export const isShort = ({ from, to }: Pick<UsageQuery, 'from' | 'to'>): boolean =>
  to.getTime() - from.getTime() <= MINUTES_READ_MS

/** The one value that the filters select: `all` without filters. undefined: they are several, or the verdict. */
export function placeOf({ applicationId, keyId, provider, model, userHashes, verdict }: UsageFilter) {
  if (verdict) return undefined
  const chosen: { readonly dimension: Dimension | 'all'; readonly values: readonly string[] }[] = [
    ...(applicationId === undefined
      ? []
      : [{ dimension: 'application' as const, values: [toUuidOrText('application', applicationId)] }]),
    ...(provider === undefined ? [] : [{ dimension: 'provider' as const, values: [provider] }]),
    ...(model === undefined ? [] : [{ dimension: 'model' as const, values: [model] }]),
    ...(keyId === undefined ? [] : [{ dimension: 'key' as const, values: [keyId] }]),
    ...(userHashes ? [{ dimension: 'user' as const, values: userHashes }] : []),
  ]
  return chosen.length > 1 ? undefined : (chosen[0] ?? { dimension: 'all' as const, values: [''] })
}

/** SQL condition on a column of values. */
export const among = (column: RawBuilder<unknown>, values: readonly string[]): RawBuilder<unknown> =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${[...values]}::text[])`

/** SQL conditions on the counts of all combinations. */
export function conditionsOf({ applicationId, keyId, provider, model, userHashes, verdict }: UsageFilter): RawBuilder<unknown>[] {
  return [
    ...(applicationId === undefined ? [] : [sql`application_id = ${uuidOf('app', applicationId)}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(userHashes ? [sql`user_hash = any(${[...userHashes]}::text[])`] : []),
    ...(verdict ? [sql`verdict = ${verdict}`] : []),
  ]
}
