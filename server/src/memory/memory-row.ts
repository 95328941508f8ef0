import type { Selectable } from 'kysely'
import type { Db } from '../db/database.ts'
import type { MemoryItemTable, MemoryOwnerTable } from '../db/schema.ts'
import type { Classification } from '../domain/classification.ts'
import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import { LAST_TIME } from '../lib/clock.ts'
import { fromId, toId } from '../lib/id.ts'
import type { Memory, MemoryMode, MemorySource } from './memory.ts'

/** Ids that a store function is handed come from our own code: anything else is a mistake in it. */
export function uuidOf(prefix: 'ws' | 'app' | 'mem' | 'aud', id: string): string {
  const uuid = fromId(prefix, id)
  if (uuid === undefined) throw new TypeError(`not an id that starts with ${prefix}_`)
  return uuid
}

/** The memories of a Workspace with their owners. */
export const memoriesOf = (db: Db, workspaceUuid: string) =>
  db
    .selectFrom('memory_item as item')
    .innerJoin('memory_owner as owner', (join) =>
      join.onRef('owner.id', '=', 'item.owner_id').onRef('owner.workspace_id', '=', 'item.workspace_id'),
    )
    .selectAll('item')
    .select(['owner.scope', 'owner.scope_id', 'owner.user_id'])
    .where('item.workspace_id', '=', workspaceUuid)

/** Those whose time is not up by the clock, whether or not a job has removed the others. */
export const unexpiredMemoriesOf = (db: Db, workspaceUuid: string, now: Date) =>
  memoriesOf(db, workspaceUuid).where((row) => row.or([row('item.expires_at', 'is', null), row('item.expires_at', '>', now)]))

type Row = Selectable<MemoryItemTable> & Pick<Selectable<MemoryOwnerTable>, 'scope' | 'scope_id' | 'user_id'>

/** Rows may be older than the bound on what is stored, and a later time could not be written (RFC 3339). */
export const expiryOf = ({ expires_at }: Pick<Row, 'expires_at'>): Date | null =>
  expires_at !== null && expires_at > LAST_TIME ? LAST_TIME : expires_at

export const toMemory = (row: Row): Memory => ({
  id: toId('mem', row.id),
  scope: row.scope as MemoryScope,
  scopeId: row.scope_id,
  userId: row.user_id,
  applicationId: toId('app', row.application_id),
  kind: row.kind as MemoryKind,
  content: row.content,
  summary: row.summary,
  subject: row.subject,
  classification: row.classification as Classification,
  regulations: row.regulations,
  contentHash: row.content_hash,
  mode: row.mode as MemoryMode,
  source: row.source as MemorySource,
  auditId: toId('aud', row.audit_id),
  messageId: row.message_id,
  createdAt: row.created_at,
  expiresAt: expiryOf(row),
  supersededBy: row.superseded_by === null ? null : toId('mem', row.superseded_by),
  supersededAt: row.superseded_at,
})
