import { Figures } from './figures.tsx'
import { formatCost, formatCount, formatMs, formatPercent } from './format-numbers.ts'

/** Sums over a period. */
interface Totals {
  readonly requests: number
  readonly verdicts: Readonly<Record<'allow' | 'escalate' | 'require_approval' | 'deny', number>>
  readonly errors: number
  readonly tokens: number
  readonly cached_tokens: number
  readonly cost: number | null
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null }
}

/** Key figures: requests, verdicts, latency, tokens and cost. */
export function TrafficFigures({ totals }: { readonly totals: Totals }) {
  const { requests, verdicts, errors, tokens, cached_tokens, cost, latency } = totals
  const decided = Object.values(verdicts).reduce((sum, count) => sum + count, 0)
  const figures = [
    { name: 'Requests', value: formatCount(requests), note: `${formatCount(errors)} failed` },
    {
      name: 'Allowed',
      value: formatPercent(verdicts.allow, decided),
      note: `${formatCount(verdicts.deny)} denied, ${formatCount(verdicts.require_approval)} held, ${formatCount(verdicts.escalate)} escalated`,
    },
    { name: 'Latency', value: formatMs(latency.p50_ms), note: `95th percentile ${formatMs(latency.p95_ms)}` },
    {
      name: 'Tokens',
      value: formatCount(tokens),
      note: [
        cost === null ? 'Cost not available' : `Cost ${formatCost(cost)}`,
        ...(cached_tokens > 0 ? [`${formatPercent(cached_tokens, tokens)} from cache`] : []),
      ].join(', '),
    },
  ]
  return <Figures figures={figures} />
}
