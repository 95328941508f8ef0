import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useEvents } from '../../api/events.ts'
import { sendRequest } from '../../api/operations.ts'
import { type List, useList } from '../../api/queries.ts'
import { asDecided } from './as-decided.ts'
import { PENDING, type ReviewFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'
import { useUnsentDecisions } from './unsent-decisions.ts'
import { STATISTICS_KEY } from './use-statistics.ts'

/** Some changes cause no event, for example expiry. */
const FALLBACK_MS = 20_000

/** Pending items are loaded up to this number, so that search, groups and counts cover the queue. */
const MAX_LOADED = 500

interface Queue {
  readonly list: List<ReviewItem>
  /** Connected to the event stream. */
  readonly live: boolean
}

/** The filtered review queue with live updates. Unsent decisions count as made. */
export function useQueue({ state, kind, application, assignee, rule, user }: ReviewFilters): Queue {
  const queries = useQueryClient()
  const query = {
    state,
    limit: 100,
    ...(kind && { kind }),
    ...(application && { application_id: application }),
    ...(rule && { rule }),
    ...(assignee && { assigned_to: assignee }),
    ...(user && { user_id: user }),
  }
  const unsent = useUnsentDecisions()
  const list = useList('/admin/v1/reviews', { params: { query } }, { refetchInterval: FALLBACK_MS })
  const { items = [], hasMore, loadingMore, loadMore } = list
  const loadsAll = state === PENDING && hasMore && !loadingMore && items.length < MAX_LOADED
  useEffect(() => {
    if (loadsAll) loadMore()
  }, [loadsAll, loadMore])
  const refreshList = () => void refreshQueue(queries)
  const live = useEvents('/admin/v1/reviews/events', {
    reset: refreshList,
    review: (data) => {
      const item = data as ReviewItem
      // The content is not loaded again, because each reading is recorded.
      queries.setQueryData(reviewKey(item.id), (cached: ReviewItem | undefined) => cached && { ...cached, ...item })
      refreshList()
    },
  })
  const shown = list.items?.map((item) => asDecided(item, unsent)).filter((item) => item.state === state)
  return { list: { ...list, items: shown }, live }
}

/** Reads the state of an item without its content, and stores it. */
export function useRefreshItem(): (id: string) => Promise<void> {
  const cacheItem = useCacheItem()
  return async (id) => {
    const { data } = await sendRequest('get', '/admin/v1/reviews', { params: { query: { id, limit: 1 } } })
    for (const item of data) cacheItem(item)
  }
}

/** Loads the list and the figures above it again. */
export async function refreshQueue(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['/admin/v1/reviews', 'list'] }),
    queries.invalidateQueries({ queryKey: STATISTICS_KEY }),
  ])
}

/** Stores a changed item without loading its content again, because each reading is recorded. */
export function useCacheItem(): (item: ReviewItem) => void {
  const queries = useQueryClient()
  return (item) => {
    queries.setQueryData(reviewKey(item.id), (cached: ReviewItem | undefined) => cached && { ...cached, ...item })
    void refreshQueue(queries)
  }
}

/** Query key of an item with its content. */
export const reviewKey = (id: string) => ['/admin/v1/reviews/{id}', { params: { path: { id } } }]
