import { canonicalJson } from '../../../platform/lib/canonical-json.ts'

/**
 * RFC 8785 text, faster than platform/lib/canonical-json.ts (canonical.test.ts compares both): values with sorted keys are serialized directly (a
 * quarter of the time), others are copied with sorted keys (half of the time). Values without a JSON form become what `JSON.stringify` makes of
 * them, and a lone surrogate becomes U+FFFD, so that hostile input cannot prevent a record. Throws on cycles, on BigInt and on undefined.
 */
export function canonicalText(value: unknown): string {
  const order = findKeyOrder(value)
  const text = JSON.stringify(order === 'unsorted' ? sortKeys(value) : value)
  if (text === undefined) throw new TypeError('value has no JSON form')
  // `JSON.stringify` writes a lone surrogate as an escape; other escapes rarely match.
  return order === 'unsortable' || text.includes('\\ud') ? canonicalJson(replaceLoneSurrogates(JSON.parse(text))) : text
}

type KeyOrder = 'sorted' | 'unsorted' | 'unsortable'

/** Order of all keys by UTF-16 code units. Plain loops for speed: this runs over every part of every record. */
function findKeyOrder(value: unknown): KeyOrder {
  if (typeof value !== 'object' || value === null) return 'sorted'
  let order: KeyOrder = 'sorted'
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner = findKeyOrder(value[i])
      if (inner === 'unsortable') return inner
      if (inner === 'unsorted') order = inner
    }
    return order
  }
  let previousKey = ''
  for (const key in value) {
    if (isUnsortable(key)) return 'unsortable'
    if (key < previousKey) order = 'unsorted'
    previousKey = key
    const inner = findKeyOrder((value as Record<string, unknown>)[key])
    if (inner === 'unsortable') return inner
    if (inner === 'unsorted') order = inner
  }
  return 'toJSON' in value ? 'unsortable' : order
}

/** JavaScript orders integer-like keys first and treats `__proto__` specially, so a copy cannot sort these. */
function isUnsortable(key: string): boolean {
  const first = key.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || key === '__proto__'
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const source = value as Record<string, unknown>
  const copy: Record<string, unknown> = {}
  for (const key of insertionSort(Object.keys(source))) copy[key] = sortKeys(source[key])
  return copy
}

/** Twice as fast as `sort` for small objects. */
function insertionSort(keys: string[]): string[] {
  if (keys.length > 64) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function replaceLoneSurrogates(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(replaceLoneSurrogates)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), replaceLoneSurrogates(item)]))
}
