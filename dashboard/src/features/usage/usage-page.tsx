import { Alert, Button, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { useFilters } from '../../routing/location.ts'
import { PERIODS, useTimeRange } from '../../routing/period.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatChange, formatCount, formatDollars, formatMs } from '../../ui/format-numbers.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { PeriodControl } from '../../ui/period-control.tsx'
import { Section } from '../../ui/section.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { GroupFields, RequestFilters } from './filter-fields.tsx'
import { UsageChart } from './usage-chart.tsx'
import { auditSearchOf, queryOf, readFilters, type UsageFilters } from './usage-filters.ts'
import { type Usage, UsageTable } from './usage-table.tsx'

const REFETCH_MS = 30_000
const PATH = '/admin/v1/usage'

/** Requests, tokens and cost by Application, model, provider, user or key. */
export function Page() {
  const { t } = useTranslation('usage')
  const [filters, setFilters] = useFilters(readFilters)
  const query = queryOf(filters, useTimeRange(filters))
  const { data, error, refetch } = useRead(PATH, { params: { query } }, { refetchInterval: REFETCH_MS, keepPrevious: true })
  return (
    <Frame
      title={t('title')}
      description={t('description')}
      actions={
        <>
          <PeriodControl periods={PERIODS} value={filters} onChange={setFilters} />
          <ExportLink query={query} />
        </>
      }
    >
      <Stack gap="xs">
        <RequestFilters filters={filters} onChange={setFilters} />
        <GroupFields filters={filters} onChange={setFilters} />
      </Stack>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <RowsSkeleton rows={8} />}
      {!error && data && <Content usage={data} filters={filters} />}
    </Frame>
  )
}

function ExportLink({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const { t } = useTranslation('usage')
  const workspace = useWorkspace()
  const search = new URLSearchParams({ ...query, format: 'csv', ...(workspace !== undefined && { workspace }) })
  return (
    <Button component="a" size="xs" variant="default" href={`${PATH}?${search}`} download>
      {t('export')}
    </Button>
  )
}

function Content({ usage, filters }: { readonly usage: Usage; readonly filters: UsageFilters }) {
  const { t } = useTranslation('usage')
  if (usage.totals.requests === 0) return <EmptyState title={t('empty.title')}>{t('empty.hint')}</EmptyState>
  return (
    <Stack gap="lg">
      {usage.uncounted > 0 && <Alert color="yellow">{t('uncounted', { records: formatCount(usage.uncounted) })}</Alert>}
      <Totals usage={usage} />
      <Section title={t('chart')}>
        <UsageChart usage={usage} filters={filters} />
      </Section>
      <Section
        title={t(`by.${filters.group}`)}
        actions={
          <LinkButton to="/audit" search={auditSearchOf(filters, usage)} size="compact-xs" variant="subtle" mr={-7}>
            {t('openAudit')}
          </LinkButton>
        }
      >
        <UsageTable usage={usage} filters={filters} />
      </Section>
    </Stack>
  )
}

function Totals({ usage: { totals, previous } }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { requests, tokens, cost, latency } = totals
  const before = previous.totals
  const changed = (now: number | null, earlier: number | null) => {
    const change = formatChange(now, earlier)
    return change === undefined ? '' : t('before', { change })
  }
  const isExact = latency.total.p95_ms !== null
  return (
    <Figures
      figures={[
        { name: t('measure.names.requests'), value: formatCount(requests), note: changed(requests, before.requests) },
        {
          name: t('tokens.input'),
          value: formatCount(tokens.input),
          note: t('tokens.cached', { tokens: formatCount(tokens.cached) }),
        },
        {
          name: t('tokens.output'),
          value: formatCount(tokens.output),
          note: t('tokens.reasoning', { tokens: formatCount(tokens.reasoning) }),
        },
        {
          name: t('measure.names.cost'),
          value: formatDollars(cost),
          note: cost === null ? <Link to="/models">{t('unpriced')}</Link> : changed(cost, before.cost),
        },
        {
          name: isExact ? t('table.latency') : t('table.average'),
          value: formatMs(isExact ? latency.total.p95_ms : latency.total.average_ms),
          note: t('gateway', { ms: formatMs(isExact ? latency.gateway.p95_ms : latency.gateway.average_ms) }),
        },
      ]}
    />
  )
}
