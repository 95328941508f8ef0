import type { Db, Tx } from '../../platform/db/database.ts'
import type { Collection } from './collection.ts'
import { findCollection, lockCollection } from './collection-store.ts'
import type { Flags } from './document.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import { settleDocument } from './mark-document.ts'
import type { Warning } from './parsing/warning.ts'
import { type Attached, readAttachments } from './read-attachments.ts'
import { type DocumentContent, type DocumentFile, hashOf, type ReadDeps, readDocument } from './read-document.ts'
import { hasLabelChanges, type LabelPatch, relabelWithAttachments } from './relabel.ts'
import { type AttachmentOutcome, splitTaken, storeAttachments } from './store-attachments.ts'
import { storeVersion } from './store-version.ts'

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
  /** Runs the write in a transaction, which may also record it. Not called for an unchanged document. */
  readonly transact: (write: Write) => Promise<Ingested | undefined>
}

/**
 * Adds or updates a document. Equal content and labels change nothing; other labels move it to another partition; other content
 * replaces it in one transaction. Of concurrent writes to a key the last one wins. Returns undefined if there is no such
 * collection. Throws a DocumentError for a file that cannot be read.
 */
export async function ingestDocument(
  { db, transact, ...deps }: IngestDeps,
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
  const read = () => readWithAttachments(incoming, { ...deps, language: collection.language })
  let content = isSameContent ? undefined : await read()
  return transact(async (tx, now) => {
    const locked = await lockCollection(tx, workspaceId, collectionId)
    if (!locked) return undefined
    const before = await findDocumentByKey(tx, workspaceId, collectionId, incoming.key)
    if (before && hasContent(before, incoming, contentHash)) {
      await settleDocument(tx, before)
      return resultOf(await relabelWithAttachments(tx, locked, before, incoming), before)
    }
    content ??= await read()
    return storeContent(tx, locked, before, { incoming, contentHash, ...content, now })
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

const hasContent = (document: StoredDocument, { title, language }: IncomingDocument, contentHash: string): boolean =>
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

interface ReadContent {
  readonly content: DocumentContent
  readonly attached: readonly Attached[]
}

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
  version: ReadContent & { readonly incoming: IncomingDocument; readonly contentHash: string; readonly now: Date },
): Promise<Ingested> {
  const { incoming, contentHash, attached, now } = version
  const { free, taken } = await splitTaken(tx, collection, before?.id, attached)
  const content = { ...version.content, warnings: [...version.content.warnings, ...taken] }
  const { title, name, mediaType, bytes, language, ...labels } = incoming
  const stored = await storeVersion(tx, collection, before, { ...labels, bytes: bytes.length, contentHash, content }, now)
  const { outcome, documentId } = stored
  const attachments = await storeAttachments(tx, collection, { id: documentId, labels: stored.labels }, free, now)
  return { outcome, documentId, chunks: content.chunks.length, flags: content.flags, warnings: content.warnings, attachments }
}
