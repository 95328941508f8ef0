const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor'])
/**
 * Values in one body. A megabyte holds half a million of them, and whatever is done with each (checking, reporting what is
 * wrong with it, reading it for findings) would keep everybody else waiting.
 */
const MAX_VALUES = 32_768
const decoder = new TextDecoder('utf-8', { fatal: true })

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/**
 * JSON from outside: UTF-8, at most `maxDepth` levels deep, of no more than MAX_VALUES values, without keys that could reach a prototype
 * (API-BODY-2, API-BODY-3). Never throws.
 */
export function parseJson(bytes: Uint8Array, maxDepth: number): ParsedJson {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    return { ok: false, problem: 'The body is not valid JSON in UTF-8.' }
  }
  const problem = inspect(value, maxDepth, { left: MAX_VALUES })
  return problem === undefined ? { ok: true, value } : { ok: false, problem }
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
  // Half a character has no UTF-8 form: it could be neither hashed nor passed on as it came.
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'A string holds half of a surrogate pair.'
  // `1e999`: a JSON number, but none that could be hashed, recorded or passed on.
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
