import { Badge, Box, Group, Text } from '@mantine/core'
import { useApplicationNames } from '../../api/application-names.ts'
import { useList } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Link } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type Budget, describeMember, describeScope, isEach, PERIOD_LABELS, stateOf } from './budget.ts'
import { BudgetBar } from './budget-bar.tsx'
import { CreateButton } from './create-button.tsx'

const REFETCH_MS = 10_000

/** Budgets with the counts that requests are checked against. */
export function Page() {
  const list = useList('/admin/v1/budgets', {}, { refetchInterval: REFETCH_MS })
  const { nameOf } = useApplicationNames()
  const canEdit = useScopes().hasScope('applications:write')
  const columns: readonly Column<Budget>[] = [
    { header: 'Budget', cell: (budget) => <BudgetName budget={budget} nameOf={nameOf} /> },
    { header: 'Counts', cell: (budget) => describeScope(budget, nameOf), from: 'sm' },
    { header: 'Use', cell: (budget) => <Use budget={budget} nameOf={nameOf} /> },
    { header: 'Period', cell: ({ period }) => PERIOD_LABELS[period], from: 'sm' },
    { header: 'Resets', cell: ({ resets_at }) => <Time at={resets_at} />, from: 'md' },
  ]
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

interface CellProps {
  readonly budget: Budget
  readonly nameOf: (applicationId: string) => string
}

function BudgetName({ budget, nameOf }: CellProps) {
  const state = stateOf(budget, budget.current)
  return (
    <Box>
      <Group gap={6}>
        <Link to={`/budgets/${budget.id}`} style={{ overflowWrap: 'anywhere' }}>
          {budget.name}
        </Link>
        {state && <Badge color={state.color}>{state.label}</Badge>}
      </Group>
      <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: 'anywhere' }}>
        {describeScope(budget, nameOf)}, {PERIOD_LABELS[budget.period].toLowerCase()}
      </Text>
    </Box>
  )
}

/** With a count for each member, that of the member who has spent most. */
function Use({ budget, nameOf }: CellProps) {
  const { name, current } = budget
  const highest = isEach(budget) && current.spent > 0 ? describeMember(budget, current.member, nameOf) : undefined
  return (
    <Box>
      <BudgetBar budget={budget} count={current} label={`Use of ${name}`} />
      {highest && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Highest: {highest}
        </Text>
      )}
    </Box>
  )
}
