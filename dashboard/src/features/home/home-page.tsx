import { SimpleGrid, Stack } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { PERIODS, readPeriod, useSince } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { StageTimes } from '../../ui/stage-times.tsx'
import { TrafficChart } from '../../ui/traffic-chart.tsx'
import { TrafficFigures } from '../../ui/traffic-figures.tsx'
import { Attention } from './attention.tsx'
import type { Overview } from './overview.ts'
import { ProvidersHealth } from './providers-health.tsx'
import { Waiting } from './waiting.tsx'

const EVERY_MS = 15_000

/** How the Workspace is doing, and first of all what needs attention. */
export function Page() {
  const [{ period }, setFilters] = useFilters(readPeriod)
  const from = useSince(period)
  const reads = useScopes().may('audit:read')
  const { data, error, refetch } = useRead(
    '/admin/v1/overview',
    { params: { query: { from } } },
    { enabled: reads, every: EVERY_MS, keepPrevious: true },
  )
  return (
    <Frame
      title="Home"
      actions={reads && <PeriodControl periods={PERIODS} value={period} onChange={(chosen) => setFilters({ period: chosen })} />}
    >
      {!reads && <EmptyState title="Welcome">What you may see stands in the navigation.</EmptyState>}
      {reads && error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {reads && !error && !data && <RowsSkeleton rows={8} />}
      {data && <Shown overview={data} />}
    </Frame>
  )
}

function Shown({ overview }: { readonly overview: Overview }) {
  const { attention, totals, series, stages, holds, escalations, providers } = overview
  const { may } = useScopes()
  return (
    <Stack gap="lg">
      <Attention attention={attention} />
      <TrafficFigures totals={totals} />
      <Section title="Requests over time">{totals.requests > 0 ? <TrafficChart series={series} /> : <NothingAsked />}</Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Latency by stage">
          <StageTimes stages={stages} />
        </Section>
        <Stack>
          <Waiting holds={holds} escalations={escalations} linked={may('reviews:read')} />
          <ProvidersHealth providers={providers} linked={may('providers:read')} />
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

function NothingAsked() {
  const { may } = useScopes()
  return (
    <EmptyState
      title="No requests in this period"
      action={may('playground:use') && <LinkButton to="/playground">To the playground</LinkButton>}
    >
      Look further back, or ask something yourself.
    </EmptyState>
  )
}
