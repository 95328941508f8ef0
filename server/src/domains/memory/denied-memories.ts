import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOf } from '../../platform/db/values.ts'
import type { LabelJudge, MemoryLabels } from '../../shared/labels.ts'
import { deniedEntries, withoutEntries } from '../retrieval/denied-entries.ts'
import { expiryOf } from './memory-row.ts'
import type { MemoryPartition } from './owner-store.ts'

export type MemoryJudge = LabelJudge<MemoryLabels>

/** Labels that memories of one partition share. */
const SHARED = ['classification', 'scope', 'scopeId'] as const satisfies readonly (keyof MemoryLabels)[]

const UNREAD = { regulations: [], kind: 'fact', createdAt: new Date(0), expiresAt: null } as const

/** The partitions without the memories that the judge denies, as if these did not exist. */
export async function withoutDenied(
  db: Db,
  workspaceId: string,
  partitions: readonly MemoryPartition[],
  judge: MemoryJudge,
): Promise<readonly MemoryPartition[]> {
  const ofPartition = ({ classification, scope, scopeId }: MemoryPartition) => ({ classification, scope, scopeId })
  if ([...judge.reads].every((label) => SHARED.some((name) => name === label))) {
    return partitions.filter((partition) => !judge.denies({ ...UNREAD, ...ofPartition(partition) }))
  }
  const byId = new Map(partitions.map((partition) => [partition.id, partition]))
  const rows = await db
    .selectFrom('memory_item')
    .select(['id', 'partition_id', 'regulations', 'kind', 'created_at', 'expires_at'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where(sql<boolean>`partition_id = any(${[...byId.keys()]}::bigint[])`)
    .execute()
  const denied: string[] = []
  for (const row of rows) {
    await judge.pause()
    const partition = byId.get(row.partition_id ?? 0)
    if (!partition) continue
    const { id, regulations, kind, created_at: createdAt } = row
    const labels = { ...ofPartition(partition), regulations, kind, createdAt, expiresAt: expiryOf(row) }
    if (judge.denies(labels)) denied.push(id)
  }
  if (denied.length === 0) return partitions
  return withoutEntries(partitions, await deniedEntries(db, sql`select unnest(${denied}::uuid[])`))
}
