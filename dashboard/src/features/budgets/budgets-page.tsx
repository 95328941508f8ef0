import { Badge, Box, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type Budget, describeMember, describeTarget, isEach, stateOf } from './budget.ts'
import { BudgetBar } from './budget-bar.tsx'
import { CreateButton } from './create-button.tsx'
import { useMemberNames } from './use-member-names.ts'

const REFETCH_MS = 10_000

/** Budgets with the counts that requests are checked against. */
export function Page() {
  const { t } = useTranslation('budgets')
  const list = useList('/admin/v1/budgets', {}, { refetchInterval: REFETCH_MS })
  const nameOf = useMemberNames()
  const canEdit = useScopes().hasScope('applications:write')
  const columns: readonly Column<Budget>[] = [
    { header: t('columns.budget'), cell: (budget) => <BudgetName budget={budget} /> },
    { header: t('columns.appliesTo'), cell: (budget) => describeTarget(budget, nameOf), from: 'sm' },
    { header: t('columns.usage'), cell: (budget) => <Usage budget={budget} nameOf={nameOf} /> },
    { header: t('columns.period'), cell: ({ period }) => t(`periods.${period}`), from: 'sm' },
    { header: t('columns.resets'), cell: ({ resets_at }) => <Time at={resets_at} />, from: 'md' },
  ]
  return (
    <Frame title={t('title')} description={t('description')} actions={canEdit && <CreateButton />}>
      <DataTable
        label={t('title')}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={t('none.title')} action={canEdit && <CreateButton />}>
            {canEdit ? t('none.create') : t('none.ask')}
          </EmptyState>
        }
      />
    </Frame>
  )
}

interface CellProps {
  readonly budget: Budget
  readonly nameOf: (applicationId: string) => string
}

function BudgetName({ budget }: Pick<CellProps, 'budget'>) {
  const state = stateOf(budget, budget.current)
  return (
    <Group gap={6}>
      <Link to={`/budgets/${budget.id}`} style={{ overflowWrap: 'anywhere' }}>
        {budget.name}
      </Link>
      {state && <Badge color={state.color}>{state.label}</Badge>}
    </Group>
  )
}

/** With a count for each member, that of the member who has spent most. */
function Usage({ budget, nameOf }: CellProps) {
  const { t } = useTranslation('budgets')
  const { name, current } = budget
  const highest = isEach(budget) && current.spent > 0 ? describeMember(budget, current.member, nameOf) : undefined
  return (
    <Box>
      <BudgetBar budget={budget} count={current} label={t('usageOf', { name })} />
      {highest && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('highest', { name: highest })}
        </Text>
      )}
    </Box>
  )
}
