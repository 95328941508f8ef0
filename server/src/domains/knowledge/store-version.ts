import type { Tx } from '../../platform/db/database.ts'
import { jsonOrNull, uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { addChunks, removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'
import type { StoredDocument } from './document-store.ts'
import { gatherIfLarge } from './gather.ts'
import { labelColumns, UNLABELLED } from './labels.ts'
import { dropUpload } from './mark-document.ts'
import { deleteIfEmpty, inLanguage, placeFor } from './partitions.ts'
import type { DocumentContent } from './read-document.ts'
import { applyLabelPatch, type LabelPatch, type LabelsAndSource } from './relabel.ts'

export interface Version extends LabelPatch {
  readonly key: string
  /** Size of the file. */
  readonly bytes: number
  readonly contentHash: string
  readonly content: DocumentContent
  /** The document that contains it as an attachment. */
  readonly parentId?: string | undefined
}

export interface StoredVersion {
  readonly outcome: 'added' | 'changed'
  readonly documentId: string
  readonly labels: LabelsAndSource
}

/** Stores a document, or replaces its version `before`. The collection must be locked. */
export async function storeVersion(
  tx: Tx,
  collection: Collection,
  before: StoredDocument | undefined,
  version: Version,
  now: Date,
): Promise<StoredVersion> {
  const { key, contentHash, content, parentId } = version
  const { title, limits, chunks, flags, warnings } = content
  const labels = applyLabelPatch({ ...(before ?? { ...UNLABELLED, source: key }), limits }, version)
  const home = inLanguage(collection, content.language)
  const place = await placeFor(tx, home, labels)
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const uuid = before ? (fromId('doc', before.id) as string) : newUuid()
  const columns = {
    title,
    version: (before?.version ?? 0) + 1,
    content_hash: Buffer.from(contentHash, 'hex'),
    media_type: content.mediaType,
    bytes: version.bytes,
    ...labelColumns(labels),
    source: labels.source,
    limits: JSON.stringify(limits),
    flags: jsonOrNull(flags),
    warnings: JSON.stringify(warnings),
    chunks: chunks.length,
    partition_id: place.partition.id,
    state: 'indexed' as const,
    failure: null,
    own_language: content.language,
    parent_id: parentId === undefined ? null : uuidOf('doc', parentId),
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
      .values({ ...owner, ...columns, key, created_at: now })
      .execute()
  }
  await addChunks(tx, { workspace, document: uuid, title }, place, chunks)
  await gatherIfLarge(tx, home, place, labels)
  return { outcome: before && before.version > 0 ? 'changed' : 'added', documentId: toId('doc', uuid), labels }
}
