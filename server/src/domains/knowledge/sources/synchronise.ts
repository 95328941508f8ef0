import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { findCollection } from '../collection-store.ts'
import { type DeletedDocument, deleteSelected } from '../delete-documents.ts'
import { DELETION_PERCENT, needsConfirmation } from '../deletion-guard.ts'
import { keyProblem } from '../document.ts'
import { findUnchanged } from '../ingest.ts'
import { failDocument } from '../mark-document.ts'
import { type ClaimedSource, keyOf, linkOf, type SyncCounts } from '../source.ts'
import { announceFile, listFileVersions, removeFileVersions, storeFileVersion } from '../source-store.ts'
import type { IncomingUpload } from '../upload.ts'
import { storeUploadFile } from '../upload-parts.ts'
import { enqueueUpload } from '../upload-store.ts'
import type { UploadWorker } from '../upload-worker.ts'
import type { Connector, FileProblem, Listing, SourceFile } from './connector.ts'

/** No document was deleted, because the files seem to be unavailable rather than deleted. */
export class DeletionRefused extends Error {}

/** The collection was deleted during the run. */
class CollectionGone extends Error {}

/** Runs a deletion in a transaction that also records it in the audit log, with the source in place of an operator. */
export type RecordDeletion = (
  source: ClaimedSource,
  work: (tx: Tx) => Promise<readonly DeletedDocument[] | undefined>,
) => Promise<readonly DeletedDocument[] | undefined>

export interface SyncDeps {
  readonly db: Db
  readonly clock: Clock
  readonly uploads: Pick<UploadWorker, 'process'>
  readonly recordDeletion: RecordDeletion
}

/** Files in progress at a time: as many as there are threads that read files. */
const CONCURRENCY = 2
/** Documents that a transaction deletes, which keeps other writers of the collection waiting. */
const DELETION_BATCH = 50

/**
 * Copies the files of a source into its collection. Reads only files whose version is new, and continues after an interruption. Adds to
 * `counts`. Returns the cursor of the next run. Throws a FetchError if the source cannot be read, and DeletionRefused.
 */
export async function synchronise(
  deps: SyncDeps,
  source: ClaimedSource,
  connector: Connector,
  counts: SyncCounts,
  signal: AbortSignal,
): Promise<string | null> {
  const known = await listFileVersions(deps.db, source.workspaceId, source.id)
  const listing = await connector.list(source.cursor)
  if (!listing) {
    counts.unchanged += known.size
    return source.cursor
  }
  const files = listing.files.values()
  const failed = new AbortController()
  const worker = async (): Promise<void> => {
    // All workers share one iterator.
    for (const file of files) {
      signal.throwIfAborted()
      failed.signal.throwIfAborted()
      counts[await storeFile(deps, source, listing, known, file)] += 1
    }
  }
  const stopOthers = (error: unknown): never => {
    failed.abort(error)
    throw error
  }
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => worker().catch(stopOthers)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  const present = new Set(listing.files.map(({ path }) => keyOf(source, path)))
  await deleteMissing(deps, source, { known, present }, counts)
  return listing.cursor
}

async function storeFile(
  deps: SyncDeps,
  source: ClaimedSource,
  listing: Listing,
  known: ReadonlyMap<string, string>,
  file: SourceFile,
): Promise<keyof SyncCounts> {
  const key = keyOf(source, file.path)
  if (known.get(key) === file.version) return 'unchanged'
  if (keyProblem(key) !== undefined) return 'failed'
  const incoming = { key, name: key, source: linkOf(source, file.path) }
  const content = await listing.read(file)
  const isContent = content instanceof Uint8Array
  if (!known.has(key)) await announceFile(deps.db, source, key)
  const outcome = isContent ? await store(deps, source, incoming, content) : await fail(deps, source, incoming, content)
  await storeFileVersion(deps.db, source, key, file.version)
  return outcome
}

async function store(
  { db, clock, uploads }: SyncDeps,
  { workspaceId, collectionId, id: operatorId }: ClaimedSource,
  file: IncomingUpload,
  bytes: Uint8Array,
): Promise<keyof SyncCounts> {
  const incoming = { ...file, bytes }
  const collection = await findCollection(db, workspaceId, collectionId)
  if (!collection) throw new CollectionGone()
  if (await findUnchanged(db, workspaceId, collection, incoming)) return 'unchanged'
  const now = clock.now()
  const enqueued = { file: await storeUploadFile(db, workspaceId, bytes, now), operatorId, now, isClaimed: true }
  const upload = await db.transaction().execute((tx) => enqueueUpload(tx, workspaceId, collectionId, incoming, enqueued))
  if (!upload) throw new CollectionGone()
  const result = await uploads.process(upload)
  return 'outcome' in result ? result.outcome : 'failed'
}

async function fail(
  { db, clock }: SyncDeps,
  { workspaceId, collectionId }: ClaimedSource,
  file: IncomingUpload,
  problem: FileProblem,
): Promise<'failed'> {
  const work = (tx: Tx) => failDocument(tx, workspaceId, collectionId, file, problem, clock.now())
  if ((await db.transaction().execute(work)) === undefined) throw new CollectionGone()
  return 'failed'
}

interface Keys {
  readonly known: ReadonlyMap<string, string>
  readonly present: ReadonlySet<string>
}

async function deleteMissing(
  { recordDeletion }: SyncDeps,
  source: ClaimedSource,
  { known, present }: Keys,
  counts: SyncCounts,
): Promise<void> {
  const missing = [...known.keys()].filter((key) => !present.has(key))
  if (!source.forced && needsConfirmation(missing.length, known.size)) {
    throw new DeletionRefused(
      `${missing.length} of ${known.size} files are missing, which is more than ${DELETION_PERCENT} %, so no document was deleted. Check the source, or synchronise with \`force\` to delete the documents.`,
    )
  }
  const { workspaceId, collectionId, id } = source
  for (let at = 0; at < missing.length; at += DELETION_BATCH) {
    const keys = missing.slice(at, at + DELETION_BATCH)
    const deleted = await recordDeletion(source, async (tx) => {
      await removeFileVersions(tx, workspaceId, id, keys)
      return deleteSelected(tx, workspaceId, collectionId, { keys }, keys.length)
    })
    if (!deleted) throw new CollectionGone()
    counts.deleted += deleted.length
  }
}
