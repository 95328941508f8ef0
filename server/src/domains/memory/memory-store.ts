import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { takeFirst } from '../../platform/db/from-row.ts'
import { type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOf, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import type { MemoryMode, MemoryScope } from '../../shared/memory-words.ts'
import { type Memory, toMemory, unexpiredMemoriesOf } from './memory-row.ts'
import { lockOwners } from './owner-store.ts'
import { type Hasher, upsertMemory } from './upsert-memory.ts'

interface MemoryQuery extends PageRequest {
  /** Memories of this user and of the user's sessions. */
  readonly userId?: string | undefined
  readonly scope?: MemoryScope | undefined
  /** Id of the session, Application, department, project … */
  readonly scopeId?: string | undefined
  /** `app_…`: the Application that stored the memories. */
  readonly applicationId?: string | undefined
  /** Default: both modes. */
  readonly mode?: MemoryMode | undefined
  /** With superseded memories. */
  readonly history?: boolean | undefined
  readonly now: Date
}

/** The unexpired memories of a Workspace for operators, newest first. Returns undefined if an id is invalid. */
export async function listMemories(db: Db, workspaceId: string, query: MemoryQuery) {
  const { userId, scope, scopeId, mode, history = false, now } = query
  const application = query.applicationId === undefined ? null : fromId('app', query.applicationId)
  if (application === undefined) return undefined
  let rows = unexpiredMemoriesOf(db, uuidOf('ws', workspaceId), now)
  if (userId !== undefined) rows = rows.where('owner.user_id', '=', userId)
  if (scope !== undefined) rows = rows.where('owner.scope', '=', scope)
  if (scopeId !== undefined) rows = rows.where('owner.scope_id', '=', scopeId)
  if (application !== null) rows = rows.where('item.application_id', '=', application)
  if (mode !== undefined) rows = rows.where('item.mode', '=', mode)
  // Repeats the predicate of the partial index, so that prepared plans can use it.
  if (mode === 'audit_only') rows = rows.where('item.mode', '<>', sql.lit('active'))
  if (!history) rows = rows.where('item.superseded_at', 'is', null)
  return pageById(rows, 'mem', query, toMemory, { column: 'item.id', order: 'desc' })
}

/** A memory of the Workspace with any owner, also if it is superseded. */
export async function findMemory(db: Db, workspaceId: string, id: string, now: Date): Promise<Memory | undefined> {
  const memories = unexpiredMemoriesOf(db, uuidOf('ws', workspaceId), now)
  return memories.where('item.id', '=', uuidOrNull('mem', id)).$call(takeFirst(toMemory))
}

interface Correction {
  readonly content: string
  readonly summary: string | null
  /** The memory's current classification or a stricter one. */
  readonly classification: Classification
}

/** Replaces a memory by a new version, or by a duplicate of it. Returns undefined if the memory does not exist or is superseded. */
export async function correctMemory(
  tx: Tx,
  workspaceId: string,
  id: string,
  correction: Correction,
  hasher: Hasher,
  now: Date,
): Promise<Memory | undefined> {
  const workspace = uuidOf('ws', workspaceId)
  const memories = unexpiredMemoriesOf(tx, workspace, now).where('item.superseded_at', 'is', null)
  const current = memories.where('item.id', '=', uuidOrNull('mem', id))
  const ownerId = (await current.executeTakeFirst())?.owner_id
  if (ownerId === undefined) return undefined
  await lockOwners(tx, [ownerId])
  const row = await current.where('item.owner_id', '=', ownerId).executeTakeFirst()
  if (!row) return undefined
  const origin = { id: newId('mem'), source: 'admin', ceiling: 'restricted', corrects: row.id, isSubjectStated: true } as const
  const draft = { ...toMemory(row), ...correction, ...origin }
  const stored = await upsertMemory(tx, { workspace, id: ownerId }, draft, hasher, now)
  return findMemory(tx, workspaceId, stored.id, now)
}
