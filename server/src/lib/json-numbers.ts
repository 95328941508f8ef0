/** A JSON text in two readings, which are the same value unless a number needs its own text. */
export interface KeptNumbers {
  /** Numbers are JavaScript numbers, except those with more digits than these hold: they are raw JSON, so no digit is lost. */
  readonly value: unknown
  /** Every number that `JSON.stringify` would write differently (`1.0`, `1e3`) is raw JSON as well. */
  readonly written: unknown
}

/** Finds all numbers that may be written differently, and few other texts. A number stands between punctuation and perhaps whitespace. */
const UNUSUAL =
  /[[:,]\s*-?(?:\d+\.\d*0|\d+(?:\.\d+)?[eE][+-]?\d+|\d{16,}(?:\.\d+)?|\d+\.\d{12,}|0\.0{6}\d+)\s*[,}\]]|[[:,]\s*-0\s*[,}\]]/

/** Digits that every number of JavaScript holds. */
const SAFE_DIGITS = 15

/** Parses JSON and keeps the text of numbers (the proposal "JSON.parse source text access"). Throws a SyntaxError. */
export function parseKeepingNumbers(text: string): KeptNumbers {
  const value: unknown = JSON.parse(text)
  if (!UNUSUAL.test(text)) return { value, written: value }
  return { value: reparse(text, losesDigits), written: reparse(text, () => true) }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown

function reparse(text: string, keeps: (source: string) => boolean): unknown {
  const revive: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && Number.isFinite(value) && source !== undefined && String(value) !== source && keeps(source)
      ? RAW.rawJSON(source)
      : value
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown)
}

const losesDigits = (source: string): boolean => source.replace(/[eE].*/, '').replace(/\D/g, '').length > SAFE_DIGITS

/** Part of the language since ECMAScript 2026; the compiler's library does not have it yet. */
const RAW = JSON as unknown as {
  rawJSON(source: string): object
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

/** The text of a number that was kept; undefined: the value is none. */
export const keptNumber = (value: unknown): string | undefined => (RAW.isRawJSON(value) ? value.rawJSON : undefined)
