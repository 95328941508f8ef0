import { Badge, Box, Grid } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useFilters, useNavigateTo, usePathParam } from '../../routing/location.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { Page as Frame } from '../../ui/page.tsx'
import { Queue } from './queue.tsx'
import { QueueFilters } from './queue-filters.tsx'
import { ReviewDetail } from './review-detail.tsx'
import { readFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'
import { Shortcuts } from './shortcuts.tsx'
import { useAdjacentItems } from './use-adjacent-items.ts'
import { useQueue } from './use-queue.ts'

const FROM_MD = { visibleFrom: 'md' } as const

/** The queue and the selected item, side by side; on a narrow screen one of them. */
export function Page() {
  const selected = usePathParam('id') || undefined
  const [filters, setFilters] = useFilters(readFilters)
  const { list, live } = useQueue(filters)
  const navigateTo = useNavigateTo()
  const items = list.items ?? []
  const search = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  const open = (id: string | undefined) => navigateTo(id === undefined ? '/reviews' : `/reviews/${id}`, search)
  const { next, previous } = useAdjacentItems(items, selected)
  const goTo = (item: ReviewItem | undefined) => item && open(item.id)
  useHotkeys([
    ['J', () => goTo(next)],
    ['K', () => goTo(previous)],
  ])
  return (
    <Frame
      title="Reviews"
      description="Requests and completions that are held for a decision, and escalations."
      actions={<ConnectionBadge live={live} />}
    >
      <Box {...(selected && FROM_MD)}>
        <QueueFilters filters={filters} onChange={setFilters} />
      </Box>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 4 }} {...(selected && FROM_MD)}>
          <Queue list={list} filters={filters} selected={selected} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }} {...(!selected && FROM_MD)}>
          {selected ? (
            <>
              <LinkButton to="/reviews" search={search} variant="subtle" hiddenFrom="md" mb="sm">
                Back to queue
              </LinkButton>
              <ReviewDetail
                id={selected}
                listed={items.find(({ id }) => id === selected)}
                onNext={next && (() => open(next.id))}
              />
            </>
          ) : (
            items.length > 0 && (
              <EmptyState title="No item selected">Select an item, or press J to open the first one.</EmptyState>
            )
          )}
        </Grid.Col>
      </Grid>
      <Shortcuts />
    </Frame>
  )
}

const ConnectionBadge = ({ live }: { readonly live: boolean }) => (
  <Badge color={live ? 'green' : 'gray'} role="status">
    {live ? 'Live' : 'Connecting'}
  </Badge>
)
