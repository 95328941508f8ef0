import type pg from 'pg'
import type { Language } from './language.ts'
import type { Partition } from './partition.ts'

/** Statistics of the partitions that a viewer may see: the only statistics that a ranking uses. */
export interface Scope {
  /** The languages of the partitions with entries, by partition id. */
  readonly languages: ReadonlyMap<number, Language>
  readonly entries: number
  /** Average number of terms. */
  readonly averageLength: number
}

/** Ignores partitions of other Workspaces. */
export async function readScope(pool: pg.Pool, workspaceUuid: string, partitions: readonly Partition[]): Promise<Scope> {
  const { rows } = await pool.query<[id: number, language: Language, entries: number, length: number]>({
    rowMode: 'array',
    text: `select id, language, entries, total_length from retrieval_partition
      where workspace_id = $1 and id = any($2::bigint[]) and entries > 0 order by id`,
    values: [workspaceUuid, partitions.map(({ id }) => id)],
  })
  const entries = rows.reduce((sum, [, , count]) => sum + count, 0)
  const length = rows.reduce((sum, [, , , total]) => sum + total, 0)
  return { languages: new Map(rows.map(([id, language]) => [id, language])), entries, averageLength: length / entries || 1 }
}
