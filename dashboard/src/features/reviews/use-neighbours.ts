import { useRef } from 'react'
import type { ReviewItem } from './review-item.ts'

interface Neighbours {
  readonly next: ReviewItem | undefined
  readonly previous: ReviewItem | undefined
}

/** The items before and after the open one. One that left the list, as the decided ones do, still has the place it had. */
export function useNeighbours(items: readonly ReviewItem[], selected: string | undefined): Neighbours {
  const lastPlace = useRef(0)
  if (selected === undefined) return { next: items[0], previous: undefined }
  const place = items.findIndex(({ id }) => id === selected)
  if (place >= 0) {
    lastPlace.current = place
    return { next: items[place + 1], previous: items[place - 1] }
  }
  return { next: items[lastPlace.current] ?? items.at(-1), previous: items[lastPlace.current - 1] }
}
