import { Badge, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useList } from '../../api/queries.ts'
import type { BudgetCount as Member } from '../../api/schema.d.ts'
import { textOf, useFilters } from '../../routing/location.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { type Budget, describeMember, type MemberKind, stateOf } from './budget.ts'
import { BudgetBar } from './budget-bar.tsx'
import { ReachedAlerts } from './reached-alerts.tsx'

const REFETCH_MS = 10_000

const readFilters = ({ member }: Readonly<Record<string, unknown>>) => ({ member: textOf(member) })

interface MembersSectionProps {
  readonly budget: Budget & { readonly scope: MemberKind }
  readonly nameOf: (applicationId: string) => string
}

/** The members who used the budget in its current window, the highest first. */
export function MembersSection({ budget, nameOf }: MembersSectionProps) {
  const { t } = useTranslation('budgets')
  const [filters, setFilters] = useFilters(readFilters)
  const { member } = filters
  const { scope, claim } = budget
  const title = t(`members.titles.${scope}`, { claim })
  const query = member ? { member } : {}
  const list = useList(
    '/admin/v1/budgets/{id}/members',
    { params: { path: { id: budget.id }, query } },
    { refetchInterval: REFETCH_MS },
  )
  const columns: readonly Column<Member>[] = [
    {
      header: t(`members.columns.${scope}`),
      cell: (count) => <MemberName budget={budget} count={count} name={describeMember(budget, count.member, nameOf)} />,
    },
    {
      header: t('members.usage'),
      cell: (count) => (
        <BudgetBar
          budget={budget}
          count={count}
          label={t('members.usageBy', { name: describeMember(budget, count.member, nameOf) })}
        />
      ),
    },
    { header: t('members.reached'), cell: ({ reached }) => <ReachedAlerts reached={reached} />, from: 'sm' },
  ]
  return (
    <Section
      title={title}
      actions={
        <FilterBar
          filters={[{ name: 'member', label: t('members.find'), kind: 'text', pinned: true, width: 200 }]}
          values={filters}
          onChange={setFilters}
        />
      }
    >
      <DataTable
        label={title}
        list={list}
        columns={columns}
        keyOf={({ member: key }) => key}
        empty={
          <EmptyState title={member ? t('members.noMatch') : t('members.none')}>
            {member ? t('members.noMatchHint') : t('members.noneHint')}
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
