import type { ChatMessage } from '../../domain/message.ts'
import { type Fields, isObject } from './fields.ts'
import type { ReasoningItem } from './items.ts'

/** The fields of a detail that a reasoning item has under the same name. */
const CARRIED: ReadonlySet<string> = new Set(['id', 'type', 'text', 'summary', 'data', 'signature', 'format', 'index'])

/**
 * The reasoning of a message as items: one for each of its `reasoning_details`, because each entry can have its own signature, then one for
 * its text unless the details contain it. `extras`: details that an item cannot hold.
 */
export function reasoningItems(message: ChatMessage, suffix: string): { items: readonly ReasoningItem[]; extras: Fields } {
  const { reasoning, reasoning_content, reasoning_details } = message
  const details = Array.isArray(reasoning_details) ? (reasoning_details as readonly unknown[]) : []
  const isKnown = details.every(isDetail)
  const id = (index: number): string => `rs_${suffix}_${index}`
  const items = isKnown ? (details as readonly Fields[]).map((detail, index) => itemOf(detail, id(index))) : []
  const written = items.flatMap(({ summary, content = [] }) => [...summary, ...content].map(({ text }) => text)).join('')
  for (const text of new Set([reasoning_content, reasoning])) {
    if (typeof text !== 'string' || text === '' || written.includes(text)) continue
    items.push({ id: id(items.length), type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] })
  }
  return { items, extras: isKnown ? {} : { reasoning_details } }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isAbsent = (value: unknown): boolean => value === undefined || value === null

function isDetail(detail: unknown): detail is Fields {
  if (!isObject(detail) || !Object.keys(detail).every((name) => CARRIED.has(name))) return false
  const { id, type, text, summary, data, signature, format } = detail
  if (![id, signature, format].every((value) => isAbsent(value) || isText(value))) return false
  if (type === 'reasoning.summary') return isText(summary)
  if (type === 'reasoning.encrypted') return isText(data)
  return type === 'reasoning.text' && (isText(text) || (isAbsent(text) && isText(signature)))
}

function itemOf(detail: Fields, id: string): ReasoningItem {
  const { text, summary, data, signature, format } = detail
  return {
    id: isText(detail.id) && detail.id !== '' ? detail.id : id,
    type: 'reasoning',
    summary: isText(summary) ? [{ type: 'summary_text', text: summary }] : [],
    ...(isText(text) && { content: [{ type: 'reasoning_text', text }] as const }),
    ...(isText(data) && { encrypted_content: data }),
    ...(isText(signature) && { signature }),
    ...(isText(format) && { format }),
  }
}
