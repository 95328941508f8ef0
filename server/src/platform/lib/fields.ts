import { type Static, type TSchema, Type } from 'typebox'
import type { Checked } from './schema.ts'

/** A field that null resets to its default. Not a union, so that the error message names the problem of the expected type. */
export const resettable = <S extends TSchema & { type: string }>(schema: S) =>
  Type.Optional(Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] }))

const anyOf = (words: readonly string[]) => words.map((word) => Type.Literal(word))

/** One of a list of words. `title`: its name in the OpenAPI document. */
export const oneOf = <const T extends readonly string[]>(words: T, title?: string) =>
  Type.Unsafe<T[number]>(Type.Union(anyOf(words), title === undefined ? {} : { title }))

/** null: the default. */
export const resettableWord = <const T extends readonly string[]>(words: T) =>
  Type.Optional(Type.Unsafe<T[number] | null>(Type.Union([...anyOf(words), Type.Null()])))

/** One line of text: no control characters, no halves of surrogate pairs. */
export const Line = Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })

/** A name: a line that is not empty and has no space at its start or end. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[^\\p{Cc}\\p{Cs}\\s]([^\\p{Cc}\\p{Cs}]*[^\\p{Cc}\\p{Cs}\\s])?$',
})

/** PostgreSQL stores neither U+0000 nor halves of surrogate pairs, which JSON can both hold. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Adds a check: `field`, free-form JSON at path `param`, has at most `max` characters and only text that can be stored. */
export function withStorable<T>(checked: Checked<T>, param: string, field: (value: T) => unknown, max: number): Checked<T> {
  if (!checked.ok) return checked
  let storable = true
  const json = JSON.stringify(field(checked.value) ?? null, (key, value) => {
    storable &&= isStorable(key) && (typeof value !== 'string' || isStorable(value))
    return value
  })
  if (!storable) return { ok: false, problem: { param, message: 'must not contain U+0000 or unpaired surrogates' } }
  if (json.length > max) return { ok: false, problem: { param, message: `must not have more than ${max} characters of JSON` } }
  return checked
}

/** ISO 8601, as JSON writes dates. */
export const Timestamp = Type.String({ format: 'date-time' })
