import type { Tx } from '../db/database.ts'
import { jsonOrNull, uuidOfWorkspace } from '../db/values.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { fromId } from '../lib/id.ts'
import { moveChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { lockDocument, type StoredDocument } from './document-store.ts'
import { type DocumentLabels, type Labels, normalizedLabels } from './labels.ts'
import { dropIfEmpty, partitionFor } from './partitions.ts'

/** What an operator says about a document; what is left out stays as it is, null takes it back. */
export interface LabelPatch extends Partial<Labels> {
  readonly source?: string | undefined
}

/** Undefined when there is no such document. Whoever may see it from now on does so with the next search. */
export async function relabelDocument(
  tx: Tx,
  workspaceId: string,
  id: string,
  patch: LabelPatch,
): Promise<'relabelled' | 'unchanged' | undefined> {
  const held = await lockDocument(tx, workspaceId, id)
  return held && relabel(tx, held.collection, held.document, patch)
}

/** The same for a document whose collection is locked. */
export async function relabel(
  tx: Tx,
  collection: Collection,
  document: StoredDocument,
  patch: LabelPatch,
): Promise<'relabelled' | 'unchanged'> {
  if (!changes(document, patch, collection)) return 'unchanged'
  const { source, classification, regulations, acl, limits } = patched(document, patch)
  const partition = await partitionFor(tx, collection, { classification, acl, limits })
  const workspace = uuidOfWorkspace(document.workspaceId)
  const uuid = fromId('doc', document.id) as string
  await tx
    .updateTable('knowledge_document')
    .set({ source, classification, regulations: JSON.stringify(regulations), acl: jsonOrNull(acl), partition_id: partition.id })
    .where('workspace_id', '=', workspace)
    .where('id', '=', uuid)
    .execute()
  if (partition.id !== document.partitionId) {
    await moveChunks(tx, { workspace, document: uuid, title: document.title }, partition)
    await dropIfEmpty(tx, document.workspaceId, document.partitionId)
  }
  return 'relabelled'
}

/** Whether relabelling would change anything. A language that its collection has taken on since counts too. */
export const changes = (document: StoredDocument, patch: LabelPatch, { language }: Pick<Collection, 'language'>): boolean =>
  language !== document.language || canonicalJson(patched(document, patch)) !== canonicalJson(patched(document, {}))

type Described = DocumentLabels & { readonly source: string }

/** The labels and source of a document once the patch is applied, in the form in which they are stored. */
export function patched(before: Described, { source, classification, regulations, acl }: LabelPatch): Described {
  const labels = normalizedLabels({
    classification: classification === undefined ? before.classification : classification,
    regulations: regulations ?? before.regulations,
    acl: acl === undefined ? before.acl : acl,
  })
  return { ...labels, limits: before.limits, source: source ?? before.source }
}
