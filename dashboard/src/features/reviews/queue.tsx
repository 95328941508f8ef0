import { Button, Group, Text } from '@mantine/core'
import { Link as RouterLink } from '@tanstack/react-router'
import { useApplicationNames } from '../../api/application-names.ts'
import type { List } from '../../api/queries.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Level } from '../../ui/level.tsx'
import { RowsSkeleton } from '../../ui/skeletons.tsx'
import { Time } from '../../ui/time.tsx'
import { TimeLeft } from '../../ui/time-left.tsx'
import classes from './queue.module.css'
import type { ReviewFilters } from './review-filters.ts'
import { askerOf, type ReviewItem, STATE_NAMES, subjectOf } from './review-item.ts'

interface QueueProps {
  readonly list: List<ReviewItem>
  readonly filters: ReviewFilters
  readonly selected: string | undefined
}

/** What waits, the next to expire first. */
export function Queue({ list, filters, selected }: QueueProps) {
  if (list.error && !list.items) return <ErrorState error={list.error} onRetry={list.retry} />
  if (!list.items) return <RowsSkeleton />
  if (list.items.length === 0) return <NothingThere filters={filters} />
  return (
    <>
      <ul className={classes.list} aria-label="Queue">
        {list.items.map((item) => (
          <li key={item.id}>
            <Entry item={item} here={item.id === selected} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button variant="default" fullWidth loading={list.loadingMore} onClick={list.more}>
          Show more
        </Button>
      )}
    </>
  )
}

function NothingThere({ filters: { state, kind, application } }: { readonly filters: ReviewFilters }) {
  if (state !== 'pending' || kind || application) {
    return <EmptyState title={`Nothing ${STATE_NAMES[state]} here`}>Other filters may show more.</EmptyState>
  }
  return (
    <EmptyState title="Nothing waits">
      What a policy holds or escalates comes here by itself. A rule with the verdict require_approval does it.
    </EmptyState>
  )
}

function Entry({ item, here }: { readonly item: ReviewItem; readonly here: boolean }) {
  const { nameOf } = useApplicationNames()
  const { id, application_id, rules, state, expires_at, created_at, risk_level } = item
  return (
    <RouterLink
      className={classes.entry}
      to={`/reviews/${id}`}
      search={(before: object) => before}
      aria-current={here ? 'true' : undefined}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" fw={600}>
          {subjectOf(item)}
        </Text>
        <Text size="xs" component="span">
          {state === 'pending' ? <TimeLeft until={expires_at} /> : <Time at={created_at} />}
        </Text>
      </Group>
      <Text size="sm" truncate>
        {askerOf(item)}
        {application_id && ` · ${nameOf(application_id)}`}
      </Text>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {rules.map((rule) => rule.id).join(', ')}
        </Text>
        <Level level={risk_level} of="risk" />
      </Group>
    </RouterLink>
  )
}
