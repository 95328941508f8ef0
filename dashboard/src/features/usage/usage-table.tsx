import { Table, Text, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ResponseOf } from '../../api/operations.ts'
import { formatChange, formatCount, formatDollars, formatMs, formatPercent } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { shortHash } from '../../ui/short-hash.ts'
import type { UsageFilters } from './usage-filters.ts'

export type Usage = ResponseOf<'get', '/admin/v1/usage'>
type Row = Usage['groups'][number]

const COLUMNS = ['requests', 'change', 'denied', 'errors', 'tokens', 'cost', 'latency'] as const
type Column = (typeof COLUMNS)[number]

/** Value of a column, to sort by. */
const VALUES: Readonly<Record<Column, (row: Row) => number | null>> = {
  requests: ({ totals }) => totals.requests,
  change: ({ totals, previous }) => totals.requests - previous.requests,
  denied: ({ totals }) => totals.outcomes.denied,
  errors: ({ totals }) => totals.errors,
  tokens: ({ totals }) => totals.tokens.total,
  cost: ({ totals }) => totals.cost,
  latency: ({ totals }) => totals.latency.total.p95_ms ?? totals.latency.total.average_ms,
}

const SHOWN: Readonly<Record<Column, (row: Row) => string>> = {
  requests: ({ totals }) => formatCount(totals.requests),
  change: ({ totals, previous }) => formatChange(totals.requests, previous.requests) ?? '–',
  denied: ({ totals }) => formatPercent(totals.outcomes.denied, totals.requests),
  errors: ({ totals }) => formatCount(totals.errors),
  tokens: ({ totals }) => formatCount(totals.tokens.total),
  cost: ({ totals }) => formatDollars(totals.cost),
  latency: (row) => formatMs(VALUES.latency(row)),
}

const ONE_LINE = { whiteSpace: 'nowrap' } as const

interface UsageTableProps {
  readonly usage: Usage
  readonly filters: UsageFilters
}

/** The groups with their counts, sortable. A name shows only its requests. */
export function UsageTable({ usage: { groups, other }, filters }: UsageTableProps) {
  const { t } = useTranslation('usage')
  const [sort, setSort] = useState<{ readonly column: Column; readonly descending: boolean }>()
  const value = (row: Row) => (sort ? (VALUES[sort.column](row) ?? -1) : 0)
  const rows = sort ? groups.toSorted((a, b) => (sort.descending ? value(b) - value(a) : value(a) - value(b))) : groups
  const hasPercentiles = groups.some(({ totals }) => totals.latency.total.p95_ms !== null)
  return (
    <Table.ScrollContainer
      minWidth={0}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('table.label') } }}
    >
      <Table aria-label={t('table.label')} verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t(`group.names.${filters.group}`)}</Table.Th>
            {COLUMNS.map((column) => (
              <Header
                key={column}
                label={column === 'latency' && !hasPercentiles ? t('table.average') : t(`table.${column}`)}
                direction={sort?.column === column ? (sort.descending ? 'descending' : 'ascending') : undefined}
                onSort={() => setSort({ column, descending: sort?.column === column ? !sort.descending : true })}
              />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.value}>
              <Table.Th scope="row" fw={400}>
                <GroupName row={row} filters={filters} />
              </Table.Th>
              {COLUMNS.map((column) => (
                <Table.Td key={column} ta="right" style={ONE_LINE}>
                  {SHOWN[column](row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          {other && other.requests > 0 && <OtherRow other={other} />}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

interface HeaderProps {
  readonly label: string
  readonly direction: 'ascending' | 'descending' | undefined
  readonly onSort: () => void
}

function Header({ label, direction, onSort }: HeaderProps) {
  const Arrow = direction === 'ascending' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th scope="col" ta="right" aria-sort={direction ?? 'none'}>
      <UnstyledButton onClick={onSort} fz="inherit" fw="inherit">
        {label}
        {direction && <Arrow size={12} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

function GroupName({ row: { value, label }, filters }: { readonly row: Row; readonly filters: UsageFilters }) {
  const { t } = useTranslation('usage')
  if (value === '')
    return (
      <Text inherit c="dimmed">
        {t(`none.${filters.group}`)}
      </Text>
    )
  return (
    <Link to="/usage" search={{ ...filters, [filters.group]: value }} truncate="end" maw={260} display="block" py={2}>
      {label ?? <span title={value}>{filters.group === 'user' ? shortHash(value) : value}</span>}
    </Link>
  )
}

function OtherRow({ other }: { readonly other: NonNullable<Usage['other']> }) {
  const { t } = useTranslation('usage')
  const { requests, outcomes, errors, tokens, cost } = other
  const cells = [
    formatCount(requests),
    '–',
    formatPercent(outcomes.denied, requests),
    formatCount(errors),
    formatCount(tokens.total),
    formatDollars(cost),
    '–',
  ]
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} c="dimmed">
        {t('other')}
      </Table.Th>
      {COLUMNS.map((column, index) => (
        <Table.Td key={column} ta="right" style={ONE_LINE}>
          {cells[index]}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}
