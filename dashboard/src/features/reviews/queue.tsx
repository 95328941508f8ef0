import { Badge, Box, Checkbox, Group, Text } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type List, useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Level } from '../../ui/level.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import type { QueueEntry, QueueGroup } from './arrange-queue.ts'
import { BulkBar } from './bulk-bar.tsx'
import { Excerpt } from './excerpt.tsx'
import classes from './queue.module.css'
import type { ReviewFilters } from './review-filters.ts'
import { type ReviewItem, titleKey } from './review-item.ts'
import { useAssigneeText } from './use-assignee-text.ts'

interface QueueProps {
  readonly list: List<ReviewItem>
  /** The items of the list as they are searched, sorted and grouped. */
  readonly groups: readonly QueueGroup<ReviewItem>[]
  readonly filters: ReviewFilters
  readonly selected: string | undefined
}

/** The review queue, next to expire first unless it is sorted otherwise. */
export function Queue({ list, groups, filters, selected }: QueueProps) {
  const { t } = useTranslation('reviews')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const canDecide = useScopes().hasScope('reviews:write')
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return <EmptyQueue filters={filters} />
  if (groups.length === 0) return <EmptyState title={t('queue.noMatch')}>{t('queue.noFindHint')}</EmptyState>
  const shown = groups.flatMap(({ entries }) => entries.map(({ item }) => item))
  const escalations = shown.filter(({ kind, state }) => kind === 'escalation' && state === 'pending').map(({ id }) => id)
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
      <BulkBar selected={shown.filter(({ id }) => current.includes(id))} onDone={() => setChosen([])} />
      {groups.map(({ key, title, entries }) => (
        <Box key={key} mb="xs">
          {title && (
            <Text component="h2" size="sm" fw={600} mb={4}>
              {t('queue.group', { title, number: entries.length })}
            </Text>
          )}
          <ul className={classes.list} aria-label={title || t('queue.label')}>
            {entries.map((entry) => (
              <li key={entry.item.id} className={classes.row}>
                {canDecide && escalations.includes(entry.item.id) && (
                  <Choice
                    entry={entry}
                    checked={current.includes(entry.item.id)}
                    onChange={(isChosen) => choose(entry.item.id, isChosen)}
                  />
                )}
                <Entry entry={entry} current={entry.item.id === selected} grouped={filters.group} />
              </li>
            ))}
          </ul>
        </Box>
      ))}
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

function Choice({ entry: { title, user }, checked, onChange }: ChoiceProps & { readonly entry: QueueEntry<ReviewItem> }) {
  const { t } = useTranslation('reviews')
  return (
    <Checkbox
      aria-label={t('bulk.select', { title, user })}
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

function EmptyQueue({ filters }: { readonly filters: ReviewFilters }) {
  const { t } = useTranslation('reviews')
  const { state, kind, application, assignee, rule, user } = filters
  if (state !== 'pending' || kind || application || assignee || rule || user) {
    return <EmptyState title={t('queue.noMatch')}>{t('queue.noMatchHint')}</EmptyState>
  }
  return <EmptyState title={t('queue.empty')}>{t('queue.emptyHint')}</EmptyState>
}

interface EntryProps {
  readonly entry: QueueEntry<ReviewItem>
  readonly current: boolean
  /** The heading of the group says it already. */
  readonly grouped: ReviewFilters['group']
}

function Entry({ entry, current, grouped }: EntryProps) {
  const { t } = useTranslation('reviews')
  const { item, title, excerpt, user, application } = entry
  const { id, state, expires_at, created_at, risk_level } = item
  return (
    <RouterLink
      className={classes.entry}
      to={`/reviews/${id}`}
      search={(before: object) => before}
      aria-current={current ? 'true' : undefined}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        {grouped === 'rule' && excerpt !== undefined ? (
          <Excerpt text={excerpt} />
        ) : (
          <Text size="sm" component="span" fw={600} lineClamp={1} title={title}>
            {title}
          </Text>
        )}
        <Text size="xs" component="span" style={{ whiteSpace: 'nowrap' }}>
          {state === 'pending' ? <TimeLeft until={expires_at} /> : <Time at={created_at} />}
        </Text>
      </Group>
      {grouped !== 'rule' && excerpt !== undefined && <Excerpt text={excerpt} />}
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {[t(titleKey(item)), user, application].join(' · ')}
        </Text>
        {risk_level !== 'low' && <Level level={risk_level} prefix={t('queue.risk')} />}
      </Group>
      <Marks item={item} />
    </RouterLink>
  )
}
