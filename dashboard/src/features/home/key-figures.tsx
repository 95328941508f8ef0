import { Box, Group, Paper, SimpleGrid, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type ChosenPeriod, recordsOf } from '../../routing/period.ts'
import classes from '../../ui/figures.module.css'
import { formatChange, formatCount, formatDollars, formatMs, formatPercent } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import type { Usage } from './overview.ts'

interface Figure {
  readonly name: string
  readonly value: string
  readonly change: string | undefined
  readonly note: string
  readonly to: string
  readonly search?: Readonly<Record<string, string | undefined>>
}

/** Key figures of the period, with their change against the period before. Each opens the page that explains it. */
export function KeyFigures({ usage, period }: { readonly usage: Usage; readonly period: ChosenPeriod }) {
  const { t } = useTranslation('home')
  const figures = [...useTraffic(usage, period), ...useLatency(usage, period)]
  return (
    <SimpleGrid
      className={classes.figures ?? ''}
      component="dl"
      m={0}
      cols={{ base: 2, sm: 3, md: figures.length }}
      spacing="sm"
      aria-label={t('figures.title')}
    >
      {figures.map((figure) => (
        <FigureCard key={figure.name} {...figure} />
      ))}
    </SimpleGrid>
  )
}

function FigureCard({ name, value, change, note, to, search }: Figure) {
  const { t } = useTranslation('home')
  return (
    <Paper withBorder px="md" py="xs">
      <Text component="dt" size="sm">
        <Link to={to} search={search ?? {}} c="dimmed" inherit>
          {name}
        </Link>
      </Text>
      <Box component="dd" m={0}>
        <Group gap={8} align="baseline">
          <Text size="xl" fw={600} lh={1.3}>
            {value}
          </Text>
          {change && (
            <Text size="xs" c="dimmed" title={t('figures.before', { change })}>
              {change}
            </Text>
          )}
        </Group>
        <Text size="xs" c="dimmed" truncate title={note}>
          {note}
        </Text>
      </Box>
    </Paper>
  )
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

/** Requests, cost and outcomes. */
function useTraffic({ totals, previous: { totals: before } }: Usage, period: ChosenPeriod): readonly Figure[] {
  const { t } = useTranslation('home')
  const { requests, outcomes, cost, tokens } = totals
  const unpriced = cost === null && requests > 0
  return [
    {
      name: t('figures.requests'),
      value: formatCount(requests),
      change: formatChange(requests, before.requests),
      note: t('figures.failed', { failed: formatCount(outcomes.failed), refused: formatCount(outcomes.refused) }),
      ...usageOf(period),
    },
    {
      name: t('figures.cost'),
      value: formatDollars(cost),
      change: formatChange(cost, before.cost),
      note: unpriced ? t('figures.unpriced') : t('figures.tokens', { tokens: formatCount(tokens.total) }),
      ...(unpriced ? { to: '/models' } : usageOf(period)),
    },
    {
      name: t('figures.denied'),
      value: formatPercent(outcomes.denied, requests),
      change: formatChange(share(outcomes.denied, requests), share(before.outcomes.denied, before.requests)),
      note: t('figures.deniedNote', { denied: formatCount(outcomes.denied), held: formatCount(outcomes.held) }),
      to: '/audit',
      search: { ...recordsOf(period), outcome: 'denied' },
    },
  ]
}

/** Latency of the requests, and the part of it that is the gateway's own. */
function useLatency({ totals, previous: { totals: before } }: Usage, period: ChosenPeriod): readonly Figure[] {
  const { t } = useTranslation('home')
  const { total, gateway, provider } = totals.latency
  return [
    {
      name: t('figures.latency'),
      value: formatMs(total.p95_ms),
      change: formatChange(total.p95_ms, before.latency.total.p95_ms),
      note: t('figures.latencyNote', { p50: formatMs(total.p50_ms) }),
      ...usageOf(period),
    },
    {
      name: t('figures.gateway'),
      value: formatMs(gateway.p95_ms),
      change: formatChange(gateway.p95_ms, before.latency.gateway.p95_ms),
      note: t('figures.gatewayNote', { provider: formatMs(provider.p95_ms) }),
      ...usageOf(period),
    },
  ]
}

const usageOf = (period: ChosenPeriod) => ({ to: '/usage', search: { ...period } })
