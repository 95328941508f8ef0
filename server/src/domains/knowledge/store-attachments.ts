import type { Tx } from '../../platform/db/database.ts'
import type { Collection } from './collection.ts'
import type { Failure } from './document.ts'
import { deleteDocument, findDocument, findDocumentByKey, listAttachments, type StoredDocument } from './document-store.ts'
import type { WrittenVersion } from './large-versions.ts'
import { markDocument, settleDocument } from './mark-document.ts'
import type { Warning } from './parsing/warning.ts'
import type { Attached } from './read-attachments.ts'
import { type LabelsAndSource, patchOf, relabel } from './relabel.ts'
import { storeVersion } from './store-version.ts'

export interface AttachmentOutcome {
  readonly key: string
  readonly documentId: string
  readonly outcome: 'added' | 'changed' | 'relabelled' | 'unchanged' | 'failed' | 'deleted'
  readonly failure: Omit<Failure, 'at'> | null
}

/** Separates attachments whose keys other documents of the collection have. They are not stored, and become warnings. */
export async function splitTaken(
  tx: Tx,
  collection: Collection,
  parentId: string | undefined,
  attached: readonly Attached[],
): Promise<{ readonly free: readonly Attached[]; readonly taken: readonly Warning[] }> {
  const free: Attached[] = []
  const taken: Warning[] = []
  for (const attachment of attached) {
    const stored = await findDocumentByKey(tx, collection.workspaceId, collection.id, attachment.key)
    if (!stored || (parentId !== undefined && stored.parentId === parentId)) free.push(attachment)
    else taken.push({ kind: 'attachment', detail: attachment.key, count: 1 })
  }
  return { free, taken }
}

interface NewAttachments {
  readonly attached: readonly Attached[]
  /** By key. */
  readonly written: ReadonlyMap<string, WrittenVersion>
  readonly now: Date
}

/** Stores the attachments of a document with its labels, and deletes those that it no longer has. The collection must be locked. */
export async function storeAttachments(
  tx: Tx,
  collection: Collection,
  parent: { readonly id: string; readonly labels: LabelsAndSource },
  { attached, written, now }: NewAttachments,
): Promise<readonly AttachmentOutcome[]> {
  const before = new Map((await listAttachments(tx, collection.workspaceId, parent.id)).map((stored) => [stored.key, stored]))
  const outcomes: AttachmentOutcome[] = []
  for (const attachment of attached) {
    outcomes.push(
      await storeOne(
        tx,
        collection,
        { parent, stored: before.get(attachment.key), written: written.get(attachment.key) },
        attachment,
        now,
      ),
    )
    before.delete(attachment.key)
  }
  for (const { id, key } of before.values()) {
    await deleteDocument(tx, collection.workspaceId, id)
    outcomes.push({ key, documentId: id, outcome: 'deleted', failure: null })
  }
  return outcomes
}

async function storeOne(
  tx: Tx,
  collection: Collection,
  {
    parent,
    stored,
    written,
  }: {
    readonly parent: Parameters<typeof storeAttachments>[2]
    readonly stored: StoredDocument | undefined
    readonly written: WrittenVersion | undefined
  },
  { key, bytes, contentHash, mediaType, result }: Attached,
  now: Date,
): Promise<AttachmentOutcome> {
  const file = { key, bytes, parentId: parent.id, ...patchOf(parent.labels) }
  if ('failure' in result) {
    const status = { state: 'failed', failure: result.failure, now } as const
    const documentId = await markDocument(tx, collection, { ...file, mediaType }, status)
    const marked = stored && (await findDocument(tx, collection.workspaceId, documentId))
    if (marked) await relabel(tx, collection, marked, file)
    return { key, documentId, outcome: 'failed', failure: result.failure }
  }
  if (stored?.contentHash === contentHash && stored.warnings !== null) {
    await settleDocument(tx, stored)
    return { key, documentId: stored.id, outcome: await relabel(tx, collection, stored, file), failure: null }
  }
  const { outcome, documentId } = await storeVersion(
    tx,
    collection,
    stored,
    { ...file, contentHash, content: result, written },
    now,
  )
  return { key, documentId, outcome, failure: null }
}
