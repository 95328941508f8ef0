import { Progress, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { ChosenPeriod, TimeRange } from '../../routing/period.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { formatCount, formatDollars } from '../../ui/format-numbers.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import { shortHash } from '../../ui/short-hash.ts'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import type { Usage } from './overview.ts'

export const DIMENSIONS = ['application', 'model', 'provider', 'user', 'key'] as const
type Dimension = (typeof DIMENSIONS)[number]

const ROWS = 5
const REFETCH_MS = 30_000
const PERCENT = 100

interface BreakdownProps {
  readonly dimension: Dimension
  readonly period: ChosenPeriod
  readonly time: TimeRange
}

/** The largest groups of a dimension. Names open the usage page with the same period. */
export function Breakdown({ dimension, period, time }: BreakdownProps) {
  const { t } = useTranslation('home')
  const title = t(`breakdown.${dimension}`)
  const { data, error, refetch } = useRead(
    '/admin/v1/usage',
    { params: { query: { ...time, group_by: dimension, limit: ROWS } } },
    { refetchInterval: REFETCH_MS, keepPrevious: true },
  )
  return (
    <Section
      title={title}
      actions={
        <LinkButton
          to="/usage"
          search={{ ...period, group: dimension }}
          size="compact-xs"
          variant="subtle"
          mr={-7}
          aria-label={t('breakdown.openOf', { title })}
        >
          {t('breakdown.open')}
        </LinkButton>
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <RowsSkeleton rows={ROWS} />}
      {data && <Rows usage={data} dimension={dimension} period={period} title={title} />}
    </Section>
  )
}

type Group = Usage['groups'][number]

function Rows({ usage, dimension, period, title }: { usage: Usage; title: string } & Omit<BreakdownProps, 'time'>) {
  const { t } = useTranslation('home')
  const isPriced = usage.totals.cost !== null
  if (usage.groups.length === 0) return <Text c="dimmed">{t('requests.none')}</Text>
  return (
    <Table aria-label={title} verticalSpacing={2} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('breakdown.name')}</Table.Th>
          <Table.Th scope="col" ta="right" w={80}>
            {t('breakdown.requests')}
          </Table.Th>
          <Table.Th scope="col" ta="right" w={90}>
            {isPriced ? t('breakdown.cost') : t('breakdown.tokens')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {usage.groups.map((group) => (
          <Table.Tr key={group.value}>
            <Table.Th scope="row" fw={400}>
              <Name group={group} dimension={dimension} period={period} />
              <Progress size={3} mt={4} value={(PERCENT * group.totals.requests) / usage.totals.requests} aria-hidden />
            </Table.Th>
            <Table.Td ta="right">{formatCount(group.totals.requests)}</Table.Td>
            <Table.Td ta="right">{isPriced ? formatDollars(group.totals.cost) : formatCount(group.totals.tokens.total)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Name({ group: { value, label }, dimension, period }: { group: Group } & Omit<BreakdownProps, 'time'>) {
  const { t } = useTranslation('home')
  if (value === '')
    return (
      <Text inherit c="dimmed">
        {t(`breakdown.none.${dimension}`)}
      </Text>
    )
  return (
    <Link to="/usage" search={{ ...period, [dimension]: value }} truncate="end" display="block" py={2}>
      {label ?? <span title={value}>{dimension === 'user' ? shortHash(value) : value}</span>}
    </Link>
  )
}
