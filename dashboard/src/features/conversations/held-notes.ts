import type { QueryClient } from '@tanstack/react-query'
import { memberKey } from './member-queries.ts'

/** What this window knows of a message that reviewers look at. */
export interface HeldNote {
  readonly reviewItemId: string
  readonly state: string
  /** What was to be said; null: it was sent from elsewhere. */
  readonly text: string | null
}

export const heldKey = (userId: string, conversationId: string) => memberKey(userId, 'held', conversationId)

/** Notes what became of a held message; its text stays what it was. A released one is a message now. */
export function noteHeld(
  queries: QueryClient,
  userId: string,
  conversationId: string,
  { reviewItemId, state, text }: Omit<HeldNote, 'text'> & { readonly text?: string },
): void {
  queries.setQueryData<readonly HeldNote[]>(heldKey(userId, conversationId), (notes = []) => {
    const before = notes.find((note) => note.reviewItemId === reviewItemId)
    const others = notes.filter((note) => note !== before)
    return state === 'released' ? others : [...others, { reviewItemId, state, text: text ?? before?.text ?? null }]
  })
}

/** Takes a note off the page. */
export const forgetHeld = (queries: QueryClient, userId: string, conversationId: string, reviewItemId: string): void =>
  void queries.setQueryData<readonly HeldNote[]>(heldKey(userId, conversationId), (notes = []) =>
    notes.filter((note) => note.reviewItemId !== reviewItemId),
  )
