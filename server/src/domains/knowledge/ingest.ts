import type { Db, Tx } from '../../platform/db/database.ts'
import { jsonOrNull, uuidOfWorkspace } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { addChunks, removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { findCollection, lockCollection, uuidOfCollection } from './collection-store.ts'
import type { Flags } from './document.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import { gatherIfLarge } from './gather.ts'
import { labelColumns, UNLABELLED } from './labels.ts'
import { dropUpload, settleDocument } from './mark-document.ts'
import type { Warning } from './parsing/warning.ts'
import { deleteIfEmpty, placeFor } from './partitions.ts'
import { type DocumentContent, type DocumentFile, hashOf, readDocument, type ScanText } from './read-document.ts'
import { applyLabelPatch, hasLabelChanges, type LabelPatch, relabel } from './relabel.ts'

export interface IncomingDocument extends DocumentFile, LabelPatch {
  /** Path or URL, unique within the collection. */
  readonly key: string
}

export interface Ingested {
  readonly outcome: 'added' | 'changed' | 'relabelled' | 'unchanged'
  readonly documentId: string
  readonly chunks: number
  readonly flags: Flags | null
  /** null: a stored document whose warnings were not kept. */
  readonly warnings: readonly Warning[] | null
}

type Write = (tx: Tx, now: Date) => Promise<Ingested | undefined>

export interface IngestDeps {
  readonly db: Db
  readonly scanText: ScanText
  /** Runs the write in a transaction, which may also record it. Not called for an unchanged document. */
  readonly transact: (write: Write) => Promise<Ingested | undefined>
  /** Called when the text of the file is read, before it is scanned and indexed. */
  readonly onParsed?: () => Promise<unknown>
}

/**
 * Adds or updates a document. Equal content and labels change nothing; other labels move it to another partition; other content
 * replaces it in one transaction. Of concurrent writes to a key the last one wins. Returns undefined if there is no such
 * collection. Throws a DocumentError for a file that cannot be read.
 */
export async function ingestDocument(
  { db, scanText, transact, onParsed }: IngestDeps,
  workspaceId: string,
  collectionId: string,
  incoming: IncomingDocument,
): Promise<Ingested | undefined> {
  const contentHash = hashOf(incoming.bytes)
  const collection = await findCollection(db, workspaceId, collectionId)
  if (!collection) return undefined
  const stored = await findDocumentByKey(db, workspaceId, collectionId, incoming.key)
  const isSameContent = stored !== undefined && hasContent(stored, incoming, contentHash)
  if (isSameContent && isSettled(stored, incoming, collection)) return resultOf('unchanged', stored)

  // Reading is slow, so it happens before the transaction; inside only if another writer has replaced the content since.
  let content = isSameContent ? undefined : await readDocument(incoming, scanText, onParsed)
  return transact(async (tx, now) => {
    const locked = await lockCollection(tx, workspaceId, collectionId)
    if (!locked) return undefined
    const before = await findDocumentByKey(tx, workspaceId, collectionId, incoming.key)
    if (before && hasContent(before, incoming, contentHash)) {
      await settleDocument(tx, before)
      return resultOf(await relabel(tx, locked, before, incoming), before)
    }
    content ??= await readDocument(incoming, scanText)
    return storeVersion(tx, locked, before, { incoming, contentHash, content, now })
  })
}

/** The document of a key if its content and labels equal those of the file, and no newer upload of it waits or has failed. */
export async function findUnchanged(
  db: Db,
  workspaceId: string,
  collection: Collection,
  incoming: IncomingDocument,
): Promise<Ingested | undefined> {
  const stored = await findDocumentByKey(db, workspaceId, collection.id, incoming.key)
  if (!stored || !hasContent(stored, incoming, hashOf(incoming.bytes))) return undefined
  return isSettled(stored, incoming, collection) ? resultOf('unchanged', stored) : undefined
}

const isSettled = (stored: StoredDocument, incoming: IncomingDocument, collection: Collection): boolean =>
  stored.state === 'indexed' && !hasLabelChanges(stored, incoming, collection)

const hasContent = (document: StoredDocument, { title }: IncomingDocument, contentHash: string): boolean =>
  document.contentHash === contentHash && (title === undefined || title === document.title)

const resultOf = (outcome: Ingested['outcome'], { id, chunks, flags, warnings }: StoredDocument): Ingested => ({
  outcome,
  documentId: id,
  chunks,
  flags,
  warnings,
})

/** Stores a document, or replaces its version `before`. The collection must be locked. */
async function storeVersion(
  tx: Tx,
  collection: Collection,
  before: StoredDocument | undefined,
  version: { incoming: IncomingDocument; contentHash: string; content: DocumentContent; now: Date },
): Promise<Ingested> {
  const { incoming, contentHash, content, now } = version
  const { title, limits, chunks, flags, warnings } = content
  const labels = applyLabelPatch({ ...(before ?? { ...UNLABELLED, source: incoming.key }), limits }, incoming)
  const place = await placeFor(tx, collection, labels)
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const uuid = before ? (fromId('doc', before.id) as string) : newUuid()
  const columns = {
    title,
    version: (before?.version ?? 0) + 1,
    content_hash: Buffer.from(contentHash, 'hex'),
    media_type: content.mediaType,
    bytes: incoming.bytes.length,
    ...labelColumns(labels),
    source: labels.source,
    limits: JSON.stringify(limits),
    flags: jsonOrNull(flags),
    warnings: JSON.stringify(warnings),
    chunks: chunks.length,
    partition_id: place.partition.id,
    state: 'indexed' as const,
    failure: null,
    updated_at: now,
  }
  if (before) {
    await dropUpload(tx, before)
    await removeChunks(tx, workspace, [uuid])
    await tx.updateTable('knowledge_document').set(columns).where('workspace_id', '=', workspace).where('id', '=', uuid).execute()
    if (before.partitionId !== null && place.partition.id !== before.partitionId)
      await deleteIfEmpty(tx, collection.workspaceId, before.partitionId)
  } else {
    const owner = { id: uuid, workspace_id: workspace, collection_id: uuidOfCollection(collection) }
    await tx
      .insertInto('knowledge_document')
      .values({ ...owner, ...columns, key: incoming.key, parent_id: null, created_at: now })
      .execute()
  }
  await addChunks(tx, { workspace, document: uuid, title }, place, chunks)
  await gatherIfLarge(tx, collection, place, labels)
  return {
    outcome: before && before.version > 0 ? 'changed' : 'added',
    documentId: toId('doc', uuid),
    chunks: chunks.length,
    flags,
    warnings,
  }
}
