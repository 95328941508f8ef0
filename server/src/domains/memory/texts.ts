import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Entry } from '../retrieval/entries.ts'

export const memoryEntry = ({ id, content, summary }: { id: string; content: string; summary: string | null }): Entry => ({
  id,
  title: summary ?? '',
  text: content,
})

/** The search entries of memories. Only for jobs, which work for all Workspaces: the query is not limited to one Workspace. */
export async function loadMemoryEntries(db: Db, ids: readonly string[]): Promise<readonly Entry[]> {
  const rows = await db
    .selectFrom('memory_item')
    .select(['id', 'content', 'summary'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .execute()
  return rows.map(memoryEntry)
}

/** The texts to embed for memories, by UUID. */
export async function loadMemoryTexts(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const entries = await loadMemoryEntries(db, ids)
  return new Map(entries.map(({ id, title, text }) => [id, title === '' ? text : `${title}\n\n${text}`]))
}
