/** A JSON text in two readings, which are the same value unless a number needs its own text. */
export interface KeptNumbers {
  /** Numbers that JavaScript would lose digits of are raw JSON, the others numbers. Objects of `free` names are as in `written`. */
  readonly value: unknown
  /** Every number that `JSON.stringify` would write differently (`1.0`, `1e3`) is raw JSON as well. */
  readonly written: unknown
}

/** Finds all numbers that may be written differently, and few other texts. A number stands between punctuation and perhaps whitespace. */
const UNUSUAL =
  /[[:,]\s*-?(?:\d+\.\d*0|\d+(?:\.\d+)?[eE][+-]?\d+|\d{16,}(?:\.\d+)?|(?=[\d.]{17})\d+\.\d+|0\.0{6}\d+)\s*[,}\]]|[[:,]\s*-0\s*[,}\]]/

/** Every number of JavaScript holds 15 digits. Those of the exponent count: `0e4111111111111111` is 0. */
const losesDigits: Keeps = (_name, source) => source.replace(/\D/g, '').length > 15

/** `name`: of the field that holds the number, or its index in a list. */
type Keeps = (name: string, source: string) => boolean

/** Names of fields whose objects have numbers without a meaning in the API, for example the arguments of a tool. */
type FreeNames = ReadonlySet<string>

const NONE: FreeNames = new Set()

/** Throws a SyntaxError. */
export const parseKeepingNumbers = (text: string, free = NONE, keeps: Keeps = losesDigits): KeptNumbers =>
  keepNumbers(text, JSON.parse(text), free, keeps)

/** `value`: of the JSON `text`. Parsing with the text of numbers takes much longer, so limits are checked on the value first. */
export function keepNumbers(text: string, value: unknown, free = NONE, keeps: Keeps = losesDigits): KeptNumbers {
  if (!UNUSUAL.test(text)) return { value, written: value }
  const written = reparse(text, () => true)
  return { value: withFree(reparse(text, keeps), written, free), written }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

function reparse(text: string, keeps: Keeps): unknown {
  const revive: Reviver = (key, value, { source }) =>
    typeof value === 'number' && Number.isFinite(value) && source !== undefined && String(value) !== source && keeps(key, source)
      ? RAW.rawJSON(source)
      : value
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown)
}

type Container = Record<string | number, unknown>

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null && !RAW.isRawJSON(value)

/** `value` with the objects of `written` under `free` names. Both are readings of one text, so they have the same fields. */
function withFree(value: unknown, written: unknown, free: FreeNames): unknown {
  if (free.size === 0 || !isContainer(value)) return value
  const source = written as Container
  for (const name of Object.keys(value)) {
    const field = value[name]
    const isFree = free.has(name) && isContainer(field) && !Array.isArray(field)
    value[name] = isFree ? source[name] : withFree(field, source[name], free)
  }
  return value
}

/** "JSON.parse source text access", part of ECMAScript 2026; the compiler's library does not have it yet. */
const RAW = JSON as unknown as {
  rawJSON(source: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

/** The text of a number that was kept; undefined: the value is none. */
export const keptNumber = (value: unknown): string | undefined => (RAW.isRawJSON(value) ? value.rawJSON : undefined)

export const isKeptNumber = (value: object): boolean => 'rawJSON' in value && RAW.isRawJSON(value)

const PLAIN = /^-?\d+$/
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE][+-]?(\d+))?$/
/** Fewer digits are no number of a card or an account. */
const MIN_HIDDEN = 12
const MAX_INTEGER = 40

/**
 * The integers that a reader sees in a number with a fraction or an exponent: its integer part, and the digits before and in an exponent.
 * `4.111111111111111e15` and `4111111111111111.0` are 4111111111111111.
 */
export function integersIn(written: string): readonly string[] {
  if (PLAIN.test(written)) return []
  const [, whole = '', fraction = '', exponent] = PARTS.exec(written) ?? []
  const value = Math.abs(Number(written))
  const integer =
    value >= 1 && value < 10 ** MAX_INTEGER ? integerPart(whole, fraction, Number(/[eE](.+)$/.exec(written)?.[1] ?? 0)) : ''
  const isWhole = Number.isInteger(value) && integer.length > 6
  const candidates = [
    ...(isWhole || integer.length >= MIN_HIDDEN ? [integer] : []),
    // A program writes a fraction below one as 1.2345e-7.
    ...(exponent !== undefined && (value >= 1 || fraction === '') ? [trimmed(whole + fraction)] : []),
    ...(exponent !== undefined ? [trimmed(exponent)] : []),
  ]
  return [...new Set(candidates)].filter(({ length }) => length >= MIN_HIDDEN || (isWhole && length === integer.length))
}

function integerPart(whole: string, fraction: string, exponent: number): string {
  const length = whole.length + exponent
  return (whole + fraction).slice(0, length).padEnd(length, '0').replace(/^0+/, '')
}

const trimmed = (digits: string): string => digits.replace(/^0+|0+$/g, '')
