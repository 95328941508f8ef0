import { Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { type ChosenPeriod, PERIODS, readPeriod, recordsOf, type TimeRange, useTimeRange } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { StageTimes } from '../../ui/stage-times.tsx'
import { TrafficFigures } from '../../ui/traffic-figures.tsx'
import { TrafficChart } from '../../views/traffic-chart.tsx'

const REFETCH_MS = 30_000

/** Requests, latency and cost of the Application. */
interface UsageTabProps {
  readonly id: string
  /** Then there are no keys to create. */
  readonly isArchived: boolean
}

export function UsageTab({ id, isArchived }: UsageTabProps) {
  const { t } = useTranslation('applications')
  const [period, setFilters] = useFilters(readPeriod)
  const canReadAudit = useScopes().hasScope('audit:read')
  return (
    <Stack>
      <Group justify="space-between">
        <PeriodControl periods={PERIODS} value={period} onChange={setFilters} />
        <Group gap="xs" mx={-8}>
          <LinkButton to="/budgets" variant="subtle" size="compact-sm">
            {t('usage.budgets')}
          </LinkButton>
          {canReadAudit && (
            <>
              <LinkButton to="/usage" search={{ application: id }} variant="subtle" size="compact-sm">
                {t('usage.usage')}
              </LinkButton>
              <LinkButton to="/audit" search={{ application: id }} variant="subtle" size="compact-sm">
                {t('usage.records')}
              </LinkButton>
            </>
          )}
        </Group>
      </Group>
      <Usage id={id} period={period} time={useTimeRange(period)} isArchived={isArchived} />
    </Stack>
  )
}

interface UsageProps extends UsageTabProps {
  readonly period: ChosenPeriod
  readonly time: TimeRange
}

function Usage({ id, period, time, isArchived }: UsageProps) {
  const { t } = useTranslation('applications')
  const params = { path: { id }, query: time }
  const { data, error, refetch } = useRead(
    '/admin/v1/applications/{id}/usage',
    { params },
    { refetchInterval: REFETCH_MS, keepPrevious: true },
  )
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton />
  if (data.totals.requests === 0) {
    return <EmptyState title={t('usage.none')}>{t(isArchived ? 'usage.archivedHint' : 'usage.noneHint')}</EmptyState>
  }
  return (
    <Stack>
      <TrafficFigures totals={data.totals} />
      <Section title={t('usage.overTime')}>
        <TrafficChart series={data.series} records={{ ...recordsOf(period), application: id }} />
      </Section>
      <Section title={t('usage.stages')}>
        <StageTimes stages={data.stages} />
      </Section>
    </Stack>
  )
}
