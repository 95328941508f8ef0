import type { Verdict } from '../../../shared/decision.ts'
import type { AuditUsageTable, AuditUsageUserTable, AuditUsageValueTable } from '../tables.ts'
import { type CountedAttempt, type CountedRecord, numberOf, textOf, tokensOf } from './counted-record.ts'
import { SPAN_MS, type Span, startOfSpan } from './usage-spans.ts'
import {
  addDuration,
  addDurations,
  addUsage,
  DIMENSIONS,
  type DurationSums,
  noDurationSums,
  noUsageSums,
  type UsageSums,
} from './usage-sums.ts'

type CombinationKey = Omit<AuditUsageTable, 'workspace_id' | 'at' | keyof UsageSums> & { readonly at: string }
type UserKey = CombinationKey & Pick<AuditUsageUserTable, 'user_hash'>
type ValueKey = Pick<AuditUsageValueTable, 'dimension' | 'span' | 'value'> & { readonly at: string }

type ValueSums = UsageSums & DurationSums & Record<Verdict, number>

export interface UsageRows {
  readonly combinations: readonly (CombinationKey & UsageSums)[]
  readonly users: readonly (UserKey & UsageSums)[]
  readonly values: readonly (ValueKey & ValueSums)[]
}

/** The attempts of records that are equal in all that is counted by, and the rows that they are added to. */
interface Group {
  readonly verdict: Verdict | ''
  readonly sums: UsageSums
  readonly durations: DurationSums
  readonly usageRows: readonly UsageSums[]
  readonly valueRows: readonly (ValueKey & ValueSums)[]
}

const SPANS = { combinations: ['minute', 'hour', 'day'], users: ['hour', 'day'], values: ['hour', 'day', 'week'] } as const

/** Records of the same minute that have all properties in common cost a look-up and some additions each. */
export class UsageCounter {
  readonly #oldestMinute: number
  readonly #groups = new Map<string, Group>()
  readonly #combinations = new Map<string, CombinationKey & UsageSums>()
  readonly #users = new Map<string, UserKey & UsageSums>()
  readonly #values = new Map<string, ValueKey & ValueSums>()

  /** `oldestMinute`: records before it are not counted by the minute. */
  constructor(oldestMinute: Date) {
    this.#oldestMinute = oldestMinute.getTime()
  }

  get size(): number {
    return this.#combinations.size + this.#users.size + this.#values.size
  }

  add(record: CountedRecord): void {
    // An operator's change is no request.
    if (record.endpoint === 'admin' || Number.isNaN(record.at)) return
    const { attempts } = record
    if (attempts.length === 0) this.#addAttempt(record, undefined, true)
    for (const [index, attempt] of attempts.entries()) this.#addAttempt(record, attempt, index === attempts.length - 1)
  }

  /** `attempt`: undefined for a record without attempts. */
  #addAttempt(record: CountedRecord, attempt: CountedAttempt | undefined, isLast: boolean): void {
    const { sums, durations } = this.#groupOf(record, textOf(attempt?.provider), textOf(attempt?.model))
    const cost = attempt === undefined ? record.cost : attempt?.cost
    sums.input_tokens += attempt === undefined ? record.tokens : tokensOf(attempt?.prompt_tokens)
    sums.cached_tokens += attempt === undefined ? record.cachedTokens : tokensOf(attempt?.cache_read_tokens)
    sums.output_tokens += tokensOf(attempt?.completion_tokens)
    sums.reasoning_tokens += tokensOf(attempt?.reasoning_tokens)
    if (typeof cost === 'number') sums.cost = (sums.cost ?? 0) + numberOf(cost)
    sums.provider_ms += numberOf(attempt?.ms)
    if (!isLast) return
    sums.requests += 1
    if (hasFailed(record)) sums.errors += 1
    if (record.outcome !== undefined) sums[record.outcome] += 1
    sums.duration_ms += record.durationMs
    const providersMs = record.attempts.reduce((sum, one) => sum + numberOf(one?.ms), 0)
    addDuration(durations, 'total_durations', record.durationMs)
    addDuration(durations, 'gateway_durations', Math.max(record.durationMs - providersMs, 0))
    if (attempt !== undefined) addDuration(durations, 'provider_durations', providersMs)
  }

  #groupOf(record: CountedRecord, provider: string, model: string): Group {
    const { applicationId, keyId, userHash, verdict, at } = record
    const key = [Math.floor(at / SPAN_MS.minute), applicationId, keyId, provider, model, verdict, userHash].join('\0')
    const known = this.#groups.get(key)
    if (known) return known
    const time = <S extends Span>(span: S) => ({ span, at: startOfSpan(span, new Date(at)).toISOString() })
    const combination = { application_id: applicationId, key_id: keyId, provider, model, verdict }
    const spans = SPANS.combinations.filter((span) => span !== 'minute' || at >= this.#oldestMinute)
    const values = { application: applicationId, provider, model, user: userHash, key: keyId, all: '' }
    const group: Group = {
      ...{ verdict, sums: noUsageSums(), durations: noDurationSums() },
      usageRows: [
        ...spans.map((span) => rowOf(this.#combinations, { ...combination, ...time(span) }, noUsageSums)),
        ...SPANS.users.map((span) =>
          rowOf<UserKey, UsageSums>(this.#users, { ...combination, ...time(span), user_hash: userHash }, noUsageSums),
        ),
      ],
      valueRows: ([...DIMENSIONS, 'all'] as const).flatMap((dimension) =>
        SPANS.values.map((span) => rowOf(this.#values, { dimension, ...time(span), value: values[dimension] }, noValueSums)),
      ),
    }
    this.#groups.set(key, group)
    return group
  }

  /** Call it once, at the end. */
  rows(): UsageRows {
    for (const { verdict, sums, durations, usageRows, valueRows } of this.#groups.values()) {
      for (const row of usageRows) addUsage(row, sums)
      for (const row of valueRows) {
        addUsage(row, sums)
        if (verdict !== '') row[verdict] += sums.requests
        if (row.dimension !== 'user' && row.dimension !== 'key') addDurations(row, durations)
      }
    }
    return {
      combinations: [...this.#combinations.values()],
      users: [...this.#users.values()],
      values: [...this.#values.values()],
    }
  }
}

const hasFailed = ({ status, verdict }: CountedRecord): boolean =>
  status >= 400 && verdict !== 'deny' && verdict !== 'require_approval'

const noValueSums = (): ValueSums => ({
  ...{ ...noUsageSums(), ...noDurationSums() },
  ...{ allow: 0, escalate: 0, require_approval: 0, deny: 0 },
})

function rowOf<Key extends object, Sums>(rows: Map<string, Key & Sums>, key: Key, noSums: () => Sums): Key & Sums {
  const text = Object.values(key).join('\0')
  const row = rows.get(text) ?? { ...key, ...noSums() }
  rows.set(text, row)
  return row
}
