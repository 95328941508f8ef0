import { Type } from 'typebox'
import type { RequestCounts } from '../../../domains/audit/statistics/statistics.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'
import { ProviderView } from '../providers/provider-shapes.ts'
import { OutcomeCounts, outcomesView } from '../usage/usage-shapes.ts'
import { INTERVAL_NAMES } from '../usage/usage-time.ts'

const count = Type.Integer({ minimum: 0 })
const ms = nullable(
  Type.Number({ description: 'Milliseconds, at most 5 % off. null: no requests, or an interval shorter than an hour.' }),
)

const CountedFields = {
  requests: count,
  verdicts: Type.Object({ allow: count, escalate: count, require_approval: count, deny: count }, { title: 'VerdictCounts' }),
  outcomes: OutcomeCounts,
  errors: { ...count, description: 'Requests that were refused or failed for another reason than a policy.' },
  tokens: { ...count, description: 'Prompt and completion tokens of all provider requests.' },
  cost: nullable(Type.Number({ description: 'In USD. null: no model has a price.' })),
  latency: Type.Object({ p50_ms: ms, p95_ms: ms }, { title: 'Latency' }),
}

const Counted = Type.Object(CountedFields)
const Totals = Type.Object(
  {
    ...CountedFields,
    cached_tokens: { ...count, description: 'Part of `tokens` that providers read from their caches.' },
    reasoning_tokens: { ...count, description: 'Part of `tokens` that models used for reasoning.' },
  },
  { title: 'StatisticsTotals' },
)
export const StageView = Type.Object(
  { name: Type.String(), p50_ms: Type.Number(), p95_ms: Type.Number(), count },
  { title: 'StageStatistics' },
)

const StatisticsFields = {
  from: Timestamp,
  to: Timestamp,
  interval: oneOf(INTERVAL_NAMES, 'Interval'),
  totals: Totals,
  series: Type.Array(Type.Object({ at: Timestamp, ...CountedFields }, { title: 'StatisticsPoint' }), {
    description:
      'One entry for each interval, oldest first, including intervals without requests. Intervals begin at multiples of their length in UTC, so the first and the last may be partial.',
  }),
  stages: Type.Array(StageView, {
    description: 'Duration of the stages, from about 1,000 audit records spread evenly over the period.',
  }),
}

export const UsageView = Type.Object({
  object: Type.Literal('application_usage'),
  application_id: Type.String(),
  ...StatisticsFields,
})

const Waiting = Type.Object({ count, oldest: nullable(Timestamp), next_expiry: nullable(Timestamp) }, { title: 'WaitingItems' })

const ATTENTION = [
  'audit_tampered',
  'holds_expiring',
  'provider_down',
  'provider_fault',
  'budget_used_up',
  'holds_waiting',
  'escalations_waiting',
  'budget_alert',
  'errors',
  'no_policy',
] as const

export interface Attention {
  readonly kind: (typeof ATTENTION)[number]
  readonly text: string
  readonly link: string
}

export const OverviewView = Type.Object({
  object: Type.Literal('overview'),
  ...StatisticsFields,
  holds: Waiting,
  escalations: Waiting,
  providers: Type.Array(Type.Object({ id: Type.String(), enabled: Type.Boolean(), health: ProviderView.properties.health }), {
    description: 'State on the node that responds.',
  }),
  attention: Type.Array(
    Type.Object({
      kind: oneOf(ATTENTION),
      text: Type.String(),
      link: Type.String({ description: 'Path of the dashboard page that shows the problem.' }),
    }),
    { description: 'Most urgent first.' },
  ),
})

const computed = ({ inputTokens, outputTokens, p50Ms, p95Ms, ...counts }: RequestCounts) => ({
  outcomes: outcomesView(counts),
  tokens: inputTokens + outputTokens,
  latency: { p50_ms: p50Ms, p95_ms: p95Ms },
})

export const countedView = (counts: RequestCounts) => viewOf(Counted, counts, computed(counts))
export const totalsView = (counts: RequestCounts) => viewOf(Totals, counts, computed(counts))
