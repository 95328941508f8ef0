import { isUtf8 } from 'node:buffer'
import { FORBIDDEN_KEYS, holdsTooManyValues, MAX_VALUES } from './json.ts'
import { isKeptNumber } from './json-numbers.ts'

export type Fields = Readonly<Record<string, unknown>>

/** For the extra fields of one object. */
const MAX_LEVELS = 16

/** Values in a JSON text: as many as the log probabilities of a long answer need. Parsing more would delay all other requests. */
export const MAX_ANSWER_VALUES = 98_304

type Parse = (json: string) => unknown

/** The object in a JSON text; undefined if the bytes are not valid UTF-8, not JSON, not an object or hold too many values. */
export function parseJsonObject(body: Buffer, parse?: Parse, maxValues?: number): Fields | undefined {
  const value = parseJson(body, parse, maxValues)
  return isObject(value) ? value : undefined
}

/** The value of a JSON text; undefined if the bytes are not valid UTF-8, not JSON or hold too many values. */
export function parseJson(body: Buffer, parse: Parse = JSON.parse, maxValues = MAX_ANSWER_VALUES): unknown {
  if (!isUtf8(body) || holdsTooManyValues(body, maxValues)) return undefined
  try {
    return parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** All fields except `known`. Returns undefined if they have too many values or levels, or a key that could change a prototype. */
export function readExtraFields(value: Fields, known: readonly string[]): Fields | undefined {
  const extras = Object.entries(value).filter(([name]) => !known.includes(name))
  const values = { left: MAX_VALUES }
  const isValid = extras.every(([name, field]) => !FORBIDDEN_KEYS.has(name) && isWithinLimits(field, MAX_LEVELS, values))
  return isValid ? Object.fromEntries(extras) : undefined
}

function isWithinLimits(value: unknown, levels: number, values: { left: number }): boolean {
  if (values.left-- === 0) return false
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null || isKeptNumber(value)) return true
  if (levels === 0) return false
  return Object.entries(value).every(([name, field]) => !FORBIDDEN_KEYS.has(name) && isWithinLimits(field, levels - 1, values))
}

/** A number that was kept (json-numbers.ts) is none. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isKeptNumber(value)
export const isSet = (value: unknown): boolean => value !== undefined && value !== null
export const isCount = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max

/** The text, or empty for every other value: `String` of an untrusted object may throw. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
