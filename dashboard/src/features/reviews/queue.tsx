import { Badge, Checkbox, Group, Text } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { type List, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Level } from '../../ui/level.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import { BulkBar } from './bulk-bar.tsx'
import classes from './queue.module.css'
import type { ReviewFilters } from './review-filters.ts'
import { type ReviewItem, titleKey } from './review-item.ts'
import { useAssigneeText } from './use-assignee-text.ts'
import { useUserText } from './use-user-text.ts'

interface QueueProps {
  readonly list: List<ReviewItem>
  readonly filters: ReviewFilters
  readonly selected: string | undefined
}

/** The review queue, next to expire first. */
export function Queue({ list, filters, selected }: QueueProps) {
  const { t } = useTranslation('reviews')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const canDecide = useScopes().hasScope('reviews:write')
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return <EmptyQueue filters={filters} />
  const escalations = list.items.filter(({ kind, state }) => kind === 'escalation' && state === 'pending').map(({ id }) => id)
  // Items that left the queue are no longer chosen.
  const current = chosen.filter((id) => escalations.includes(id))
  const choose = (id: string, isChosen: boolean) =>
    setChosen(isChosen ? [...current, id].slice(0, MAX_BULK) : current.filter((one) => one !== id))
  return (
    <>
      {canDecide && escalations.length > 1 && (
        <ChooseAll
          checked={current.length === Math.min(escalations.length, MAX_BULK)}
          onChange={(isChosen) => setChosen(isChosen ? escalations.slice(0, MAX_BULK) : [])}
        />
      )}
      <BulkBar selected={current} onDone={() => setChosen([])} />
      <ul className={classes.list} aria-label={t('queue.label')}>
        {list.items.map((item) => (
          <li key={item.id} className={classes.row}>
            {canDecide && escalations.includes(item.id) && (
              <Choice item={item} checked={current.includes(item.id)} onChange={(isChosen) => choose(item.id, isChosen)} />
            )}
            <Entry item={item} current={item.id === selected} />
          </li>
        ))}
      </ul>
      <ShowMore list={list} fullWidth />
    </>
  )
}

/** As the API allows. */
const MAX_BULK = 100

interface ChoiceProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

function ChooseAll({ checked, onChange }: ChoiceProps) {
  const { t } = useTranslation('reviews')
  return (
    <Checkbox
      size="xs"
      mb="xs"
      label={t('bulk.selectAll')}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}

function Choice({ item, checked, onChange }: ChoiceProps & { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const userText = useUserText()
  return (
    <Checkbox
      aria-label={t('bulk.select', { user: userText(item) })}
      checked={checked}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}

/** Whether an item is pending for longer than the target of the Workspace. */
function useOverdue({ state, created_at }: ReviewItem): boolean {
  const { data } = useRead('/admin/v1/reviews/statistics', {})
  const minutes = data?.target_minutes ?? null
  return state === 'pending' && minutes !== null && Date.parse(created_at) + minutes * 60_000 < Date.now()
}

/** Assignee, progress of approvals, and whether the item is overdue. */
function Marks({ item }: { readonly item: ReviewItem }) {
  const { t } = useTranslation('reviews')
  const assigneeText = useAssigneeText()
  const { assigned_to, required_approvals, approvals } = item
  const isOverdue = useOverdue(item)
  if (!isOverdue && assigned_to === null && required_approvals === 1) return null
  return (
    <Group gap="xs">
      {isOverdue && <Badge color="red">{t('overdue')}</Badge>}
      {required_approvals > 1 && (
        <Text size="xs">{t('approvals.progress', { done: approvals.length, required: required_approvals })}</Text>
      )}
      {assigned_to !== null && <Text size="xs">{assigneeText(item)}</Text>}
    </Group>
  )
}

function EmptyQueue({ filters: { state, kind, application, assignee, rule } }: { readonly filters: ReviewFilters }) {
  const { t } = useTranslation('reviews')
  if (state !== 'pending' || kind || application || assignee || rule) {
    return <EmptyState title={t('queue.noMatch')}>{t('queue.noMatchHint')}</EmptyState>
  }
  return <EmptyState title={t('queue.empty')}>{t('queue.emptyHint')}</EmptyState>
}

function Entry({ item, current }: { readonly item: ReviewItem; readonly current: boolean }) {
  const { t } = useTranslation('reviews')
  const { nameOf } = useApplicationNames()
  const userText = useUserText()
  const { id, application_id, rules, state, expires_at, created_at, risk_level } = item
  return (
    <RouterLink
      className={classes.entry}
      to={`/reviews/${id}`}
      search={(before: object) => before}
      aria-current={current ? 'true' : undefined}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={600}>
          {t(titleKey(item))}
        </Text>
        <Text size="xs" component="span">
          {state === 'pending' ? <TimeLeft until={expires_at} /> : <Time at={created_at} />}
        </Text>
      </Group>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" truncate>
          {[userText(item), application_id && nameOf(application_id), ...rules.map((rule) => rule.id)]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        {risk_level !== 'low' && <Level level={risk_level} prefix={t('queue.risk')} />}
      </Group>
      <Marks item={item} />
    </RouterLink>
  )
}
