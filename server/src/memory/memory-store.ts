import type { Db, Tx } from '../db/database.ts'
import type { Classification } from '../domain/classification.ts'
import type { MemoryScope } from '../domain/memory-words.ts'
import { fromId, newId } from '../lib/id.ts'
import type { Memory, MemoryMode } from './memory.ts'
import { toMemory, unexpiredMemoriesOf, uuidOf } from './memory-row.ts'
import { holdOwners } from './owner-store.ts'
import { type Hasher, placeMemory } from './place.ts'

export interface MemoryQuery {
  /** Whose own: their memories and those of their sessions. */
  readonly userId?: string | undefined
  readonly scope?: MemoryScope | undefined
  /** The session, Application, department, project … by its id. */
  readonly scopeId?: string | undefined
  /** `app_…`: the Application that had them remembered. */
  readonly applicationId?: string | undefined
  /** Default: both. */
  readonly mode?: MemoryMode | undefined
  /** Also what has been superseded. */
  readonly history?: boolean | undefined
  /** The last id of the page before. */
  readonly after?: string | undefined
  readonly limit: number
  readonly now: Date
}

/** A Workspace's memories for people who look after them, newest first; expired ones are gone. Undefined when an id is none. */
export async function listMemories(db: Db, workspaceId: string, query: MemoryQuery) {
  const { userId, scope, scopeId, mode, history = false, limit, now } = query
  const after = query.after === undefined ? null : fromId('mem', query.after)
  const application = query.applicationId === undefined ? null : fromId('app', query.applicationId)
  if (after === undefined || application === undefined) return undefined
  let rows = unexpiredMemoriesOf(db, uuidOf('ws', workspaceId), now)
  if (userId !== undefined) rows = rows.where('owner.user_id', '=', userId)
  if (scope !== undefined) rows = rows.where('owner.scope', '=', scope)
  if (scopeId !== undefined) rows = rows.where('owner.scope_id', '=', scopeId)
  if (application !== null) rows = rows.where('item.application_id', '=', application)
  if (mode !== undefined) rows = rows.where('item.mode', '=', mode)
  if (!history) rows = rows.where('item.superseded_at', 'is', null)
  if (after !== null) rows = rows.where('item.id', '<', after)
  const found = await rows
    .orderBy('item.id', 'desc')
    .limit(limit + 1)
    .execute()
  return { data: found.slice(0, limit).map(toMemory), hasMore: found.length > limit }
}

/** One memory of the Workspace, whoever's it is; history too. */
export async function findMemory(db: Db, workspaceId: string, id: string, now: Date): Promise<Memory | undefined> {
  const uuid = fromId('mem', id)
  if (uuid === undefined) return undefined
  const row = await unexpiredMemoriesOf(db, uuidOf('ws', workspaceId), now).where('item.id', '=', uuid).executeTakeFirst()
  return row && toMemory(row)
}

export interface Correction {
  readonly content: string
  readonly summary: string | null
  /** The memory's own, or a stricter one. */
  readonly classification: Classification
}

/**
 * Puts a new version in the place of a memory, which becomes history. Labels, expiry, mode and provenance stay. Where the owner
 * has a memory that says just that, it is the one that stays. Undefined when there is no such memory, or it is history itself.
 */
export async function correctMemory(
  tx: Tx,
  workspaceId: string,
  id: string,
  correction: Correction,
  hasher: Hasher,
  now: Date,
): Promise<Memory | undefined> {
  const uuid = fromId('mem', id)
  if (uuid === undefined) return undefined
  const workspace = uuidOf('ws', workspaceId)
  const current = unexpiredMemoriesOf(tx, workspace, now).where('item.id', '=', uuid).where('item.superseded_at', 'is', null)
  const ownerId = (await current.executeTakeFirst())?.owner_id
  if (ownerId === undefined) return undefined
  await holdOwners(tx, [ownerId])
  const row = await current.where('item.owner_id', '=', ownerId).executeTakeFirst()
  if (!row) return undefined
  const placing = {
    ...toMemory(row),
    ...correction,
    id: newId('mem'),
    source: 'admin' as const,
    ceiling: 'restricted' as const,
    corrects: uuid,
  }
  const stored = await placeMemory(tx, { workspace, id: ownerId }, placing, hasher, now)
  return findMemory(tx, workspaceId, stored.id, now)
}
