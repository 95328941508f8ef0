import type { Db, Tx } from '../db/database.ts'
import { jsonOrNull, uuidOfWorkspace } from '../db/values.ts'
import { fromId, newUuid, toId } from '../lib/id.ts'
import { addChunks, removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { findCollection, lockCollection, uuidOfCollection } from './collection-store.ts'
import type { Flags } from './document.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import { UNLABELLED } from './labels.ts'
import { dropIfEmpty, partitionFor } from './partitions.ts'
import { type DocumentFile, hashOf, type Reading, readDocument, type ScanText } from './read-document.ts'
import { changes, type LabelPatch, patched, relabel } from './relabel.ts'

export interface IncomingDocument extends DocumentFile, LabelPatch {
  /** Path or URL, unique within the collection. */
  readonly key: string
}

export interface Ingested {
  readonly outcome: 'added' | 'changed' | 'relabelled' | 'unchanged'
  readonly documentId: string
  readonly chunks: number
  readonly flags: Flags | null
}

type Write = (tx: Tx, now: Date) => Promise<Ingested | undefined>

export interface IngestDeps {
  readonly db: Db
  readonly scanText: ScanText
  /** Carries out the write in a transaction, which may record it as well. Not called for a document that is there already. */
  readonly transact: (write: Write) => Promise<Ingested | undefined>
}

/**
 * Brings a document in, or up to date: the same content with the same labels changes nothing, other labels move it, other
 * content replaces it at once. Of several at the same time under one key the last to be stored stays. Undefined when there is no
 * such collection; throws a DocumentError for a file that cannot be read.
 */
export async function ingestDocument(
  { db, scanText, transact }: IngestDeps,
  workspaceId: string,
  collectionId: string,
  incoming: IncomingDocument,
): Promise<Ingested | undefined> {
  const contentHash = hashOf(incoming.bytes)
  const collection = await findCollection(db, workspaceId, collectionId)
  if (!collection) return undefined
  const stored = await findDocumentByKey(db, workspaceId, collectionId, incoming.key)
  const known = stored !== undefined && holds(stored, incoming, contentHash)
  if (known && !changes(stored, incoming, collection)) return told('unchanged', stored)

  // Before the transaction, since it takes long; within it only when somebody has replaced the content in the meantime.
  let reading = known ? undefined : await readDocument(incoming, scanText)
  return transact(async (tx, now) => {
    const held = await lockCollection(tx, workspaceId, collectionId)
    if (!held) return undefined
    const before = await findDocumentByKey(tx, workspaceId, collectionId, incoming.key)
    if (before && holds(before, incoming, contentHash)) return told(await relabel(tx, held, before, incoming), before)
    reading ??= await readDocument(incoming, scanText)
    return store(tx, held, before, { incoming, contentHash, reading, now })
  })
}

const holds = (document: StoredDocument, { title }: IncomingDocument, contentHash: string): boolean =>
  document.contentHash === contentHash && (title === undefined || title === document.title)

const told = (outcome: Ingested['outcome'], { id, chunks, flags }: StoredDocument): Ingested => ({
  outcome,
  documentId: id,
  chunks,
  flags,
})

interface Version {
  readonly incoming: IncomingDocument
  readonly contentHash: string
  readonly reading: Reading
  readonly now: Date
}

/** Puts a version in the place of the one before, if there was one. The collection is locked. */
async function store(tx: Tx, collection: Collection, before: StoredDocument | undefined, version: Version): Promise<Ingested> {
  const { incoming, contentHash, reading, now } = version
  const { title, limits, chunks, flags } = reading
  const given = patched({ ...(before ?? { ...UNLABELLED, source: incoming.key }), limits }, incoming)
  const partition = await partitionFor(tx, collection, given)
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const uuid = before ? (fromId('doc', before.id) as string) : newUuid()
  const columns = {
    title,
    version: (before?.version ?? 0) + 1,
    content_hash: Buffer.from(contentHash, 'hex'),
    media_type: reading.mediaType,
    bytes: incoming.bytes.length,
    source: given.source,
    classification: given.classification,
    regulations: JSON.stringify(given.regulations),
    acl: jsonOrNull(given.acl),
    limits: JSON.stringify(limits),
    flags: jsonOrNull(flags),
    chunks: chunks.length,
    partition_id: partition.id,
    updated_at: now,
  }
  if (before) {
    await removeChunks(tx, workspace, [uuid])
    await tx.updateTable('knowledge_document').set(columns).where('workspace_id', '=', workspace).where('id', '=', uuid).execute()
    if (partition.id !== before.partitionId) await dropIfEmpty(tx, collection.workspaceId, before.partitionId)
  } else {
    const owner = { id: uuid, workspace_id: workspace, collection_id: uuidOfCollection(collection) }
    await tx
      .insertInto('knowledge_document')
      .values({ ...owner, ...columns, key: incoming.key, created_at: now })
      .execute()
  }
  await addChunks(tx, { workspace, document: uuid, title }, partition, chunks)
  return { outcome: before ? 'changed' : 'added', documentId: toId('doc', uuid), chunks: chunks.length, flags }
}
