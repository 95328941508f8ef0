import type { Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { newUuid, toId } from '../../platform/lib/id.ts'
import type { Collection } from './collection.ts'
import { lockCollection, uuidOfCollection } from './collection-store.ts'
import type { DocumentState, Failure } from './document.ts'
import { findDocumentByKey, type StoredDocument } from './document-store.ts'
import { labelColumns, UNLABELLED } from './labels.ts'
import { applyLabelPatch } from './relabel.ts'
import { withSourceList } from './source-list.ts'
import type { IncomingUpload, UploadRequest } from './upload.ts'

interface Status {
  readonly state: Exclude<DocumentState, 'indexed'>
  readonly failure?: Omit<Failure, 'at'>
  readonly now: Date
}

/**
 * Shows the state of the newest upload of a key, which replaces an earlier upload that waits or has failed. A key without a document gets
 * one without content, which searches do not find. The collection must be locked. Returns the id of the document.
 */
export async function markDocument(
  tx: Tx,
  collection: Collection,
  upload: Omit<UploadRequest, 'name'> & { readonly key: string; readonly bytes: number; readonly parentId?: string },
  { state, failure, now }: Status,
): Promise<string> {
  const columns = { state, failure: failure ? JSON.stringify({ ...failure, at: now.toISOString() }) : null }
  const stored = await findDocumentByKey(tx, collection.workspaceId, collection.id, upload.key)
  const workspace = uuidOfWorkspace(collection.workspaceId)
  if (stored) {
    await dropUpload(tx, stored)
    await tx
      .updateTable('knowledge_document')
      .set(columns)
      .where('workspace_id', '=', workspace)
      .where('id', '=', uuidOf('doc', stored.id))
      .execute()
    return stored.id
  }
  const { key, url, title = key, mediaType, bytes, parentId } = upload
  const listed = await withSourceList(tx, collection, upload)
  const { limits, source, ...labels } = applyLabelPatch({ ...UNLABELLED, limits: UNLABELLED, source: url ?? key }, listed)
  const id = newUuid()
  await tx
    .insertInto('knowledge_document')
    .values({
      ...{ id, workspace_id: workspace, collection_id: uuidOfCollection(collection), key, title },
      ...{ version: 0, content_hash: Buffer.alloc(0), media_type: mediaType ?? 'application/octet-stream', bytes },
      ...{ ...labelColumns(labels), limits: JSON.stringify(limits), source, flags: null, warnings: '[]', chunks: 0 },
      ...{ ...columns, partition_id: null, parent_id: parentId === undefined ? null : uuidOf('doc', parentId) },
      ...{ created_at: now, updated_at: now },
    })
    .execute()
  return toId('doc', id)
}

/** Clears the state of earlier uploads after a successful one. The collection must be locked. */
export async function settleDocument(tx: Tx, document: StoredDocument): Promise<void> {
  await dropUpload(tx, document)
  await tx
    .updateTable('knowledge_document')
    .set({ state: 'indexed', failure: null })
    .where('workspace_id', '=', uuidOfWorkspace(document.workspaceId))
    .where('id', '=', uuidOf('doc', document.id))
    .execute()
}

/** Deletes the file of an upload that waits or has failed, because a newer one replaces it. */
export const dropUpload = (tx: Tx, { workspaceId, id }: Pick<StoredDocument, 'workspaceId' | 'id'>): Promise<unknown> =>
  tx
    .deleteFrom('knowledge_upload')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('document_id', '=', uuidOf('doc', id))
    .execute()

/**
 * Keeps the failure of a file that was read without a queue. Returns the id of its document, or undefined if there is no such collection.
 */
export async function failDocument(
  tx: Tx,
  workspaceId: string,
  collectionId: string,
  { bytes, ...incoming }: IncomingUpload,
  failure: Omit<Failure, 'at'>,
  now: Date,
): Promise<string | undefined> {
  const collection = await lockCollection(tx, workspaceId, collectionId)
  return collection && markDocument(tx, collection, { ...incoming, bytes: bytes?.length ?? 0 }, { state: 'failed', failure, now })
}
