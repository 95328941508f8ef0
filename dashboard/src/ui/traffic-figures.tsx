import { Figures } from './figures.tsx'
import { costOf, countOf, msOf, shareOf } from './numbers.ts'

/** What all requests of a time come to. */
interface Totals {
  readonly requests: number
  readonly verdicts: Readonly<Record<'allow' | 'escalate' | 'require_approval' | 'deny', number>>
  readonly errors: number
  readonly tokens: number
  readonly cost: number | null
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null }
}

/** Requests, verdicts, latency, tokens and cost at one glance. */
export function TrafficFigures({ totals }: { readonly totals: Totals }) {
  const { requests, verdicts, errors, tokens, cost, latency } = totals
  const decided = Object.values(verdicts).reduce((sum, count) => sum + count, 0)
  const figures = [
    { name: 'Requests', value: countOf(requests), note: `${countOf(errors)} failed` },
    {
      name: 'Allowed',
      value: shareOf(verdicts.allow, decided),
      note: `${countOf(verdicts.deny)} denied, ${countOf(verdicts.require_approval)} held, ${countOf(verdicts.escalate)} escalated`,
    },
    { name: 'Latency', value: msOf(latency.p50_ms), note: `95th percentile ${msOf(latency.p95_ms)}` },
    {
      name: 'Tokens',
      value: countOf(tokens),
      note: cost === null ? 'cost unavailable' : `cost ${costOf(cost)}`,
    },
  ]
  return <Figures figures={figures} />
}
