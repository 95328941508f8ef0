import { Type } from 'typebox'
import { isCount, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { words } from '../known-fields.ts'
import { containsText, type Position, positionFields } from '../reasoning-position.ts'
import { anyList, type Fields, isObject, optionalText, reader, text } from './fields.ts'
import type { ReasoningItem, UnnamedReasoningItem } from './items.ts'

// Reasoning items in the form of the chat API: one or more entries of `reasoning_details` for each, as OpenRouter defined them. Entries of
// one item have its id. A provider requires its items back unchanged and in their place, so entries have their position.

/** The format of entries whose encrypted content only providers with this API can read. */
export const RESPONSES_FORMAT = 'openai-responses-v1'

/**
 * Clients such as Codex return only the fields of the API, so the state of reasoning of another API stands in `encrypted_content` too, with
 * its format: `anthropic-claude-v1.signature:EqQB…`. Encrypted content of this API is base64, without a colon.
 */
const FOREIGN_STATE = /^([a-z0-9-]{1,64})\.(signature|data):(.*)$/s

function withState(item: UnnamedReasoningItem): UnnamedReasoningItem {
  const { format, signature, encrypted_content: data } = item
  if (format === undefined || format === RESPONSES_FORMAT || (data ?? signature) === undefined) return item
  const state = data === undefined ? `signature:${signature}` : `data:${data}`
  return { ...item, encrypted_content: `${format}.${state}` }
}

export function stateOf({ format, signature, encrypted_content: data }: Fields): Fields {
  const [, foreign, kind, state] = FOREIGN_STATE.exec(textOf(data)) ?? []
  if (foreign === undefined) return { format, signature, data }
  return kind === 'data' ? { format: foreign, signature, data: state } : { format: foreign, signature: state }
}

interface PlacedItem extends Position {
  readonly item: UnnamedReasoningItem
}

const CARRIED: ReadonlySet<string> = new Set(words('id type text summary data signature format index start_index call_index'))

const isText = (value: unknown): value is string => typeof value === 'string'
const isIndex = (value: unknown): boolean => !isSet(value) || isCount(value, Number.MAX_SAFE_INTEGER)

function isDetail(detail: unknown): detail is Fields {
  if (!isObject(detail) || !Object.keys(detail).every((name) => CARRIED.has(name))) return false
  const { id, type, text, summary, data, signature, format, start_index, call_index } = detail
  if (![id, signature, format].every((value) => !isSet(value) || isText(value))) return false
  if (!isIndex(start_index) || !isIndex(call_index)) return false
  if (type === 'reasoning.summary') return isText(summary)
  if (type === 'reasoning.encrypted') return isText(data)
  return type === 'reasoning.text' && (isText(text) || (!isSet(text) && isText(signature)))
}

/** The items of a message's `reasoning_details`; undefined if an entry has something that an item cannot hold. */
export function placedItems(details: readonly unknown[]): readonly PlacedItem[] | undefined {
  const placed: PlacedItem[] = []
  for (const detail of details) {
    if (!isDetail(detail)) return undefined
    const next = placedItem(detail)
    const last = placed.at(-1)
    if (last && isSameItem(last, next)) placed[placed.length - 1] = joined(last, next)
    else placed.push(next)
  }
  return placed
}

function placedItem({ id, text, summary, data, signature, format, start_index, call_index }: Fields): PlacedItem {
  return {
    characters: Number(start_index ?? 0),
    calls: Number(call_index ?? 0),
    item: {
      ...(isText(id) && id !== '' && { id }),
      type: 'reasoning',
      summary: isText(summary) ? [{ type: 'summary_text', text: summary }] : [],
      ...(isText(text) && { content: [{ type: 'reasoning_text', text }] as const }),
      ...(isText(data) && { encrypted_content: data }),
      ...(isText(signature) && { signature }),
      ...(isText(format) && { format }),
    },
  }
}

/** Entries with a signature, or after the encrypted content, are items of their own: an item has room for one of each. */
function isSameItem(last: PlacedItem, next: PlacedItem): boolean {
  const [a, b] = [last.item, next.item]
  const isPlaced = last.characters === next.characters && last.calls === next.calls
  const isFull = [a.signature, a.encrypted_content, b.signature].some((value) => value !== undefined)
  return a.id !== undefined && a.id === b.id && a.format === b.format && isPlaced && !isFull
}

function joined(last: PlacedItem, next: PlacedItem): PlacedItem {
  const content = [...(last.item.content ?? []), ...(next.item.content ?? [])]
  return {
    ...last,
    item: {
      ...last.item,
      ...next.item,
      summary: [...last.item.summary, ...next.item.summary],
      ...(content.length > 0 && { content }),
    },
  }
}

export interface Thought extends Position {
  readonly item: ReasoningItem
}

/** The items of `reasoning_details`, then one for the text unless they contain it. `extras`: details that an item cannot hold. */
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

const readReasoning = reader({
  ...{ type: text, id: optionalText, status: optionalText, summary: Type.Optional(anyList), content: Type.Optional(anyList) },
  ...{ encrypted_content: optionalText, signature: optionalText, format: optionalText },
})
const readSummary = reader({ type: Type.Literal('summary_text'), text })
const readText = reader({ type: Type.Literal('reasoning_text'), text })

/** A reasoning item as `reasoning_details` of the assistant’s message. Empty: the item says nothing. `position`: what stands before it. */
export function detailsOf(item: unknown, at: string, position: Position): readonly Fields[] {
  const { id, summary = [], content = [], ...state } = readReasoning(item, at)
  const { data, signature, format } = stateOf(state)
  const own = { ...(id !== undefined && { id }), ...(format !== undefined && { format }), ...positionFields(position) }
  const signed = signature === undefined ? own : { ...own, signature }
  return [
    ...summary.map((part, index) => ({
      type: 'reasoning.summary',
      summary: readSummary(part, `${at}.summary[${index}]`).text,
      ...own,
    })),
    ...content.map((part, index) => ({
      type: 'reasoning.text',
      text: readText(part, `${at}.content[${index}]`).text,
      ...signed,
    })),
    ...(data === undefined ? [] : [{ type: 'reasoning.encrypted', data, ...own }]),
    // A signature without text still has to come back.
    ...(signature !== undefined && content.length === 0 ? [{ type: 'reasoning.text', ...signed }] : []),
  ]
}
