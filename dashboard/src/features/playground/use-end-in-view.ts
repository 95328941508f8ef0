import { useEffect, useRef } from 'react'
import type { Turn } from './conversations.ts'

/** How far below the window the end of the chat may be while a streamed answer still is followed, in pixels. */
const FOLLOWED_PX = 240

/** For an element at the end of a chat: scrolls to it for each new question and answer, and along with a streamed one. */
export function useEndInView(turns: readonly Turn[]) {
  const end = useRef<HTMLDivElement>(null)
  const last = turns.at(-1)
  const seen = useRef(last?.id)
  const length = last?.content.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of them makes the chat longer
  useEffect(() => {
    if (!end.current || last === undefined) return
    const isNew = seen.current !== last.id
    seen.current = last.id
    const below = end.current.getBoundingClientRect().top - window.innerHeight
    if (isNew || below < FOLLOWED_PX) end.current.scrollIntoView({ block: 'end' })
  }, [last?.id, last?.pending, length, last?.answer, last?.error])
  return end
}
