import { Group, Stack } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { PERIODS, readPeriod, usePeriodStart } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { StageTimes } from '../../ui/stage-times.tsx'
import { TrafficChart } from '../../ui/traffic-chart.tsx'
import { TrafficFigures } from '../../ui/traffic-figures.tsx'

const REFETCH_MS = 30_000

/** Requests, latency and cost of the Application. */
export function UsageTab({ id }: { readonly id: string }) {
  const [{ period }, setFilters] = useFilters(readPeriod)
  const canReadAudit = useScopes().hasScope('audit:read')
  return (
    <Stack>
      <Group justify="space-between">
        <PeriodControl periods={PERIODS} value={period} onChange={(selected) => setFilters({ period: selected })} />
        <Group gap={0}>
          <LinkButton to="/budgets" variant="subtle">
            View budgets
          </LinkButton>
          {canReadAudit && (
            <LinkButton to="/audit" search={{ application: id }} variant="subtle">
              View audit records
            </LinkButton>
          )}
        </Group>
      </Group>
      <Usage id={id} from={usePeriodStart(period)} />
    </Stack>
  )
}

function Usage({ id, from }: { readonly id: string; readonly from: string }) {
  const params = { path: { id }, query: { from } }
  const { data, error, refetch } = useRead(
    '/admin/v1/applications/{id}/usage',
    { params },
    { refetchInterval: REFETCH_MS, keepPrevious: true },
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton />
  if (data.totals.requests === 0) {
    return (
      <EmptyState title="No requests in this period">
        Create a key under Keys, where there is also code to connect a client.
      </EmptyState>
    )
  }
  return (
    <Stack>
      <TrafficFigures totals={data.totals} />
      <Section title="Requests over time">
        <TrafficChart series={data.series} />
      </Section>
      <Section title="Latency by stage">
        <StageTimes stages={data.stages} />
      </Section>
    </Stack>
  )
}
