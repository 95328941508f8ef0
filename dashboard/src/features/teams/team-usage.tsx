import { Table } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatDollars } from '../../ui/format-numbers.ts'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import type { Team } from './teams-page.tsx'

const DAY_MS = 86_400_000
const DAYS = 30
const COLUMNS = ['requests', 'tokens', 'cost'] as const

/** The use of each Application by the keys that are in the team now. */
export function TeamUsage({ team: { id } }: { readonly team: Team }) {
  const { t } = useTranslation('teams')
  const from = useMemo(() => new Date(Date.now() - DAYS * DAY_MS).toISOString(), [])
  const { data } = useRead('/admin/v1/usage', { params: { query: { from, team_id: id, group_by: 'application' } } })
  const groups = data?.groups ?? []
  return (
    <Section title={t('usage.title')}>
      {groups.length === 0 ? (
        <EmptyState title={t('usage.none')}>{t('usage.hint')}</EmptyState>
      ) : (
        <Table aria-label={t('usage.title')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('usage.application')}</Table.Th>
              {COLUMNS.map((column) => (
                <Table.Th key={column} scope="col" ta="right">
                  {t(`usage.${column}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map(({ value, label, totals }) => (
              <Table.Tr key={value}>
                <Table.Td>
                  <Link to="/usage" search={{ team: id, application: value, group: 'key' }}>
                    {label ?? value}
                  </Link>
                </Table.Td>
                <Table.Td ta="right">{formatCount(totals.requests)}</Table.Td>
                <Table.Td ta="right">{formatCount(totals.tokens.total)}</Table.Td>
                <Table.Td ta="right">{formatDollars(totals.cost)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
