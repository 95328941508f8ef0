import type { UsageCounts } from '../../src/domains/audit/statistics/read-usage.ts'
import type { UsageQuery } from '../../src/domains/audit/statistics/usage-query.ts'
import type { Dimension } from '../../src/domains/audit/statistics/usage-sums.ts'
import { VERDICTS } from '../../src/shared/decision.ts'
import { OUTCOMES, outcomeOf, type RequestOutcome } from '../../src/shared/request-outcome.ts'

interface Attempt {
  readonly provider: string
  readonly model: string
  readonly ms: number
  readonly prompt_tokens?: number
  readonly cache_read_tokens?: number
  readonly completion_tokens?: number
  readonly reasoning_tokens?: number
  readonly cost?: number
}

/** The part of a record that is counted. */
export interface Counted {
  readonly application: string | null
  readonly key: string
  readonly user: string
  readonly endpoint: 'chat' | 'message' | 'admin'
  readonly verdict: (typeof VERDICTS)[number] | null
  readonly status: number
  readonly duration: number
  readonly attempts: readonly Attempt[]
  /** PostgreSQL cannot read the body as JSON. */
  readonly isUnreadable: boolean
}

/** The columns that a record's writer fills. */
export function columnsOf({ attempts: all }: Counted) {
  const sum = (read: (attempt: Attempt) => number | undefined) => all.reduce((total, attempt) => total + (read(attempt) ?? 0), 0)
  const priced = all.some(({ cost }) => cost !== undefined)
  return {
    tokens: sum(({ prompt_tokens }) => prompt_tokens) + sum(({ completion_tokens }) => completion_tokens),
    cached: sum(({ cache_read_tokens }) => cache_read_tokens) || null,
    cost: priced ? sum(({ cost }) => cost) : null,
  }
}

/** An attempt of a record, or a record without attempts. */
export interface Share extends Record<Dimension, string>, UsageCounts {
  readonly at: number
  readonly isLast: boolean
  readonly gatewayMs: number
  readonly providersMs: number | undefined
}

/** The same in plain code: what each attempt of the records adds to the counts. */
export function sharesOf(records: readonly (Counted & { readonly at: number })[], query: UsageQuery): Share[] {
  const within = records.filter(
    ({ at, endpoint }) => endpoint !== 'admin' && at >= query.from.getTime() && at < query.to.getTime(),
  )
  const { applicationId, keyIds, provider, model, userHashes, verdict } = query
  return within
    .filter((record) => verdict === undefined || record.verdict === verdict)
    .flatMap(sharesOfRecord)
    .filter(
      (share) =>
        (applicationId === undefined || share.application === applicationId) &&
        (keyIds === undefined || keyIds.includes(share.key)) &&
        (provider === undefined || share.provider === provider) &&
        (model === undefined || share.model === model) &&
        (userHashes === undefined || userHashes.includes(share.user)),
    )
}

function outcomesOf({ status, verdict }: Counted, count: number) {
  const outcome = outcomeOf({ status, decision: verdict && { verdict } })
  return Object.fromEntries(OUTCOMES.map((one) => [one, one === outcome ? count : 0])) as Record<RequestOutcome, number>
}

function sharesOfRecord(record: Counted & { readonly at: number }): Share[] {
  const columns = columnsOf(record)
  const readable = record.isUnreadable ? [] : record.attempts
  const providersMs = readable.length === 0 ? undefined : readable.reduce((sum, { ms }) => sum + ms, 0)
  const withoutAttempts: Attempt = {
    ...{ provider: '', model: '', ms: 0, prompt_tokens: columns.tokens, cache_read_tokens: columns.cached ?? 0 },
    ...(columns.cost !== null && { cost: columns.cost }),
  }
  return (readable.length === 0 ? [withoutAttempts] : readable).map((attempt, index, all) => {
    const isLast = index === all.length - 1
    const count = isLast ? 1 : 0
    const failed = record.status >= 400 && record.verdict !== 'deny' && record.verdict !== 'require_approval'
    const verdicts = Object.fromEntries(VERDICTS.map((name) => [name, record.verdict === name ? count : 0]))
    return {
      ...{ at: record.at, isLast, providersMs, gatewayMs: Math.max(record.duration - (providersMs ?? 0), 0) },
      application: record.application ?? '',
      key: record.isUnreadable ? '' : record.key,
      user: record.user,
      provider: attempt.provider,
      model: attempt.model,
      requests: count,
      verdicts: verdicts as UsageCounts['verdicts'],
      ...outcomesOf(record, count),
      errors: failed ? count : 0,
      inputTokens: attempt.prompt_tokens ?? 0,
      cachedTokens: attempt.cache_read_tokens ?? 0,
      outputTokens: attempt.completion_tokens ?? 0,
      reasoningTokens: attempt.reasoning_tokens ?? 0,
      cost: attempt.cost ?? null,
      durationMs: isLast ? record.duration : 0,
      providerMs: attempt.ms,
    }
  })
}
