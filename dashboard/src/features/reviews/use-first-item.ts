import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import type { List } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { useNavigateWithin } from '../../routing/location.ts'
import type { ReviewFilters } from './review-filters.ts'
import type { ReviewItem } from './review-item.ts'

/** From the breakpoint `md`, the queue and the item are side by side. */
const SIDE_BY_SIDE = '(min-width: 62em)'

/**
 * Opens the first item next to the queue, if none is open or if a change of the filters took the open one out of the queue. An item that
 * leaves the queue otherwise stays open (decision 0021). Returns false for operators who do not decide: reading the content is recorded, so
 * they open items themselves.
 */
export function useFirstItem({ items, isPrevious }: List<ReviewItem>, selected: string | undefined, filters: ReviewFilters) {
  const isSideBySide = useMediaQuery(SIDE_BY_SIDE, undefined, { getInitialValueInEffect: false })
  const isReviewer = useScopes().hasScope('reviews:write')
  const navigateWithin = useNavigateWithin()
  const current = JSON.stringify(filters)
  const listed = useRef(current)
  const first = items?.[0]?.id
  const isListed = items?.some(({ id }) => id === selected) === true
  useEffect(() => {
    if (!isReviewer || !isSideBySide || isPrevious) return
    const isFiltered = listed.current !== current
    listed.current = current
    if (first && !isListed && (!selected || isFiltered)) navigateWithin(`/reviews/${first}`, { replace: true })
  }, [isReviewer, isSideBySide, isPrevious, current, first, isListed, selected, navigateWithin])
  return isReviewer
}
