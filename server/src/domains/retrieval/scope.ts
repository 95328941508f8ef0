import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
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
export async function readScope(db: Db, workspaceUuid: string, partitions: readonly Partition[]): Promise<Scope> {
  const { rows } = await sql<{ id: number; language: Language; entries: number; length: number }>`
    select id, language, entries, total_length as length from retrieval_partition
    where workspace_id = ${workspaceUuid} and id = any(${partitions.map(({ id }) => id)}::bigint[]) and entries > 0
    order by id`.execute(db)
  const entries = rows.reduce((sum, row) => sum + row.entries, 0)
  const length = rows.reduce((sum, row) => sum + row.length, 0)
  return { languages: new Map(rows.map(({ id, language }) => [id, language])), entries, averageLength: length / entries || 1 }
}
