import { Type } from 'typebox'
import type { Latency } from '../../../domains/audit/statistics/read-latency.ts'
import type { UsageCounts } from '../../../domains/audit/statistics/read-usage.ts'
import { GROUPINGS } from '../../../domains/audit/statistics/usage-sums.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { VERDICTS } from '../../../shared/decision.ts'
import { OUTCOMES, type RequestOutcome } from '../../../shared/request-outcome.ts'
import { nullable } from '../../../shared/schemas.ts'
import { INTERVAL_NAMES, USAGE_TIME_QUERY } from './usage-time.ts'

const GROUPED_BY = ['none', ...GROUPINGS] as const
const ORDERS = ['requests', 'tokens', 'cost', 'errors'] as const
const name = (description: string) => Type.Optional(Type.String({ maxLength: 256, description }))

export const USAGE_QUERY = {
  ...USAGE_TIME_QUERY,
  group_by: Type.Optional({ ...oneOf(GROUPED_BY, 'UsageGrouping'), description: 'Default: none.' }),
  order_by: Type.Optional({ ...oneOf(ORDERS), description: 'Which groups are the largest. Default: requests.' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Number of groups; the others are summed. Default: 10, of CSV 100.' }),
  ),
  application_id: Type.Optional(Type.String()),
  provider: name('Requests whose last attempt was at this provider. Empty: no provider was called.'),
  model: name('Requests whose last attempt was at this model. Empty: no model was called.'),
  key_id: name('Requests with this API key. Empty: without a key.'),
  team_id: name('Requests with the keys that are now in this team.'),
  user: name('User id, or its keyed hash as in audit records.'),
  verdict: Type.Optional(oneOf(VERDICTS, 'Verdict')),
  format: Type.Optional({ ...oneOf(['json', 'csv']), description: 'Default: json.' }),
}

const count = Type.Integer({ minimum: 0 })
const ms = nullable(Type.Number())
const Percentiles = Type.Object({ average_ms: ms, p50_ms: ms, p95_ms: ms }, { title: 'Percentiles' })
const cost = nullable(Type.Number({ description: 'null: no model has a price.' }))

/** Requests by outcome, as in audit records. */
export const OutcomeCounts = Type.Object(
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count])) as Record<RequestOutcome, typeof count>,
  {
    title: 'OutcomeCounts',
    description: 'As `outcome` of audit records. Requests without a decision have none.',
  },
)

/** The part of the counts that `OutcomeCounts` shows. */
export const outcomesView = (counts: Readonly<Record<RequestOutcome, number>>): Record<RequestOutcome, number> =>
  Object.fromEntries(OUTCOMES.map((outcome) => [outcome, counts[outcome]])) as Record<RequestOutcome, number>

const Counts = {
  requests: count,
  verdicts: Type.Object({ allow: count, escalate: count, require_approval: count, deny: count }, { title: 'VerdictCounts' }),
  outcomes: OutcomeCounts,
  errors: { ...count, description: 'Requests that were refused or failed for another reason than a policy.' },
  tokens: Type.Object(
    {
      total: count,
      input: count,
      cached: { ...count, description: 'Part of `input` that providers read from their caches.' },
      output: count,
      reasoning: { ...count, description: 'Part of `output`.' },
    },
    { title: 'TokenCounts' },
  ),
  cost,
  latency: Type.Object(
    { total: Percentiles, gateway: Percentiles, provider: Percentiles },
    {
      description:
        'Of the whole requests, of Gatehouse alone and of the providers. Percentiles are at most 5 % off and cover whole hours; null where filters or the grouping have only averages.',
    },
  ),
}

const Totals = Type.Object(Counts, { title: 'UsageTotals' })
const { latency: _, ...SumCounts } = Counts
const Sums = Type.Object(SumCounts, { title: 'UsageSums' })
const Point = Type.Object({ at: Timestamp, ...SumCounts })

export const UsageReportView = Type.Object({
  object: Type.Literal('usage'),
  from: Timestamp,
  to: Timestamp,
  interval: oneOf(INTERVAL_NAMES, 'Interval'),
  group_by: oneOf(GROUPED_BY, 'UsageGrouping'),
  currency: Type.Literal('USD', { description: 'Of all costs.' }),
  uncounted: {
    ...count,
    description: 'Recorded requests and changes that the counts do not contain yet: many only after an import.',
  },
  totals: Totals,
  previous: Type.Object(
    { from: Timestamp, to: Timestamp, totals: Totals },
    { description: 'The time of the same length before.' },
  ),
  series: Type.Array(Point, {
    description: 'One entry for each interval in UTC, oldest first. The first and the last may be partial.',
  }),
  groups: Type.Array(
    Type.Object({
      value: Type.String({ description: 'Id or name; of a user the keyed hash. Empty: none.' }),
      label: nullable(
        Type.String({ description: 'Name of an Application, team or key; id of a user of the Workspace, with `people:read`.' }),
      ),
      totals: Totals,
      previous: Sums,
      series: Type.Object(
        { requests: Type.Array(count), tokens: Type.Array(count), cost: Type.Array(cost) },
        { description: 'One value for each entry of the series of all requests.' },
      ),
    }),
    { description: 'Largest first.' },
  ),
  other: nullable({ ...Sums, description: 'All other groups together.' }),
})

export const sumsView = (counts: UsageCounts) => ({
  requests: counts.requests,
  verdicts: counts.verdicts,
  outcomes: outcomesView(counts),
  errors: counts.errors,
  tokens: {
    total: counts.inputTokens + counts.outputTokens,
    input: counts.inputTokens,
    cached: counts.cachedTokens,
    output: counts.outputTokens,
    reasoning: counts.reasoningTokens,
  },
  cost: counts.cost,
})

const NONE = { p50Ms: null, p95Ms: null }

export function totalsView(counts: UsageCounts, latency: Latency | undefined) {
  const { requests, durationMs, providerMs } = counts
  const view = (part: keyof Latency, sum: number) => {
    const { p50Ms, p95Ms } = latency?.[part] ?? NONE
    return { average_ms: requests === 0 ? null : sum / requests, p50_ms: p50Ms, p95_ms: p95Ms }
  }
  return {
    ...sumsView(counts),
    latency: {
      total: view('total', durationMs),
      gateway: view('gateway', Math.max(durationMs - providerMs, 0)),
      provider: view('provider', providerMs),
    },
  }
}
