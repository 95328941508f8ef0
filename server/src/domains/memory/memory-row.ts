import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { type CamelRow, fromRow, type RowOf } from '../../platform/db/from-row.ts'
import { LAST_TIME } from '../../platform/lib/clock.ts'
import { toId } from '../../platform/lib/id.ts'
import type { Entry } from '../retrieval/entries.ts'
import type { SourceText } from '../retrieval/semantic/embed-missing.ts'

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

type Row = RowOf<'memory_item'> & Pick<RowOf<'memory_owner'>, 'scope' | 'scope_id' | 'user_id'>

/** Limits the expiry to LAST_TIME: older rows may have a later one, which RFC 3339 cannot represent. */
export const expiryOf = ({ expires_at }: Pick<Row, 'expires_at'>): Date | null =>
  expires_at !== null && expires_at > LAST_TIME ? LAST_TIME : expires_at

/** A stored memory, as operators see it. Ids are TypeIDs. */
export type Memory = Omit<CamelRow<Row>, 'workspaceId' | 'ownerId' | 'signature' | 'partitionId'>

export function toMemory({
  workspace_id: _workspace,
  owner_id: _owner,
  signature: _signature,
  partition_id: _,
  ...row
}: Row): Memory {
  return {
    ...fromRow(row, { id: 'mem', application_id: 'app', audit_id: 'aud', superseded_by: 'mem' }),
    expiresAt: expiryOf(row),
  }
}

export const memoryEntry = ({ id, content, summary }: { id: string; content: string; summary: string | null }): Entry => ({
  id,
  title: summary ?? '',
  text: content,
  inAnyLanguage: true,
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
export async function loadMemoryTexts(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, SourceText>> {
  const entries = await loadMemoryEntries(db, ids)
  return new Map(
    entries.map(({ id, title, text }) => [
      id,
      { text: title === '' ? text : `${title}\n\n${text}`, source: { id: toId('mem', id) } },
    ]),
  )
}
