import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { jsonOrNull, uuidOf, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'
import type { SecretBox } from '../../platform/lib/secret-box.ts'
import { hasEnded } from '../../platform/queue/lease.ts'
import { lockCollection, uuidOfCollection } from './collection-store.ts'
import type { Failure } from './document.ts'
import {
  type ClaimedSource,
  type KnowledgeSource,
  type NewSource,
  PLACE_FIELDS,
  SOURCE_COLUMNS,
  SOURCE_DEFAULTS,
  type SourcePatch,
  type SyncResult,
} from './source.ts'

/** A source whose node has stopped is claimed again after this time. The lease is renewed while a node works on it. */
export const SOURCE_LEASE_MS = 60_000

interface SourceRow extends Pick<RowOf<'knowledge_source'>, (typeof SOURCE_COLUMNS)[number]> {
  readonly has_secret: boolean
  readonly relabelling: boolean
}

const sourceOf = (row: SourceRow): KnowledgeSource => fromRow(row, { id: 'src', workspace_id: 'ws', collection_id: 'col' })

/** A sealed secret can only be opened for its origin. A changed URL, even in the table, does not get it. */
export const sourceContext = (id: string, url: string): string => JSON.stringify([id, URL.parse(url)?.origin])

interface WriteDeps {
  readonly box: SecretBox
  readonly now: Date
}

/** It is due at once. Returns undefined if there is no such collection; `name_taken`: the collection has a source of that name. */
export async function createSource(
  tx: Tx,
  workspaceId: string,
  collectionId: string,
  create: NewSource,
  { box, now }: WriteDeps,
): Promise<KnowledgeSource | 'name_taken' | undefined> {
  const collection = await lockCollection(tx, workspaceId, collectionId)
  if (!collection) return undefined
  const { name, kind, secret, acl, intervalMinutes, ...settings } = { ...SOURCE_DEFAULTS, ...create }
  const id = newUuid()
  const row = await tx
    .insertInto('knowledge_source')
    .values({
      ...{ id, workspace_id: uuidOfWorkspace(workspaceId), collection_id: uuidOfCollection(collection) },
      ...{ name, kind, ...settings, acl: jsonOrNull(acl), interval_minutes: intervalMinutes },
      secret: secret === null ? null : box.seal(secret, sourceContext(toId('src', id), settings.url)),
      ...{ cursor: null, next_sync_at: now, leased_until: null, syncing_since: null, last_sync: null, failure: null },
      ...{ created_at: now, updated_at: now },
    })
    .onConflict((conflict) => conflict.columns(['collection_id', 'name']).doNothing())
    .returning([...SOURCE_COLUMNS, ...STATES])
    .executeTakeFirst()
  return row ? sourceOf(row) : 'name_taken'
}

const STATES = [
  sql<boolean>`secret is not null`.as('has_secret'),
  sql<boolean>`relabelled_to is not null`.as('relabelling'),
] as const

export const findSource = (db: Db, workspaceId: string, id: string): Promise<KnowledgeSource | undefined> =>
  sources(db, workspaceId).where('source.id', '=', uuidOrNull('src', id)).$call(takeFirst(sourceOf))

/** Oldest first. Returns undefined if `after` is not an id. */
export async function listSources(
  db: Db,
  workspaceId: string,
  { collectionId, ...page }: PageRequest & { readonly collectionId?: string | undefined },
): Promise<Page<KnowledgeSource> | undefined> {
  let query = sources(db, workspaceId)
  if (collectionId !== undefined) query = query.where('source.collection_id', '=', uuidOrNull('col', collectionId))
  return pageById(query, 'src', page, sourceOf, { column: 'source.id' })
}

/**
 * With another place it is due at once, and all of its files are read again. Another access list applies from the next search on, and a job
 * gives it to the documents. Returns undefined if there is no such source.
 */
export async function updateSource(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: SourcePatch,
  { box, now }: WriteDeps,
): Promise<KnowledgeSource | undefined> {
  const stored = await findSource(tx, workspaceId, id)
  if (!stored) return undefined
  const { secret, acl = stored.acl, intervalMinutes = stored.intervalMinutes, enabled = stored.enabled, ...place } = patch
  const url = place.url ?? stored.url
  const isMoved = PLACE_FIELDS.some((field) => place[field] !== undefined && place[field] !== stored[field])
  const isRelabelled = canonicalJson(acl) !== canonicalJson(stored.acl)
  // Documents are stored under this lock, with the list that they find.
  if (isRelabelled) await lockCollection(tx, workspaceId, stored.collectionId)
  if (isMoved) await forgetFileVersions(tx, workspaceId, id)
  await updateOf(tx, workspaceId, id)
    .set({
      ...place,
      ...{ interval_minutes: intervalMinutes, enabled, updated_at: now },
      ...(secret !== undefined && { secret: secret === null ? null : box.seal(secret, sourceContext(stored.id, url)) }),
      ...(isRelabelled && { acl: jsonOrNull(acl), relabelled_to: '' }),
      ...(isMoved && { cursor: null }),
      ...((isMoved || secret !== undefined || (enabled && !stored.enabled)) && { next_sync_at: now }),
    })
    .execute()
  return findSource(tx, workspaceId, id)
}

/** Its documents stay, with its access list. Returns false if there is no such source, or if documents have a former list. */
export async function deleteSource(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('knowledge_source')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('src', id))
    .where('relabelled_to', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Makes it due at once. `force`: the run deletes documents that the deletion guard would keep. */
export async function requestSync(
  tx: Tx,
  workspaceId: string,
  id: string,
  { force, now }: { readonly force: boolean; readonly now: Date },
): Promise<KnowledgeSource | undefined> {
  await updateOf(tx, workspaceId, id).set({ next_sync_at: now, forced: force, cursor: null }).execute()
  return findSource(tx, workspaceId, id)
}

/** Claims up to `most` due sources of all Workspaces that no node works on. */
export async function claimSources(db: Db, now: Date, most: number): Promise<ClaimedSource[]> {
  const due = db
    .selectFrom('knowledge_source as source')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'source.collection_id')
    .select('source.id')
    .where('collection.removed_at', 'is', null)
    .where('source.enabled', '=', true)
    .where('source.next_sync_at', '<=', now)
    .where(hasEnded(sql`source.leased_until`, now, SOURCE_LEASE_MS))
    .orderBy('source.next_sync_at')
    .limit(most)
    .forUpdate('source')
    .skipLocked()
  const rows = await db
    .updateTable('knowledge_source')
    .set({ leased_until: leaseEnd(now), syncing_since: now })
    .where('id', 'in', due)
    .returning([...SOURCE_COLUMNS, ...STATES, 'forced', 'cursor', 'secret'])
    .execute()
  return rows.map(({ forced, cursor, secret, ...row }) => ({ ...sourceOf(row), forced, cursor, sealedSecret: secret }))
}

const leaseEnd = (now: Date): Date => new Date(now.getTime() + SOURCE_LEASE_MS)

export const renewSource = (db: Db, { workspaceId, id }: ClaimedSource, now: Date): Promise<unknown> =>
  updateOf(db, workspaceId, id)
    .set({ leased_until: leaseEnd(now) })
    .execute()

/** Gives the source back before the end of its run, so that another node can claim it. */
export const releaseSource = (db: Db, { workspaceId, id }: ClaimedSource): Promise<unknown> =>
  updateOf(db, workspaceId, id).set({ leased_until: null, syncing_since: null }).execute()

export interface EndedRun {
  readonly result: SyncResult
  readonly failure: Failure | null
  /** Of a complete run. */
  readonly cursor?: string | null
  readonly now: Date
}

/** Ends a run. A request that came during it keeps its time. */
export async function finishSource(db: Db, source: ClaimedSource, { result, failure, cursor, now }: EndedRun): Promise<void> {
  const next = new Date(now.getTime() + source.intervalMinutes * 60_000)
  await updateOf(db, source.workspaceId, source.id)
    .set({
      ...{ leased_until: null, syncing_since: null, last_sync: JSON.stringify(result) },
      failure: failure && JSON.stringify(failure),
      next_sync_at: sql`case when next_sync_at > ${source.nextSyncAt} then next_sync_at else ${next}::timestamptz end`,
      forced: sql`forced and next_sync_at > ${source.nextSyncAt}`,
      ...(cursor !== undefined && {
        cursor: sql`case when next_sync_at > ${source.nextSyncAt} then null else ${cursor}::text end`,
      }),
    })
    .execute()
}

/** Before the document of a new file is stored, so that the access list of the source reaches it. */
export async function announceFile(db: Db, { workspaceId, id }: Pick<ClaimedSource, 'workspaceId' | 'id'>, key: string) {
  await db
    .insertInto('knowledge_source_file')
    .values({ workspace_id: uuidOfWorkspace(workspaceId), source_id: uuidOf('src', id), key, version: '' })
    .onConflict((conflict) => conflict.columns(['source_id', 'key']).doNothing())
    .execute()
}

/** Version of each file by the key of its document. */
export async function listFileVersions(db: Db, workspaceId: string, sourceId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('knowledge_source_file')
    .select(['key', 'version'])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('source_id', '=', uuidOrNull('src', sourceId))
    .execute()
  return new Map(rows.map(({ key, version }) => [key, version]))
}

export async function storeFileVersion(
  db: Db,
  { workspaceId, id }: Pick<ClaimedSource, 'workspaceId' | 'id'>,
  key: string,
  version: string,
): Promise<void> {
  await db
    .insertInto('knowledge_source_file')
    .values({ workspace_id: uuidOfWorkspace(workspaceId), source_id: uuidOf('src', id), key, version })
    .onConflict((conflict) => conflict.columns(['source_id', 'key']).doUpdateSet({ version }))
    .execute()
}

export const removeFileVersions = (tx: Tx, workspaceId: string, sourceId: string, keys: readonly string[]): Promise<unknown> =>
  tx
    .deleteFrom('knowledge_source_file')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('source_id', '=', uuidOrNull('src', sourceId))
    .where(sql<boolean>`key = any(${[...keys]}::text[])`)
    .execute()

const forgetFileVersions = (tx: Tx, workspaceId: string, sourceId: string) =>
  tx
    .updateTable('knowledge_source_file')
    .set({ version: '' })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('source_id', '=', uuidOrNull('src', sourceId))
    .execute()

const sources = (db: Db, workspaceId: string) =>
  db
    .selectFrom('knowledge_source as source')
    .innerJoin('knowledge_collection as collection', 'collection.id', 'source.collection_id')
    .where('source.workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('collection.removed_at', 'is', null)
    .select([...SOURCE_COLUMNS.map((column) => `source.${column}` as const), ...STATES])

const updateOf = (db: Db, workspaceId: string, id: string) =>
  db
    .updateTable('knowledge_source')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOrNull('src', id))
