import { Alert, SimpleGrid, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useFilters } from '../../routing/location.ts'
import { type ChosenPeriod, PERIODS, readPeriod, recordsOf, type TimeRange, useTimeRange } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCount, formatDollars } from '../../ui/format-numbers.ts'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { StageTimes } from '../../ui/stage-times.tsx'
import { TimeChart } from '../../ui/time-chart.tsx'
import { TrafficChart } from '../../views/traffic-chart.tsx'
import { Attention } from './attention.tsx'
import { Breakdown, DIMENSIONS } from './breakdown.tsx'
import { Checklist } from './checklist.tsx'
import { DemoBanner } from './demo-banner.tsx'
import { Health } from './health.tsx'
import { KeyFigures } from './key-figures.tsx'
import type { Overview, Usage } from './overview.ts'

const REFETCH_MS = 15_000

/** Overview of the Workspace: what needs attention, health, figures of a period and the largest groups. */
export function Page() {
  const { t } = useTranslation('home')
  const [period, setFilters] = useFilters(readPeriod)
  const canReadAudit = useScopes().hasScope('audit:read')
  return (
    <Frame title={t('title')} actions={canReadAudit && <PeriodControl periods={PERIODS} value={period} onChange={setFilters} />}>
      <Stack gap="sm">
        <DemoBanner />
        <Checklist />
        {canReadAudit ? <Content period={period} /> : <EmptyState title={t('welcome.title')}>{t('welcome.hint')}</EmptyState>}
      </Stack>
    </Frame>
  )
}

function Content({ period }: { readonly period: ChosenPeriod }) {
  const time = useTimeRange(period)
  const options = { refetchInterval: REFETCH_MS, keepPrevious: true }
  const overview = useRead('/admin/v1/overview', { params: { query: time } }, options)
  const usage = useRead('/admin/v1/usage', { params: { query: time } }, options)
  const failed = [overview, usage].find(({ data, error }) => error && !data)
  if (failed) return <ErrorState error={failed.error} onRetry={() => void Promise.all([overview.refetch(), usage.refetch()])} />
  if (!overview.data || !usage.data) return <RowsSkeleton rows={8} />
  return <OverviewContent overview={overview.data} usage={usage.data} period={period} time={time} />
}

interface OverviewContentProps {
  readonly overview: Overview
  readonly usage: Usage
  readonly period: ChosenPeriod
  readonly time: TimeRange
}

function OverviewContent({ overview, usage, period, time }: OverviewContentProps) {
  const { t } = useTranslation('home')
  return (
    <Stack gap="sm">
      <Attention overview={overview} />
      <Health overview={overview} />
      {usage.uncounted > 0 && <Alert color="yellow">{t('uncounted', { records: formatCount(usage.uncounted) })}</Alert>}
      <KeyFigures usage={usage} period={period} />
      <Charts usage={usage} period={period} />
      {usage.totals.requests > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
          {DIMENSIONS.map((dimension) => (
            <Breakdown key={dimension} dimension={dimension} period={period} time={time} />
          ))}
          <Section title={t('stages')}>
            <StageTimes stages={overview.stages} />
          </Section>
        </SimpleGrid>
      )}
    </Stack>
  )
}

function Charts({ usage: { totals, series }, period }: Pick<OverviewContentProps, 'usage' | 'period'>) {
  const { t } = useTranslation('home')
  const costs = [{ name: t('figures.cost'), color: 'blue', values: series.map(({ cost }) => cost ?? 0) }]
  return (
    <SimpleGrid cols={{ base: 1, md: totals.cost === null ? 1 : 2 }} spacing="sm">
      <Section
        title={t('requests.title')}
        actions={
          <LinkButton to="/usage" search={{ ...period }} size="compact-xs" variant="subtle" mr={-7}>
            {t('usage')}
          </LinkButton>
        }
      >
        {totals.requests > 0 ? <TrafficChart series={series} records={recordsOf(period)} /> : <NoRequests />}
      </Section>
      {totals.cost !== null && (
        <Section title={t('costs')}>
          <TimeChart label={t('costs')} times={series.map(({ at }) => at)} series={costs} format={formatDollars} />
        </Section>
      )}
    </SimpleGrid>
  )
}

function NoRequests() {
  const { t } = useTranslation('home')
  const { hasScope } = useScopes()
  const { isEmpty } = useApplicationNames()
  if (isEmpty && hasScope('applications:write')) {
    return (
      <EmptyState
        title={t('requests.noApplication')}
        action={
          <LinkButton to="/applications" hash="create">
            {t('requests.createApplication')}
          </LinkButton>
        }
      >
        {t('requests.noApplicationHint')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={t('requests.none')}
      action={hasScope('playground:use') && <LinkButton to="/playground">{t('requests.openPlayground')}</LinkButton>}
    >
      {t('requests.hint')}
    </EmptyState>
  )
}
