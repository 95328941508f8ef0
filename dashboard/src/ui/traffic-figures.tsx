import { useTranslation } from 'react-i18next'
import { Figures } from './figures.tsx'
import { formatCount, formatDollars, formatMs, formatPercent } from './format-numbers.ts'
import type { RequestOutcome } from './outcome.tsx'

/** Sums over a period. */
interface Totals {
  readonly requests: number
  readonly outcomes: Readonly<Record<RequestOutcome, number>>
  readonly tokens: number
  readonly cached_tokens: number
  readonly reasoning_tokens: number
  readonly cost: number | null
  readonly latency: { readonly p50_ms: number | null; readonly p95_ms: number | null }
}

/** Key figures: requests, outcomes, latency, tokens and cost. */
export function TrafficFigures({ totals }: { readonly totals: Totals }) {
  const { t } = useTranslation('ui')
  const { requests, outcomes, tokens, cached_tokens, reasoning_tokens, cost, latency } = totals
  const { allowed, redacted, escalated, held, denied, refused, failed } = outcomes
  const parts = [
    ...(cached_tokens > 0 ? [t('traffic.cached', { share: formatPercent(cached_tokens, tokens) })] : []),
    ...(reasoning_tokens > 0 ? [t('traffic.reasoning', { tokens: formatCount(reasoning_tokens) })] : []),
  ]
  const figures = [
    {
      name: t('traffic.requests'),
      value: formatCount(requests),
      note: t('traffic.failed', { failed: formatCount(failed), refused: formatCount(refused) }),
    },
    {
      name: t('traffic.allowed'),
      value: formatPercent(allowed + redacted + escalated, requests),
      note: t('traffic.refused', { denied: formatCount(denied), held: formatCount(held) }),
    },
    { name: t('traffic.latency'), value: formatMs(latency.p95_ms), note: t('traffic.median', { ms: formatMs(latency.p50_ms) }) },
    { name: t('traffic.tokens'), value: formatCount(tokens), note: parts.join(', ') },
    { name: t('traffic.cost'), value: formatDollars(cost), note: cost === null ? t('traffic.unpriced') : '' },
  ]
  return <Figures figures={figures} />
}
