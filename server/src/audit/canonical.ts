import { canonicalJson } from '../lib/canonical-json.ts'

/**
 * RFC 8785 for the hot path: the text of lib/canonical-json.ts in a fraction of its time (canonical.test.ts holds the two
 * against each other). All that RFC 8785 asks beyond `JSON.stringify` is the order of the keys: what is in order goes
 * through as it is (a fourth of the time), the rest is copied into order (half).
 *
 * Where JSON has no word for a value it answers as `JSON.stringify` does (a number that is not finite is null), and half
 * a surrogate pair becomes U+FFFD: a hostile model name must not keep a record from being written. Throws on cycles, on
 * BigInt and on what has no JSON form at all.
 */
export function canonicalText(value: unknown): string {
  const order = orderOf(value)
  const text = JSON.stringify(order === 'unsorted' ? sorted(value) : value)
  if (text === undefined) throw new TypeError('value has no JSON form')
  // Half a surrogate pair is written as an escape: this finds every one, and seldom something else.
  return order === 'unsortable' || text.includes('\\ud') ? canonicalJson(wellFormed(JSON.parse(text))) : text
}

type Order = 'sorted' | 'unsorted' | 'unsortable'

/** Whether all keys are as RFC 8785 wants them (by UTF-16 units). Plain loops: this runs over every part of every record. */
function orderOf(value: unknown): Order {
  if (typeof value !== 'object' || value === null) return 'sorted'
  let order: Order = 'sorted'
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner = orderOf(value[i])
      if (inner === 'unsortable') return inner
      if (inner === 'unsorted') order = inner
    }
    return order
  }
  let before = ''
  for (const key in value) {
    if (isUnsortable(key)) return 'unsortable'
    if (key < before) order = 'unsorted'
    before = key
    const inner = orderOf((value as Record<string, unknown>)[key])
    if (inner === 'unsortable') return inner
    if (inner === 'unsorted') order = inner
  }
  return 'toJSON' in value ? 'unsortable' : order
}

/** JavaScript puts keys that look like numbers first and keeps `__proto__` to itself: no copy brings those into order. */
function isUnsortable(key: string): boolean {
  const first = key.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || key === '__proto__'
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const source = value as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const key of insertionSorted(Object.keys(source))) copy[key] = sorted(source[key])
  return copy
}

/** Twice as fast as `sort` for the few keys that objects have. */
function insertionSorted(keys: string[]): string[] {
  if (keys.length > 64) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(wellFormed)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}
