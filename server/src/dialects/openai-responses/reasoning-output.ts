import type { ChatMessage } from '../../shared/message.ts'
import { containsText, type Position } from '../reasoning-position.ts'
import type { Fields } from './fields.ts'
import type { ReasoningItem } from './items.ts'
import { placedItems, withState } from './reasoning-items.ts'

/** A reasoning item and its place in the message. */
export interface Thought extends Position {
  readonly item: ReasoningItem
}

/**
 * The reasoning of a message as items: those of its `reasoning_details`, then one for its text unless the details contain it. `extras`:
 * details that an item cannot hold.
 */
export function reasoningItems(message: ChatMessage, suffix: string): { items: readonly Thought[]; extras: Fields } {
  const { reasoning, reasoning_content, reasoning_details } = message
  const details = reasoning_details ?? []
  const placed = Array.isArray(details) ? placedItems(details) : undefined
  const idOf = (index: number): string => `rs_${suffix}_${index}`
  const items: Thought[] = (placed ?? []).map(({ item, ...place }, index) => ({
    ...place,
    item: { id: idOf(index), ...withState(item) },
  }))
  const written = items.flatMap(({ item: { summary, content = [] } }) => [...summary, ...content].map(({ text }) => text))
  for (const text of new Set([reasoning_content, reasoning])) {
    if (typeof text !== 'string' || text === '' || containsText(written, text)) continue
    const item = { id: idOf(items.length), type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] } as const
    items.push({ item, characters: 0, calls: 0 })
  }
  return { items, extras: placed ? {} : { reasoning_details } }
}
