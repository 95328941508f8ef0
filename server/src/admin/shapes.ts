import { type TObject, type TSchema, Type } from 'typebox'

/** Path parameters. What a database cannot hold names nothing. */
export const pathOf = <const N extends string>(...names: readonly N[]): TObject<Record<N, ReturnType<typeof segment>>> =>
  Type.Object(Object.fromEntries(names.map((name) => [name, segment()])) as Record<N, ReturnType<typeof segment>>)

const segment = () => Type.String({ pattern: '^[^\\u0000]+$' })

export const List = (item: TSchema) =>
  Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(item),
    has_more: Type.Boolean(),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null on the last page.' }),
  })

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** What providers and callers own, and this server only carries. */
export const Anything = Type.Object({}, { additionalProperties: true })
