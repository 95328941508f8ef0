import type { ColumnType } from 'kysely'

/** A jsonb column: read as a value, written as JSON text. */
export type Json<T> = ColumnType<T, string, string>
export type NullableJson<T> = ColumnType<T | null, string | null, string | null>

export type Bytes = Buffer

/** A column that is set when the row is inserted and never changes. */
export type CreatedAt = ColumnType<Date, Date, never>

/** A nullable text column that is read as a plain string and written only as `T`. */
export type OrNull<T extends string> = ColumnType<string | null, T | null, T | null>
