import type { ColumnType } from 'kysely'

/** jsonb: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>
export type NullableJson<T> = ColumnType<T | null, string | null, string | null>

/** bytea */
export type Bytes = Buffer

/** Set once, when the row is inserted. */
export type CreatedAt = ColumnType<Date, Date, never>

/** A nullable text column that is read as a plain string and written only as `T`. */
export type OrNull<T extends string> = ColumnType<string | null, T | null, T | null>
