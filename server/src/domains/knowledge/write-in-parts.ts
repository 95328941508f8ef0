import type { Db, Tx } from '../../platform/db/database.ts'
import type { Collection } from './collection.ts'
import { lockCollection } from './collection-store.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import { beginVersion, MAX_CHUNKS_AT_ONCE, type WrittenVersion, writeVersion } from './large-versions.ts'
import { markDocument } from './mark-document.ts'
import { inLanguage } from './partitions.ts'
import type { ReadContent } from './read-attachments.ts'
import type { DocumentContent } from './read-document.ts'
import type { IncomingUpload } from './upload.ts'

/** A large content that is read, with the key of its document. */
interface Large {
  readonly key: string
  readonly content: DocumentContent
}

/**
 * Writes the large ones of a document and its attachments in parts, before the transaction that makes them active. A key without a document
 * gets one without content, in the state `parsed`. Returns the written versions by key.
 */
export async function writeLarge(
  db: Db,
  { workspaceId, id: collectionId }: Collection,
  incoming: IncomingUpload,
  { content, attached }: ReadContent,
  now: Date,
): Promise<ReadonlyMap<string, WrittenVersion>> {
  const all = [
    { key: incoming.key, content },
    ...attached.flatMap(({ key, result }) => ('failure' in result ? [] : { key, content: result })),
  ]
  const large = all.filter((each) => each.content.chunks.length > MAX_CHUNKS_AT_ONCE)
  const written = new Map<string, WrittenVersion>()
  if (large.length === 0) return written
  const begun = await db.transaction().execute(async (tx) => {
    const collection = await lockCollection(tx, workspaceId, collectionId)
    return collection ? beginAll(tx, collection, incoming, large, now) : []
  })
  for (const { key, content: own, version } of begun)
    if (await writeVersion(db, workspaceId, version, own)) written.set(key, version)
  return written
}

async function beginAll(
  tx: Tx,
  collection: Collection,
  incoming: IncomingUpload,
  large: readonly Large[],
  now: Date,
): Promise<readonly (Large & { readonly version: WrittenVersion })[]> {
  const parent = await openDocument(tx, collection, incoming, now)
  const begun: (Large & { readonly version: WrittenVersion })[] = []
  for (const { key, content } of large) {
    const isParent = key === incoming.key
    const document = isParent ? parent : await openDocument(tx, collection, { key, parentId: parent.id }, now)
    // A document of the collection with the key of an attachment is another document.
    if (!isParent && document.parentId !== parent.id) continue
    begun.push({
      key,
      content,
      version: await beginVersion(tx, inLanguage(collection, content.language), document, content.chunks.length),
    })
  }
  return begun
}

/** The document of a key, created without content if there is none. */
async function openDocument(
  tx: Tx,
  collection: Collection,
  { bytes, ...incoming }: Omit<IncomingUpload, 'name'> & { readonly parentId?: string },
  now: Date,
): Promise<StoredDocument> {
  const find = () => findDocumentByKey(tx, collection.workspaceId, collection.id, incoming.key)
  const stored = await find()
  if (stored) return stored
  await markDocument(tx, collection, { ...incoming, bytes: bytes?.length ?? 0 }, { state: 'parsed', now })
  return (await find()) as StoredDocument
}
