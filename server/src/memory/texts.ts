import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * The texts to embed for memories, by UUID. Only for the embedding job, which works for all Workspaces: the query is not limited to
 * one Workspace.
 */
export async function loadMemoryTexts(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('memory_item')
    .select(['id', 'content', 'summary'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, content, summary }) => [id, summary === null ? content : `${summary}\n\n${content}`]))
}
