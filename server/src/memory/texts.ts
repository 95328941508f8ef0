import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/**
 * What memories are embedded by, from their UUIDs. For the job that embeds whatever the index of all Workspaces lacks, and for
 * nothing that answers a request: it asks for no Workspace.
 */
export async function textsOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('memory_item')
    .select(['id', 'content', 'summary'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return new Map(rows.map(({ id, content, summary }) => [id, summary === null ? content : `${summary}\n\n${content}`]))
}
