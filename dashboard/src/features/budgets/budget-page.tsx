import { Alert, Badge, Group } from '@mantine/core'
import { Trans, useTranslation } from 'react-i18next'
import { hasStatus } from '../../api/api-error.ts'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { usePathParam } from '../../routing/location.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Figures } from '../../ui/figures.tsx'
import { formatPercent } from '../../ui/format-numbers.ts'
import { Page as Frame } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { type Budget, describeMember, describeTarget, formatAmount, isEach, type MemberKind, stateOf } from './budget.ts'
import { BudgetActions } from './budget-actions.tsx'
import { MembersSection } from './members-section.tsx'
import { ReachedAlerts } from './reached-alerts.tsx'
import { useMemberNames } from './use-member-names.ts'

const REFETCH_MS = 5_000

/** One budget: its count now, alerts, and the members who used it. */
export function Page() {
  const { t } = useTranslation('budgets')
  const id = usePathParam('id')
  const {
    data: budget,
    error,
    refetch,
  } = useRead('/admin/v1/budgets/{id}', { params: { path: { id } } }, { refetchInterval: REFETCH_MS })
  const nameOf = useMemberNames()
  const { hasScope } = useScopes()
  if (error && (!budget || hasStatus(error, 404))) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!budget) return <PageSkeleton />
  const state = stateOf(budget, budget.current)
  const target = describeTarget(budget, nameOf)
  return (
    <Frame
      title={budget.name}
      description={
        <Group component="span" gap="xs">
          {target !== budget.name && target}
          {state && <Badge color={state.color}>{state.label}</Badge>}
        </Group>
      }
      parent={{ to: '/budgets', label: t('all') }}
      actions={hasScope('applications:write') && <BudgetActions budget={budget} />}
    >
      <StateAlert budget={budget} nameOf={nameOf} />
      <CurrentFigures budget={budget} nameOf={nameOf} />
      <Details budget={budget} />
      {isCountedByMember(budget) && hasScope('people:read') && <MembersSection budget={budget} nameOf={nameOf} />}
    </Frame>
  )
}

const isCountedByMember = (budget: Budget): budget is Budget & { readonly scope: MemberKind } => isEach(budget)

interface PartProps {
  readonly budget: Budget
  readonly nameOf: (applicationId: string) => string
}

/** Why requests are refused now, and how to allow them. */
function StateAlert({ budget, nameOf }: PartProps) {
  const { t } = useTranslation('budgets')
  const { limit, current, enabled, resets_at } = budget
  if (!enabled || current.left > 0) return null
  const usedUp = current.spent >= limit
  return (
    <Alert color={usedUp ? 'red' : 'orange'} variant="light" title={usedUp ? t('exhausted.usedUp') : t('exhausted.reserved')}>
      {usedUp ? (
        <Trans
          ns="budgets"
          i18nKey={isEach(budget) ? 'exhausted.eachRefused' : 'exhausted.refused'}
          values={{ name: describeMember(budget, current.member, nameOf) }}
          components={{ time: <Time at={resets_at} format="date" /> }}
        />
      ) : (
        t('exhausted.wait')
      )}
    </Alert>
  )
}

function CurrentFigures({ budget, nameOf }: PartProps) {
  const { t } = useTranslation('budgets')
  const { unit, limit, period, current } = budget
  const shown = (amount: number) => formatAmount(amount, unit)
  const highest =
    isEach(budget) && current.spent > 0 ? t('highest', { name: describeMember(budget, current.member, nameOf) }) : undefined
  return (
    <Figures
      figures={[
        {
          name: t('spent'),
          value: shown(current.spent),
          note: highest ?? t('figures.ofLimit', { percent: formatPercent(current.spent, limit) }),
        },
        { name: t('reserved'), value: shown(current.reserved), note: t('figures.reservedHint') },
        { name: t('figures.left'), value: shown(current.left), note: t('figures.leftHint') },
        {
          name: t('figures.limit'),
          value: shown(limit),
          note: isEach(budget) ? t(`eachPerPeriod.${period}`) : t(`perPeriod.${period}`),
        },
      ]}
    />
  )
}

function Details({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation('budgets')
  const { unit, alerts, unpriced, time_zone, window_starts_at, resets_at, current } = budget
  const { overrun, overruns, expired, reached } = current
  return (
    <Section title={t('window.title')}>
      <DescriptionList
        items={[
          [t('window.starts'), <Time key="starts" at={window_starts_at} format="date" />],
          [t('window.resets'), <Time key="resets" at={resets_at} />],
          [t('window.timeZone'), time_zone],
          [t('window.alerts'), alerts.map((fraction) => formatPercent(fraction, 1)).join(', ') || t('window.none')],
          [t('window.reached'), <ReachedAlerts key="reached" reached={reached} />],
          [
            t('window.overrun'),
            overruns === 0
              ? t('window.noOverrun')
              : t('window.overruns', { count: overruns, amount: formatAmount(overrun, unit) }),
          ],
          [t('window.expired'), expired === 0 ? null : t('window.expiredHint', { count: expired })],
          [t('window.unpriced'), unit === 'usd' ? (unpriced === 'refuse' ? t('window.refused') : t('window.ignored')) : null],
        ]}
      />
    </Section>
  )
}
