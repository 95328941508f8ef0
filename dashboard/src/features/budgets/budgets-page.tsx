import { Badge, Group, Text } from '@mantine/core'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { actionsColumn, type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type Budget, describeScope } from './budget.ts'
import { BudgetActions, CreateButton } from './budget-actions.tsx'
import { BudgetBar } from './budget-bar.tsx'

const REFETCH_MS = 10_000

const COLUMNS: readonly Column<Budget>[] = [
  {
    header: 'Budget',
    cell: ({ name, enabled }) => (
      <Group gap={4}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {!enabled && <Badge color="gray">Disabled</Badge>}
      </Group>
    ),
  },
  { header: 'Counts', cell: describeScope, from: 'sm' },
  { header: 'Use', cell: BudgetBar },
  { header: 'Resets', cell: ({ resets_at }) => <Time at={resets_at} />, from: 'md' },
]

/** Budgets with the counts that requests are checked against. */
export function Page() {
  const list = useList('/admin/v1/budgets', {}, { refetchInterval: REFETCH_MS })
  const canEdit = useScopes().hasScope('applications:write')
  const columns = canEdit ? [...COLUMNS, actionsColumn((budget: Budget) => <BudgetActions budget={budget} />)] : COLUMNS
  return (
    <Frame
      title="Budgets"
      description="Money and tokens that requests may use. All budgets that count a request must admit it."
      actions={canEdit && <CreateButton />}
    >
      <DataTable
        label="Budgets"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No budgets yet">
            {canEdit ? 'Create a budget to limit what requests may cost.' : 'Ask an owner to create one.'}
          </EmptyState>
        }
      />
    </Frame>
  )
}
