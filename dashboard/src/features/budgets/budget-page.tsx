import { Alert, Badge, Group } from '@mantine/core'
import { hasStatus } from '../../api/api-error.ts'
import { useApplicationNames } from '../../api/application-names.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { usePathParam } from '../../routing/location.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatPercent } from '../../ui/format-numbers.ts'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { type Budget, describeMember, describeScope, formatAmount, isEach, PERIOD_LABELS, stateOf } from './budget.ts'
import { BudgetActions } from './budget-actions.tsx'
import { MembersSection } from './members-section.tsx'
import { ReachedAlerts } from './reached-alerts.tsx'

const REFETCH_MS = 5_000

/** One budget: its count now, alerts, and the members who used it. */
export function Page() {
  const id = usePathParam('id')
  const {
    data: budget,
    error,
    refetch,
  } = useRead('/admin/v1/budgets/{id}', { params: { path: { id } } }, { refetchInterval: REFETCH_MS })
  const { nameOf } = useApplicationNames()
  const { hasScope } = useScopes()
  if (hasStatus(error, 404)) {
    return (
      <EmptyState title="Budget not found" action={<LinkButton to="/budgets">All budgets</LinkButton>}>
        It was deleted, or it belongs to another Workspace.
      </EmptyState>
    )
  }
  if (error && !budget) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!budget) return <PageSkeleton />
  const state = stateOf(budget, budget.current)
  return (
    <Frame
      title={budget.name}
      description={
        <Group component="span" gap="xs">
          {describeScope(budget, nameOf)}
          {state && <Badge color={state.color}>{state.label}</Badge>}
        </Group>
      }
      parent={{ to: '/budgets', label: 'All budgets' }}
      actions={hasScope('applications:write') && <BudgetActions budget={budget} />}
    >
      <StateAlert budget={budget} />
      <CurrentFigures budget={budget} nameOf={nameOf} />
      <Details budget={budget} />
      {isEach(budget) && hasScope('people:read') && <MembersSection budget={budget} nameOf={nameOf} />}
    </Frame>
  )
}

/** Why requests are refused now, and how to admit them. */
function StateAlert({ budget }: { readonly budget: Budget }) {
  const { limit, current, enabled, resets_at } = budget
  if (!enabled || current.left > 0) return null
  const usedUp = current.spent >= limit
  return (
    <Alert color={usedUp ? 'red' : 'orange'} variant="light" title={usedUp ? 'Used up' : 'Reserved'}>
      {usedUp ? (
        <>
          Requests{isEach(budget) ? ' of the highest member' : ''} are refused until <Time at={resets_at} />. Raise the limit to
          admit them now.
        </>
      ) : (
        'Running requests have reserved the rest. New requests are refused until one of them ends.'
      )}
    </Alert>
  )
}

interface FiguresProps {
  readonly budget: Budget
  readonly nameOf: (applicationId: string) => string
}

function CurrentFigures({ budget, nameOf }: FiguresProps) {
  const { unit, limit, period, current } = budget
  const shown = (amount: number) => formatAmount(amount, unit)
  const highest = isEach(budget) && current.spent > 0 ? `Highest: ${describeMember(budget, current.member, nameOf)}` : undefined
  return (
    <Figures
      figures={[
        { name: 'Spent', value: shown(current.spent), note: highest ?? `${formatPercent(current.spent, limit)} of the limit` },
        { name: 'Reserved', value: shown(current.reserved), note: 'Set aside for running and expected requests' },
        { name: 'Left', value: shown(current.left), note: 'For further requests' },
        {
          name: 'Limit',
          value: shown(limit),
          note: `${isEach(budget) ? 'For each, per' : 'Per'} ${PERIOD_LABELS[period].toLowerCase()}`,
        },
      ]}
    />
  )
}

function Details({ budget }: { readonly budget: Budget }) {
  const { unit, alerts, unpriced, time_zone, window_starts_at, resets_at, current } = budget
  const { overrun, overruns, expired, reached } = current
  return (
    <Section title="Current window">
      <DescriptionList
        items={[
          ['Starts', <Time key="starts" at={window_starts_at} />],
          ['Resets', <Time key="resets" at={resets_at} />],
          ['Time zone', time_zone],
          ['Alerts at', alerts.map((fraction) => formatPercent(fraction, 1)).join(', ') || 'None'],
          ['Alerts reached', <ReachedAlerts key="reached" reached={reached} />],
          [
            'Above what was reserved',
            overruns === 0
              ? 'Nothing'
              : `${formatAmount(overrun, unit)} by ${overruns} ${overruns === 1 ? 'request' : 'requests'}`,
          ],
          ['Expired reservations', expired === 0 ? null : `${expired}: the server ended before it recorded the request`],
          ['Models without a price', unit === 'usd' ? (unpriced === 'refuse' ? 'Refused' : 'Count as 0') : null],
        ]}
      />
    </Section>
  )
}
