import { useEffect, useRef } from 'react'
import type { Turn } from './chat.ts'

/** Follows a stream only while the end of the chat is at most this far below the window, in pixels. */
const FOLLOW_PX = 240

/** Ref for an element at the end of a chat. Scrolls to it for new messages and while a completion is streamed. */
export function useScrollToEnd(turns: readonly Turn[]) {
  const end = useRef<HTMLDivElement>(null)
  const last = turns.at(-1)
  const seen = useRef(last?.id)
  // Grows with each text, result and error of the last turn.
  const length = JSON.stringify(last)?.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the length makes the chat longer
  useEffect(() => {
    if (!end.current || last === undefined) return
    const isNew = seen.current !== last.id
    seen.current = last.id
    const below = end.current.getBoundingClientRect().top - window.innerHeight
    if (isNew || below < FOLLOW_PX) end.current.scrollIntoView({ block: 'end' })
  }, [last?.id, length])
  return end
}
