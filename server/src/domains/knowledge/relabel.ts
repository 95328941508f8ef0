import type { Tx } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import { fromId } from '../../platform/lib/id.ts'
import { moveChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { listAttachments, lockDocument, type StoredDocument } from './document-store.ts'
import { gatherIfLarge } from './gather.ts'
import { type DocumentLabels, type Labels, labelColumns, normalizedLabels } from './labels.ts'
import { relabelVersion, retireVersion } from './large-versions.ts'
import { deleteIfEmpty, inLanguage, placeFor } from './partitions.ts'
import { findSourceList } from './source-list.ts'

/** An operator's changes to a document's labels. Absent fields stay as they are; null removes a label. */
export interface LabelPatch extends Partial<Labels> {
  readonly source?: string | undefined
}

/**
 * Returns undefined if there is no such document; `attachment`: it has the labels of the document that contains it; `source_list`: it has the
 * access list of its source. The new labels apply from the next search on.
 */
export async function relabelDocument(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: LabelPatch,
): Promise<'relabelled' | 'unchanged' | 'attachment' | 'source_list' | undefined> {
  const locked = await lockDocument(tx, workspaceId, id)
  if (!locked) return undefined
  const { collection, document } = locked
  if (document.parentId !== null) return 'attachment'
  if (patch.acl !== undefined && (await findSourceList(tx, collection, document.key))) return 'source_list'
  return relabelWithAttachments(tx, collection, document, patch)
}

/** Relabels a document whose collection is locked, and its attachments, which have its labels. */
export async function relabelWithAttachments(
  tx: Tx,
  collection: Collection,
  document: StoredDocument,
  patch: LabelPatch,
): Promise<'relabelled' | 'unchanged'> {
  const outcome = await relabel(tx, collection, document, patch)
  if (outcome === 'unchanged') return outcome
  const labels = patchOf(applyLabelPatch(document, patch))
  for (const attachment of await listAttachments(tx, document.workspaceId, document.id))
    await relabel(tx, collection, attachment, labels)
  return outcome
}

/** All labels and the source, as a change of another document. Its front matter stays its own. */
export const patchOf = ({ limits: _, ...labels }: LabelsAndSource): LabelPatch => labels

/** Relabels a document alone. Its collection must be locked. */
export async function relabel(
  tx: Tx,
  collection: Collection,
  document: StoredDocument,
  patch: LabelPatch,
): Promise<'relabelled' | 'unchanged'> {
  if (!hasLabelChanges(document, patch, collection)) return 'unchanged'
  const labels = applyLabelPatch(document, patch)
  if (document.partitionId === null) return relabelRow(tx, document, labels)
  const home = inLanguage(collection, document.ownLanguage)
  if (document.isLarge && document.language === home.language) {
    await relabelVersion(tx, document, labels)
    return relabelRow(tx, document, labels)
  }
  const place = await placeFor(tx, home, labels)
  const workspace = uuidOfWorkspace(document.workspaceId)
  const uuid = fromId('doc', document.id) as string
  await tx
    .updateTable('knowledge_document')
    .set({ ...labelColumns(labels), source: labels.source, partition_id: place.partition.id })
    .where('workspace_id', '=', workspace)
    .where('id', '=', uuid)
    .execute()
  const isMoved = place.partition.id !== document.partitionId
  if (isMoved || place.labels.length > 0) {
    await moveChunks(tx, { workspace, document: uuid, title: document.title }, document.partitionId, place)
  }
  if (isMoved && document.isLarge) await retireVersion(tx, document)
  else if (isMoved) await deleteIfEmpty(tx, document.workspaceId, document.partitionId)
  await gatherIfLarge(tx, home, place, labels)
  return 'relabelled'
}

/** For a document without chunks, or a large one, whose partition was relabelled. */
async function relabelRow(tx: Tx, document: StoredDocument, labels: LabelsAndSource): Promise<'relabelled'> {
  await tx
    .updateTable('knowledge_document')
    .set({ ...labelColumns(labels), source: labels.source })
    .where('workspace_id', '=', uuidOfWorkspace(document.workspaceId))
    .where('id', '=', uuidOf('doc', document.id))
    .execute()
  return 'relabelled'
}

/** Whether relabelling changes the document. A new language of its collection is a change too, unless it has its own. */
export const hasLabelChanges = (
  document: StoredDocument,
  patch: LabelPatch,
  { language }: Pick<Collection, 'language'>,
): boolean =>
  (document.ownLanguage ?? language) !== document.language ||
  canonicalJson(applyLabelPatch(document, patch)) !== canonicalJson(applyLabelPatch(document, {}))

export type LabelsAndSource = DocumentLabels & { readonly source: string }

/** Returns the patched labels and source in their stored form. */
export function applyLabelPatch(
  before: LabelsAndSource,
  { source, classification, regulations, acl }: LabelPatch,
): LabelsAndSource {
  const labels = normalizedLabels({
    classification: classification === undefined ? before.classification : classification,
    regulations: regulations ?? before.regulations,
    acl: acl === undefined ? before.acl : acl,
  })
  return { ...labels, limits: before.limits, source: source ?? before.source }
}
