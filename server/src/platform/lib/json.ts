import { type KeptNumbers, keepNumbers } from './json-numbers.ts'

export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor'])
/** Values in a body. A megabyte could hold half a million, and processing them would delay all other requests. */
export const MAX_VALUES = 32_768
/** Smaller bodies are parsed at once: parsing takes at most some milliseconds. */
const SMALL_BYTES = 65_536
const TOO_MANY = `The body holds more than ${MAX_VALUES} values.`
const TOO_DEEP = 'The body is nested too deeply.'
const decoder = new TextDecoder('utf-8', { fatal: true })

type Problem = { readonly ok: false; readonly problem: string }
export type ParsedJson = { readonly ok: true; readonly value: unknown } | Problem

/** Parses JSON of a client (API-BODY-2, API-BODY-3): UTF-8, at most `maxDepth` levels deep. Never throws. */
export function parseJson(bytes: Uint8Array, maxDepth: number): ParsedJson {
  const parsed = parseChecked(bytes, maxDepth)
  return parsed.ok ? { ok: true, value: parsed.value } : parsed
}

/** As parseJson, for a body whose numbers must reach a provider as the client wrote them. `free`: see `keepNumbers`. */
export function parseJsonKeepingNumbers(
  bytes: Uint8Array,
  maxDepth: number,
  free?: ReadonlySet<string>,
): ({ readonly ok: true } & KeptNumbers) | Problem {
  const parsed = parseChecked(bytes, maxDepth)
  return parsed.ok ? { ok: true, ...keepNumbers(parsed.text, parsed.value, free) } : parsed
}

function parseChecked(bytes: Uint8Array, maxDepth: number): { ok: true; text: string; value: unknown } | Problem {
  const early = bytes.length > SMALL_BYTES ? problemBeforeParsing(bytes, maxDepth, MAX_VALUES) : undefined
  if (early !== undefined) return { ok: false, problem: early }
  let text: string
  let value: unknown
  try {
    text = decoder.decode(bytes)
    value = JSON.parse(text)
  } catch {
    return { ok: false, problem: 'The body is not valid JSON in UTF-8.' }
  }
  const problem = inspect(value, maxDepth, { left: MAX_VALUES })
  return problem === undefined ? { ok: true, text, value } : { ok: false, problem }
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Whether JSON has more than `max` values. Reads the punctuation only, and no text that is too short for them. */
export const holdsTooManyValues = (bytes: Uint8Array, max: number): boolean =>
  bytes.length > max && problemBeforeParsing(bytes, Number.POSITIVE_INFINITY, max) !== undefined

/** Finds too many values and levels by the punctuation: parsing millions of values takes seconds. It stops at the first one above a limit. */
function problemBeforeParsing(bytes: Uint8Array, maxDepth: number, maxValues: number): string | undefined {
  let [depth, containers, commas] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = stringEnd(bytes, at + 1)
    else if (byte === COMMA) commas++
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      containers++
      if (++depth > maxDepth) return TOO_DEEP
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--
    // A comma stands between two values, and each container is one.
    if (commas === maxValues || containers > maxValues) return TOO_MANY
  }
  return undefined
}

/** Index of the quote that ends the string which begins at `at`; the length: none does. */
function stringEnd(bytes: Uint8Array, at: number): number {
  let end = at
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1
  return end
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function inspect(value: unknown, levels: number, values: { left: number }): string | undefined {
  if (values.left-- === 0) return TOO_MANY
  // An unpaired surrogate has no UTF-8 form, so it cannot be hashed or forwarded unchanged.
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'A string holds half of a surrogate pair.'
  // `1e999` is valid JSON, but it cannot be hashed, recorded or forwarded.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'A number is too large.'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return TOO_DEEP
  if (Array.isArray(value)) {
    for (const item of value) {
      const problem = inspect(item, levels - 1, values)
      if (problem !== undefined) return problem
    }
    return undefined
  }
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) return `The key ${key} is not allowed.`
    if (!key.isWellFormed()) return 'A key holds half of a surrogate pair.'
    const problem = inspect((value as Record<string, unknown>)[key], levels - 1, values)
    if (problem !== undefined) return problem
  }
  return undefined
}
