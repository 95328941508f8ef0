import { type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { LAST_TIME } from '../../platform/lib/clock.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Entry } from '../retrieval/entries.ts'
import type { Memory } from './memory.ts'
import type { MemoryItemTable, MemoryOwnerTable } from './tables.ts'

export const memoriesOf = (db: Db, workspaceUuid: string) =>
  db
    .selectFrom('memory_item as item')
    .innerJoin('memory_owner as owner', (join) =>
      join.onRef('owner.id', '=', 'item.owner_id').onRef('owner.workspace_id', '=', 'item.workspace_id'),
    )
    .selectAll('item')
    .select(['owner.scope', 'owner.scope_id', 'owner.user_id'])
    .where('item.workspace_id', '=', workspaceUuid)

/** Memories that are not expired by the clock, whether or not the job has removed the expired ones. */
export const unexpiredMemoriesOf = (db: Db, workspaceUuid: string, now: Date) =>
  memoriesOf(db, workspaceUuid).where((row) => row.or([row('item.expires_at', 'is', null), row('item.expires_at', '>', now)]))

type Row = Selectable<MemoryItemTable> & Pick<Selectable<MemoryOwnerTable>, 'scope' | 'scope_id' | 'user_id'>

/** Limits the expiry to LAST_TIME: older rows may have a later one, which RFC 3339 cannot represent. */
export const expiryOf = ({ expires_at }: Pick<Row, 'expires_at'>): Date | null =>
  expires_at !== null && expires_at > LAST_TIME ? LAST_TIME : expires_at

export const toMemory = (row: Row): Memory => ({
  id: toId('mem', row.id),
  scope: row.scope,
  scopeId: row.scope_id,
  userId: row.user_id,
  applicationId: toId('app', row.application_id),
  kind: row.kind,
  content: row.content,
  summary: row.summary,
  subject: row.subject,
  classification: row.classification,
  regulations: row.regulations,
  contentHash: row.content_hash,
  mode: row.mode,
  source: row.source,
  auditId: toId('aud', row.audit_id),
  messageId: row.message_id,
  createdAt: row.created_at,
  expiresAt: expiryOf(row),
  supersededBy: row.superseded_by === null ? null : toId('mem', row.superseded_by),
  supersededAt: row.superseded_at,
})

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
