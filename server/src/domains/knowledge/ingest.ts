import type { Db, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { Collection } from './collection.ts'
import { findCollection, lockCollection } from './collection-store.ts'
import type { Flags } from './document.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import type { WrittenVersion } from './large-versions.ts'
import { settleDocument } from './mark-document.ts'
import type { Warning } from './parsing/warning.ts'
import { type ReadContent, readAttachments } from './read-attachments.ts'
import { type DocumentFile, hashOf, type ReadDeps, readDocument } from './read-document.ts'
import { hasLabelChanges, type LabelPatch, relabelWithAttachments } from './relabel.ts'
import { withSourceList } from './source-list.ts'
import { type AttachmentOutcome, splitTaken, storeAttachments } from './store-attachments.ts'
import { storeVersion } from './store-version.ts'
import { expireVersions } from './version-store.ts'
import { writeLarge } from './write-in-parts.ts'

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
  /** The attachments of a new version, which are stored as separate documents, and the former attachments that it no longer has. */
  readonly attachments: readonly AttachmentOutcome[]
}

type Write = (tx: Tx, now: Date) => Promise<Ingested | undefined>

export interface IngestDeps extends Omit<ReadDeps, 'language'> {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  /** Runs the write in a transaction, which may also record it. Not called for an unchanged document. */
  readonly transact: (write: Write) => Promise<Ingested | undefined>
}

/**
 * Adds or updates a document. Equal content and labels change nothing; other labels move it to another partition; other content
 * replaces it in one transaction, and so does equal content that a version without warnings has read. Of concurrent writes to a key the last one wins. Returns undefined if there is no such
 * collection. Throws a DocumentError for a file that cannot be read.
 */
export async function ingestDocument(
  { db, clock, transact, ...deps }: IngestDeps,
  workspaceId: string,
  collectionId: string,
  incoming: IncomingDocument,
): Promise<Ingested | undefined> {
  const contentHash = hashOf(incoming.bytes)
  const collection = await findCollection(db, workspaceId, collectionId)
  if (!collection) return undefined
  const stored = await findDocumentByKey(db, workspaceId, collectionId, incoming.key)
  const isSameContent = stored !== undefined && hasContent(stored, incoming, contentHash)
  if (isSameContent && isSettled(stored, await withSourceList(db, collection, incoming), collection))
    return resultOf('unchanged', stored)

  // Reading is slow, so it happens before the transaction; inside only if another writer has replaced the content since.
  const read = () => readWithAttachments(incoming, { ...deps, language: collection.language })
  let content = isSameContent ? undefined : await read()
  const written = content ? await writeLarge(db, collection, incoming, content, clock.now()) : NOTHING_WRITTEN
  const ingested = transact(async (tx, now) => {
    const locked = await lockCollection(tx, workspaceId, collectionId)
    if (!locked) return undefined
    const before = await findDocumentByKey(tx, workspaceId, collectionId, incoming.key)
    const listed = await withSourceList(tx, locked, incoming)
    if (before && hasContent(before, incoming, contentHash)) {
      await settleDocument(tx, before)
      return resultOf(await relabelWithAttachments(tx, locked, before, listed), before)
    }
    content ??= await read()
    return storeContent(tx, locked, before, { incoming: listed, contentHash, ...content, written, now })
  })
  const partitions = [...written.values()].map(({ partition }) => partition.id)
  return ingested.finally(() => expireVersions(db, workspaceId, partitions))
}

const NOTHING_WRITTEN: ReadonlyMap<string, WrittenVersion> = new Map()

/** The document of a key if its content and labels equal those of the file, and no newer upload of it waits or has failed. */
export async function findUnchanged(
  db: Db,
  workspaceId: string,
  collection: Collection,
  incoming: IncomingDocument,
): Promise<Ingested | undefined> {
  const stored = await findDocumentByKey(db, workspaceId, collection.id, incoming.key)
  if (!stored || !hasContent(stored, incoming, hashOf(incoming.bytes))) return undefined
  return isSettled(stored, await withSourceList(db, collection, incoming), collection) ? resultOf('unchanged', stored) : undefined
}

const isSettled = (stored: StoredDocument, incoming: IncomingDocument, collection: Collection): boolean =>
  stored.state === 'indexed' && !hasLabelChanges(stored, incoming, collection)

/** A document whose warnings were not kept is read again. */
const hasContent = (document: StoredDocument, { title, language }: IncomingDocument, contentHash: string): boolean =>
  document.warnings !== null &&
  document.contentHash === contentHash &&
  (title === undefined || title === document.title) &&
  (language === undefined || language === document.ownLanguage)

const resultOf = (outcome: Ingested['outcome'], { id, chunks, flags, warnings }: StoredDocument): Ingested => ({
  outcome,
  documentId: id,
  chunks,
  flags,
  warnings,
  attachments: [],
})

async function readWithAttachments(incoming: IncomingDocument, deps: ReadDeps): Promise<ReadContent> {
  const { onParsed: _, ...silent } = deps
  const content = await readDocument(incoming, deps)
  const { attached, unread } = await readAttachments(incoming.key, content.attachments, silent)
  return { content: { ...content, warnings: [...content.warnings, ...unread] }, attached }
}

async function storeContent(
  tx: Tx,
  collection: Collection,
  before: StoredDocument | undefined,
  version: ReadContent & {
    readonly incoming: IncomingDocument
    readonly contentHash: string
    /** By key. */
    readonly written: ReadonlyMap<string, WrittenVersion>
    readonly now: Date
  },
): Promise<Ingested> {
  const { incoming, contentHash, attached, written, now } = version
  const { free, taken } = await splitTaken(tx, collection, before?.id, attached)
  const content = { ...version.content, warnings: [...version.content.warnings, ...taken] }
  const { title, name, mediaType, bytes, language, ...labels } = incoming
  const own = { ...labels, bytes: bytes.length, contentHash, content, written: written.get(incoming.key) }
  const stored = await storeVersion(tx, collection, before, own, now)
  const { outcome, documentId } = stored
  const attachments = await storeAttachments(
    tx,
    collection,
    { id: documentId, labels: stored.labels },
    { attached: free, written, now },
  )
  return { outcome, documentId, chunks: content.chunks.length, flags: content.flags, warnings: content.warnings, attachments }
}
