import { type Kysely, sql } from 'kysely'

/** A partition of a table that is partitioned by the range of its id. */
export interface Partition {
  readonly name: string
  /** First id; null: no lower bound. */
  readonly from: string | null
  /** Id after the last one; null: no upper bound. */
  readonly to: string | null
  readonly isDefault: boolean
  /** Approximate number of rows, as of the last `analyze`; 0: not known. */
  readonly rows: number
}

/** In the order of their ids, the default partition last. */
export async function listPartitions<DB>(db: Kysely<DB>, table: string): Promise<readonly Partition[]> {
  const { rows } = await sql<{ name: string; bound: string; rows: number }>`
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bound, greatest(reltuples, 0) as rows
    from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass(${table})`.execute(db)
  const partitions = rows.map(({ name, bound, rows }) => {
    const [from = null, to = null] = ['FROM', 'TO'].map((word) => new RegExp(`\\b${word} \\('([^']+)'\\)`).exec(bound)?.[1])
    return { name, from, to, isDefault: bound === 'DEFAULT', rows }
  })
  return partitions.sort((a, b) => Number(a.isDefault) - Number(b.isDefault) || compare(a.from ?? '', b.from ?? ''))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
