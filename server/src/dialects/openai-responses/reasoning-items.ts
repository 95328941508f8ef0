import { isCount, textOf } from '../../platform/lib/untrusted-json.ts'
import type { Position } from '../reasoning-position.ts'
import { type Fields, isObject } from './fields.ts'
import type { UnnamedReasoningItem } from './items.ts'

// Reasoning items in the form of the chat API: one or more entries of `reasoning_details` for each, as OpenRouter defined them. Entries of
// one item have its id. A provider requires its items back unchanged and in their place, so entries have their position.

/** The format of entries whose encrypted content only providers with this API can read. */
export const RESPONSES_FORMAT = 'openai-responses-v1'

/**
 * Clients such as Codex return only the fields of the API, so the state of reasoning of another API stands in `encrypted_content` too, with
 * its format: `anthropic-claude-v1.signature:EqQB…`. Encrypted content of this API is base64, without a colon.
 */
const FOREIGN_STATE = /^([a-z0-9-]{1,64})\.(signature|data):(.*)$/s

/** The item with all of its state in `encrypted_content`. */
export function withState(item: UnnamedReasoningItem): UnnamedReasoningItem {
  const { format, signature, encrypted_content: data } = item
  if (format === undefined || format === RESPONSES_FORMAT || (data ?? signature) === undefined) return item
  const state = data === undefined ? `signature:${signature}` : `data:${data}`
  return { ...item, encrypted_content: `${format}.${state}` }
}

/** The format, the signature and the encrypted content of an item from a client. */
export function stateOf({ format, signature, encrypted_content: data }: Fields): Fields {
  const [, foreign, kind, state] = FOREIGN_STATE.exec(textOf(data)) ?? []
  if (foreign === undefined) return { format, signature, data }
  return kind === 'data' ? { format: foreign, signature, data: state } : { format: foreign, signature: state }
}

interface PlacedItem extends Position {
  readonly item: UnnamedReasoningItem
}

/** The fields of an entry that a reasoning item has too. */
const CARRIED: ReadonlySet<string> = new Set([
  ...['id', 'type', 'text', 'summary', 'data', 'signature', 'format', 'index', 'start_index', 'call_index'],
])

const isText = (value: unknown): value is string => typeof value === 'string'
const isAbsent = (value: unknown): boolean => value === undefined || value === null
const isIndex = (value: unknown): boolean => isAbsent(value) || isCount(value, Number.MAX_SAFE_INTEGER)

function isDetail(detail: unknown): detail is Fields {
  if (!isObject(detail) || !Object.keys(detail).every((name) => CARRIED.has(name))) return false
  const { id, type, text, summary, data, signature, format, start_index, call_index } = detail
  if (![id, signature, format].every((value) => isAbsent(value) || isText(value))) return false
  if (!isIndex(start_index) || !isIndex(call_index)) return false
  if (type === 'reasoning.summary') return isText(summary)
  if (type === 'reasoning.encrypted') return isText(data)
  return type === 'reasoning.text' && (isText(text) || (isAbsent(text) && isText(signature)))
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
