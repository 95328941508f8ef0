import type { Static, TObject, TProperties } from 'typebox'
import { type CamelCase, camelCase } from './camel-case.ts'

/** A value of a row as JSON holds it. */
type Json<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? Json<E>[]
    : T extends object
      ? { -readonly [K in keyof T]: Json<T[K]> }
      : T

type Shown<P extends TProperties> = Static<TObject<P>>

/** The same with arrays and objects that callers do not copy. */
type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T

/** Fields of the schema that the row does not have under the same name and with a type that the schema allows. */
type Computed<P extends TProperties, Row> = {
  [K in keyof Shown<P> as K extends 'object'
    ? never
    : CamelCase<K & string> extends keyof Row
      ? Json<Row[CamelCase<K & string>]> extends Shown<P>[K]
        ? never
        : K
      : K]: Given<Shown<P>[K]>
}

/**
 * A row as the API shows it: the fields of the schema, each from the row's field of the same name (`created_at` from `createdAt`), dates as
 * text. `computed`: the fields that the row does not have, or that are shown differently.
 */
export function viewOf<P extends TProperties, Row extends object>(
  schema: TObject<P>,
  row: Row,
  ...[computed]: Record<never, never> extends Computed<P, Row>
    ? [computed?: Given<Partial<Shown<P>>>]
    : [computed: Computed<P, Row> & Given<Partial<Shown<P>>>]
): Shown<P> {
  const shown: Record<string, unknown> = {}
  for (const [name, source] of sourcesOf(schema)) {
    if (typeof source !== 'string') shown[name] = source.constant
    else if (source in row) shown[name] = jsonOf(Reflect.get(row, source))
  }
  return { ...shown, ...computed } as Shown<P>
}

const jsonOf = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** The row's field, or the only value that the schema allows (`object`). */
type Source = string | { readonly constant: unknown }

const known = new WeakMap<TObject, readonly (readonly [name: string, source: Source])[]>()

function sourcesOf(schema: TObject) {
  const stored = known.get(schema)
  if (stored) return stored
  const sources = Object.entries(schema.properties).map(([name, field]): readonly [string, Source] => [
    name,
    'const' in field ? { constant: field.const } : camelCase(name),
  ])
  known.set(schema, sources)
  return sources
}
