import { type KeptNumbers, parseKeepingNumbers } from './json-numbers.ts'

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor'])
/** Maximum number of values in a body. A megabyte could hold half a million, and processing them would delay all other requests. */
const MAX_VALUES = 32_768
const decoder = new TextDecoder('utf-8', { fatal: true })

type Problem = { readonly ok: false; readonly problem: string }
export type ParsedJson = { readonly ok: true; readonly value: unknown } | Problem

/**
 * Parses JSON of a client: UTF-8, at most `maxDepth` levels deep, of no more than MAX_VALUES values, without keys that could change a prototype
 * (API-BODY-2, API-BODY-3). Never throws.
 */
export function parseJson(bytes: Uint8Array, maxDepth: number): ParsedJson {
  const parsed = parseChecked(bytes, maxDepth, (text) => ({ value: JSON.parse(text), written: undefined }))
  return parsed.ok ? { ok: true, value: parsed.value } : parsed
}

/** As parseJson, for a body whose numbers must reach a provider as the client wrote them. `free`: see `parseKeepingNumbers`. */
export const parseJsonKeepingNumbers = (
  bytes: Uint8Array,
  maxDepth: number,
  free?: ReadonlySet<string>,
): ({ readonly ok: true } & KeptNumbers) | Problem => parseChecked(bytes, maxDepth, (text) => parseKeepingNumbers(text, free))

function parseChecked(
  bytes: Uint8Array,
  maxDepth: number,
  parse: (text: string) => KeptNumbers,
): ({ readonly ok: true } & KeptNumbers) | Problem {
  let parsed: KeptNumbers
  try {
    parsed = parse(decoder.decode(bytes))
  } catch {
    return { ok: false, problem: 'The body is not valid JSON in UTF-8.' }
  }
  const problem = inspect(parsed.value, maxDepth, { left: MAX_VALUES })
  return problem === undefined ? { ok: true, ...parsed } : { ok: false, problem }
}

/** Whether `text` is a JSON document of any kind. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function inspect(value: unknown, levels: number, values: { left: number }): string | undefined {
  if (values.left-- === 0) return `The body holds more than ${MAX_VALUES} values.`
  // An unpaired surrogate has no UTF-8 form, so it cannot be hashed or forwarded unchanged.
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'A string holds half of a surrogate pair.'
  // `1e999` is valid JSON, but it cannot be hashed, recorded or forwarded.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'A number is too large.'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return 'The body is nested too deeply.'
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
