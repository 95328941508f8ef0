import { Group, Text } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import { useApplicationNames } from '../../api/application-names.ts'
import type { List } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Level } from '../../ui/level.tsx'
import { ShowMore } from '../../ui/show-more.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import classes from './queue.module.css'
import type { ReviewFilters } from './review-filters.ts'
import { type ReviewItem, titleOf, userOf } from './review-item.ts'

interface QueueProps {
  readonly list: List<ReviewItem>
  readonly filters: ReviewFilters
  readonly selected: string | undefined
}

/** The review queue, next to expire first. */
export function Queue({ list, filters, selected }: QueueProps) {
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return <EmptyQueue filters={filters} />
  return (
    <>
      <ul className={classes.list} aria-label="Queue">
        {list.items.map((item) => (
          <li key={item.id}>
            <Entry item={item} current={item.id === selected} />
          </li>
        ))}
      </ul>
      <ShowMore list={list} fullWidth />
    </>
  )
}

function EmptyQueue({ filters: { state, kind, application } }: { readonly filters: ReviewFilters }) {
  if (state !== 'pending' || kind || application) {
    return <EmptyState title="No matching items">Remove or change filters.</EmptyState>
  }
  return (
    <EmptyState title="No pending reviews">
      Items appear here when a rule has the verdict require_approval or escalate.
    </EmptyState>
  )
}

function Entry({ item, current }: { readonly item: ReviewItem; readonly current: boolean }) {
  const { nameOf } = useApplicationNames()
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
          {titleOf(item)}
        </Text>
        <Text size="xs" component="span">
          {state === 'pending' ? <TimeLeft until={expires_at} /> : <Time at={created_at} />}
        </Text>
      </Group>
      <Text size="sm" truncate>
        {userOf(item)}
        {application_id && ` · ${nameOf(application_id)}`}
      </Text>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {rules.map((rule) => rule.id).join(', ')}
        </Text>
        <Level level={risk_level} prefix="Risk" />
      </Group>
    </RouterLink>
  )
}
