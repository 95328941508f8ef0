import { useRef } from 'react'
import type { ReviewItem } from './review-item.ts'

/** The items before and after the selected one. A decided item, which left the list, keeps its position. */
export function useAdjacentItems(items: readonly ReviewItem[], selected: string | undefined) {
  const lastPosition = useRef(0)
  if (selected === undefined) return { next: items[0], previous: undefined }
  const position = items.findIndex(({ id }) => id === selected)
  if (position >= 0) {
    lastPosition.current = position
    return { next: items[position + 1], previous: items[position - 1] }
  }
  return { next: items[lastPosition.current] ?? items.at(-1), previous: items[lastPosition.current - 1] }
}
