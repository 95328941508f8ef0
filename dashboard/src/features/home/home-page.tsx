import { SimpleGrid, Stack } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { PERIODS, readPeriod, usePeriodStart } from '../../routing/period.ts'
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
import { PendingReviews } from './pending-reviews.tsx'
import { ProvidersHealth } from './providers-health.tsx'

const REFETCH_MS = 15_000

/** Overview of the Workspace: items that need attention, traffic, latency, pending reviews and providers. */
export function Page() {
  const [{ period }, setFilters] = useFilters(readPeriod)
  const from = usePeriodStart(period)
  const canReadAudit = useScopes().hasScope('audit:read')
  const { data, error, refetch } = useRead(
    '/admin/v1/overview',
    { params: { query: { from } } },
    { enabled: canReadAudit, refetchInterval: REFETCH_MS, keepPrevious: true },
  )
  return (
    <Frame
      title="Home"
      actions={
        canReadAudit && (
          <PeriodControl periods={PERIODS} value={period} onChange={(selected) => setFilters({ period: selected })} />
        )
      }
    >
      {!canReadAudit && <EmptyState title="Welcome">Choose a page in the navigation.</EmptyState>}
      {canReadAudit && error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {canReadAudit && !error && !data && <RowsSkeleton rows={8} />}
      {data && <OverviewContent overview={data} />}
    </Frame>
  )
}

function OverviewContent({ overview }: { readonly overview: Overview }) {
  const { attention, totals, series, stages, holds, escalations, providers } = overview
  const { hasScope } = useScopes()
  return (
    <Stack gap="lg">
      <Attention attention={attention} />
      <TrafficFigures totals={totals} />
      <Section title="Requests over time">{totals.requests > 0 ? <TrafficChart series={series} /> : <NoRequests />}</Section>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Latency by stage">
          <StageTimes stages={stages} />
        </Section>
        <Stack>
          <PendingReviews holds={holds} escalations={escalations} linked={hasScope('reviews:read')} />
          <ProvidersHealth providers={providers} linked={hasScope('providers:read')} />
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

function NoRequests() {
  const { hasScope } = useScopes()
  return (
    <EmptyState
      title="No requests in this period"
      action={hasScope('playground:use') && <LinkButton to="/playground">Open playground</LinkButton>}
    >
      Choose a longer period, or send a request in the playground.
    </EmptyState>
  )
}
