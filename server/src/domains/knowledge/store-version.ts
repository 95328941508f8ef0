import type { Tx } from '../../platform/db/database.ts'
import { jsonOrNull, uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { fromId, newUuid, toId } from '../../platform/lib/id.ts'
import { addChunks, removeChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'
import type { StoredDocument } from './document-store.ts'
import { gatherIfLarge } from './gather.ts'
import { labelColumns, UNLABELLED } from './labels.ts'
import { listVersion, retireVersion, type WrittenVersion } from './large-versions.ts'
import { dropUpload } from './mark-document.ts'
import { deleteIfEmpty, inLanguage, type Place, placeFor } from './partitions.ts'
import type { DocumentContent } from './read-document.ts'
import { applyLabelPatch, type LabelPatch, type LabelsAndSource } from './relabel.ts'
import { freePosition } from './version-store.ts'

export interface Version extends LabelPatch {
  readonly key: string
  /** Size of the file. */
  readonly bytes: number
  readonly contentHash: string
  readonly content: DocumentContent
  /** The document that contains it as an attachment. */
  readonly parentId?: string | undefined
  /** Of a large content, if it could be written before. */
  readonly written?: WrittenVersion | undefined
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
  const written = await listWritten(tx, home, before, version, labels)
  const place = written ? { partition: written.partition, labels: [] } : await placeFor(tx, home, labels)
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const uuid = before ? (fromId('doc', before.id) as string) : newUuid()
  const firstPosition =
    written?.firstPosition ?? (before ? await freePosition(tx, before, chunks.length, before.isLarge ? before : undefined) : 0)
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
    first_position: firstPosition,
    partition_id: place.partition.id,
    state: 'indexed' as const,
    failure: null,
    own_language: content.language,
    parent_id: parentId === undefined ? null : uuidOf('doc', parentId),
    updated_at: now,
  }
  if (before) {
    await dropUpload(tx, before)
    if (before.partitionId !== null && !before.isLarge) await removeChunks(tx, workspace, uuid, before.partitionId)
    await tx.updateTable('knowledge_document').set(columns).where('workspace_id', '=', workspace).where('id', '=', uuid).execute()
    await leavePartition(tx, before, place)
  } else {
    const owner = { id: uuid, workspace_id: workspace, collection_id: uuidOfCollection(collection) }
    await tx
      .insertInto('knowledge_document')
      .values({ ...owner, ...columns, key, created_at: now })
      .execute()
  }
  if (!written) await addChunks(tx, { workspace, document: uuid, title }, { ...place, firstPosition }, chunks)
  await gatherIfLarge(tx, home, place, labels)
  return { outcome: before && before.version > 0 ? 'changed' : 'added', documentId: toId('doc', uuid), labels }
}

/** The written version, listed for searches. Undefined: none was written, or it cannot become active. */
async function listWritten(
  tx: Tx,
  collection: Collection,
  before: StoredDocument | undefined,
  { written }: Version,
  labels: LabelsAndSource,
): Promise<WrittenVersion | undefined> {
  if (!written || !before || uuidOf('doc', before.id) !== written.document) return undefined
  return (await listVersion(tx, collection, written, labels)) ? written : undefined
}

/** After a document's row refers to another partition, or its chunks have left the one that it refers to. */
async function leavePartition(tx: Tx, before: StoredDocument, { partition }: Place): Promise<void> {
  const { workspaceId, partitionId } = before
  if (partitionId === null || partitionId === partition.id) return
  if (before.isLarge) await retireVersion(tx, before)
  else await deleteIfEmpty(tx, workspaceId, partitionId)
}
