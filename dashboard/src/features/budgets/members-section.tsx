import { Badge, Group, Text } from '@mantine/core'
import type { ItemOf } from '../../api/operations.ts'
import { useList } from '../../api/queries.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterField } from '../../ui/filter-field.tsx'
import { Section } from '../../ui/section.tsx'
import { type Budget, describeMember, stateOf } from './budget.ts'
import { BudgetBar } from './budget-bar.tsx'
import { ReachedAlerts } from './reached-alerts.tsx'

type Member = ItemOf<'/admin/v1/budgets/{id}/members'>

const REFETCH_MS = 10_000

const readFilters = ({ member }: Readonly<Record<string, unknown>>) => ({ member: textOf(member) })

interface MembersSectionProps {
  readonly budget: Budget
  readonly nameOf: (applicationId: string) => string
}

/** The members who used the budget in its current window, the highest first. */
export function MembersSection({ budget, nameOf }: MembersSectionProps) {
  const [{ member }, setFilters] = useFilters(readFilters)
  const query = member ? { member } : {}
  const list = useList(
    '/admin/v1/budgets/{id}/members',
    { params: { path: { id: budget.id }, query } },
    { refetchInterval: REFETCH_MS },
  )
  const columns: readonly Column<Member>[] = [
    {
      header: 'Member',
      cell: (count) => <MemberName budget={budget} count={count} name={describeMember(budget, count.member, nameOf)} />,
    },
    {
      header: 'Use',
      cell: (count) => (
        <BudgetBar budget={budget} count={count} label={`Use by ${describeMember(budget, count.member, nameOf)}`} />
      ),
    },
    { header: 'Alerts reached', cell: ({ reached }) => <ReachedAlerts reached={reached} />, from: 'sm' },
  ]
  return (
    <Section
      title="Members"
      actions={
        <FilterField
          aria-label="Member"
          placeholder="Exact name or ID"
          value={member ?? ''}
          onChange={(text) => setFilters({ member: text })}
        />
      }
    >
      <DataTable
        label="Members"
        list={list}
        columns={columns}
        keyOf={({ member: key }) => key}
        empty={
          <EmptyState title={member ? 'No such member' : 'No requests yet'}>
            {member ? 'This member has sent no request in the current window.' : 'Members appear with their first request.'}
          </EmptyState>
        }
      />
    </Section>
  )
}

interface MemberNameProps {
  readonly budget: Budget
  readonly count: Member
  readonly name: string
}

function MemberName({ budget, count, name }: MemberNameProps) {
  const state = stateOf(budget, count)
  return (
    <Group gap={6}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      {state && budget.enabled && <Badge color={state.color}>{state.label}</Badge>}
    </Group>
  )
}
