import { Group, Stack } from '@mantine/core'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { PERIODS, readPeriod, useSince } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { StageTimes } from '../../ui/stage-times.tsx'
import { TrafficChart } from '../../ui/traffic-chart.tsx'
import { TrafficFigures } from '../../ui/traffic-figures.tsx'

const EVERY_MS = 30_000

/** What the Application has asked for, over time. */
export function UsageTab({ id }: { readonly id: string }) {
  const [{ period }, setFilters] = useFilters(readPeriod)
  const readsRecords = useScopes().may('audit:read')
  return (
    <Stack>
      <Group justify="space-between">
        <PeriodControl periods={PERIODS} value={period} onChange={(chosen) => setFilters({ period: chosen })} />
        {readsRecords && (
          <LinkButton to="/audit" search={{ application: id }} variant="subtle">
            Its records
          </LinkButton>
        )}
      </Group>
      <Usage id={id} from={useSince(period)} />
    </Stack>
  )
}

function Usage({ id, from }: { readonly id: string; readonly from: string }) {
  const params = { path: { id }, query: { from } }
  const { data, error, refetch } = useRead(
    '/admin/v1/applications/{id}/usage',
    { params },
    { every: EVERY_MS, keepPrevious: true },
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton />
  if (data.totals.requests === 0) {
    return (
      <EmptyState title="No requests in this period">
        Issue a key, give it to the Application, and point its OpenAI client at this server.
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
