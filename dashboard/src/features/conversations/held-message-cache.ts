import type { QueryClient } from '@tanstack/react-query'
import { memberKey } from './member-queries.ts'

/** A message that is pending review or was not released. */
export interface HeldMessage {
  readonly reviewItemId: string
  readonly state: string
  /** Null if another window sent it. */
  readonly text: string | null
}

export const heldKey = (userId: string, conversationId: string) => memberKey(userId, 'held', conversationId)

/** Updates a held message and keeps its text. A released one is removed, because it is a normal message now. */
export function cacheHeldMessage(
  queries: QueryClient,
  userId: string,
  conversationId: string,
  { reviewItemId, state, text }: Omit<HeldMessage, 'text'> & { readonly text?: string },
): void {
  queries.setQueryData<readonly HeldMessage[]>(heldKey(userId, conversationId), (notes = []) => {
    const before = notes.find((note) => note.reviewItemId === reviewItemId)
    const others = notes.filter((note) => note !== before)
    return state === 'released' ? others : [...others, { reviewItemId, state, text: text ?? before?.text ?? null }]
  })
}

/** Removes a held message from the page. */
export const dismissHeldMessage = (queries: QueryClient, userId: string, conversationId: string, reviewItemId: string): void =>
  void queries.setQueryData<readonly HeldMessage[]>(heldKey(userId, conversationId), (notes = []) =>
    notes.filter((note) => note.reviewItemId !== reviewItemId),
  )
