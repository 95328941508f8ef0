import { useQueryClient } from '@tanstack/react-query'
import { useEvents } from '../../api/events.ts'
import { type List, useList } from '../../api/queries.ts'
import type { ReviewFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'

/** Some items change without being told, by the clock for instance. */
const FALLBACK_MS = 20_000

interface Queue {
  readonly list: List<ReviewItem>
  /** Changes are shown as they happen. */
  readonly live: boolean
}

/** The items that the filters let through, kept up to date by the server. */
export function useQueue({ state, kind, application }: ReviewFilters): Queue {
  const queries = useQueryClient()
  const query = { state, limit: 50, ...(kind && { kind }), ...(application && { application_id: application }) }
  const list = useList('/admin/v1/reviews', { params: { query } }, { every: FALLBACK_MS })
  const readAnew = () => void queries.invalidateQueries({ queryKey: ['/admin/v1/reviews', 'list'] })
  const live = useEvents('/admin/v1/reviews/events', {
    reset: readAnew,
    review: (data) => {
      const item = data as ReviewItem
      // Its content is not asked for again: each reading of it is recorded.
      queries.setQueryData(reviewKey(item.id), (known: ReviewItem | undefined) => known && { ...known, ...item })
      readAnew()
    },
  })
  return { list, live }
}

/** Where the cache has an item with its content. */
export const reviewKey = (id: string) => ['/admin/v1/reviews/{id}', { params: { path: { id } } }]
