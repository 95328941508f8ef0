import { Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ItemOf } from '../../api/operations.ts'
import { useAll } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatDollars, formatPercent } from '../../ui/format-numbers.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { Section } from '../../ui/section.tsx'
import type { Team } from './teams-page.tsx'

type Budget = ItemOf<'/admin/v1/budgets'>

/** Budgets that count this team alone. */
export function TeamBudgets({ team: { id } }: { readonly team: Team }) {
  const { t } = useTranslation('teams')
  const canEdit = useScopes().hasScope('applications:write')
  const { items = [] } = useAll('/admin/v1/budgets', {}, { staleTime: 0 })
  const budgets = items.filter(({ scope, member }) => scope === 'team' && member === id)
  const create = canEdit && (
    <LinkButton to="/budgets" search={{ team: id }} hash="create" size="xs" variant="default">
      {t('budgets.create')}
    </LinkButton>
  )
  return (
    <Section title={t('budgets.title')} actions={create}>
      {budgets.length === 0 ? (
        <EmptyState title={t('budgets.none')}>{t('budgets.hint')}</EmptyState>
      ) : (
        <Table aria-label={t('budgets.title')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('budgets.budget')}</Table.Th>
              <Table.Th scope="col">{t('budgets.used')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {budgets.map((budget) => (
              <Table.Tr key={budget.id}>
                <Table.Td>
                  <Link to={`/budgets/${budget.id}`}>{budget.name}</Link>
                </Table.Td>
                <Table.Td>
                  <Used budget={budget} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function Used({ budget: { current, limit, unit } }: { readonly budget: Budget }) {
  const { t } = useTranslation('teams')
  const shown = unit === 'usd' ? formatDollars(limit) : t('budgets.tokens', { amount: formatCount(limit) })
  return t('budgets.share', { percent: formatPercent(current.spent, limit), limit: shown })
}
