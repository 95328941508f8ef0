import { createHash } from 'node:crypto'
import type { Tx } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import type { Classification } from '../../shared/classification.ts'
import type { Language } from '../retrieval/language.ts'
import { openPartition, type Partition } from '../retrieval/partition.ts'
import { readScope } from '../retrieval/scope.ts'
import { accessLabels, namesUsers } from './access-filter.ts'
import type { Collection } from './collection.ts'
import { uuidOfCollection } from './collection-store.ts'
import { type Access, accessOf, type CollectionLabels, type PartitionAccess } from './labels.ts'

/** The entries of equal ACLs from which on they get a partition of their own, which a search reads faster than a shared one. */
export const OWN_PARTITION_ENTRIES = 1_000

/** A partition with its collection, its effective classification, and all labels that decide its visibility. */
export interface LabelledPartition extends Partition {
  readonly collection: { readonly id: string; readonly name: string; readonly regulations: readonly string[] }
  readonly classification: Classification
  readonly labels: CollectionLabels
  readonly access: PartitionAccess
}

/** Where the entries of a document are, and their labels there: none in a partition of documents with equal labels. */
export interface Place {
  readonly partition: Partition
  readonly labels: readonly string[]
}

/**
 * The place of documents with these labels: a partition of their own, or the shared one of rare ACLs. The collection's own labels are not
 * part of it: each search reads them, so that changing them moves no documents. The collection must be locked.
 */
export async function placeFor(tx: Tx, collection: Collection, access: Access): Promise<Place> {
  const own = accessOf(access)
  if (!namesUsers(own)) return { partition: await partitionOf(tx, collection, own), labels: [] }
  const existing = await findOwn(tx, collection, own)
  return existing ? { partition: existing, labels: [] } : sharedPlace(tx, collection, own)
}

/** The place of documents with these rare ACLs. The collection must be locked. */
export async function sharedPlace(tx: Tx, collection: Collection, access: Access): Promise<Place> {
  const own = accessOf(access)
  return { partition: await partitionOf(tx, collection, sharedBy(own)), labels: [...accessLabels(own), listLabel(own)] }
}

/** The partition of only these documents. One that has lost its documents is not used again until they are many. */
const findOwn = (tx: Tx, collection: Collection, access: Access): Promise<Partition | undefined> =>
  tx
    .selectFrom('retrieval_partition as partition')
    .innerJoin('knowledge_partition as own', 'own.id', 'partition.id')
    .select(['partition.id', 'partition.language'])
    .where('partition.workspace_id', '=', uuidOfWorkspace(collection.workspaceId))
    .where('own.workspace_id', '=', uuidOfWorkspace(collection.workspaceId))
    .where('kind', '=', 'knowledge')
    .where('key', '=', keyOf(collection, access))
    .executeTakeFirst()

/** The labels of entries that are in a partition already. */
export const labelsIn = (partition: PartitionAccess, access: Access): readonly string[] =>
  partition.shared ? [...accessLabels(accessOf(access)), listLabel(accessOf(access))] : []

/** The partition of its own for documents with these labels, if the shared one has too many of their entries; undefined: it has few. */
export async function ownPartitionIfLarge(
  tx: Tx,
  collection: Collection,
  { partition, labels }: Place,
  access: Access,
  large: number,
): Promise<Place | undefined> {
  if (labels.length === 0) return undefined
  const filter = { alternatives: [[[listLabel(accessOf(access))]]], without: [] }
  const { entries } = await readScope(tx, uuidOfWorkspace(collection.workspaceId), [{ ...partition, filter }])
  if (entries < large) return undefined
  return { partition: await partitionOf(tx, collection, accessOf(access)), labels: [] }
}

const sharedBy = ({ classification, limits }: Access): PartitionAccess => ({
  classification,
  acl: null,
  limits: { classification: limits.classification, acl: null },
  shared: true,
})

/** Counts the entries of equal ACLs in a shared partition. */
const listLabel = (access: Access): string => `list ${canonicalJson(access)}`

/** The collection as its documents in this language have it; null: in its own. */
export const inLanguage = (collection: Collection, language: Language | null): Collection =>
  language === null ? collection : { ...collection, language }

const keyOf = ({ id, language }: Collection, access: PartitionAccess): string =>
  `${id} ${createHash('sha256')
    .update(`${language} ${canonicalJson(access)}`)
    .digest('hex')}`

async function partitionOf(tx: Tx, collection: Collection, access: PartitionAccess): Promise<Partition> {
  const workspace = uuidOfWorkspace(collection.workspaceId)
  const { language } = collection
  const partition = await openPartition(tx, workspace, 'knowledge', keyOf(collection, access), language)
  await tx
    .insertInto('knowledge_partition')
    .values({
      id: partition.id,
      workspace_id: workspace,
      collection_id: uuidOfCollection(collection),
      language,
      access: canonicalJson(access),
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return partition
}

/** Deletes a partition that has no documents. The collection must be locked. */
export async function deleteIfEmpty(tx: Tx, workspaceId: string, partitionId: number): Promise<void> {
  await tx
    .deleteFrom('knowledge_partition')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', partitionId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('knowledge_document').select('id').whereRef('partition_id', '=', 'knowledge_partition.id'))),
    )
    .execute()
}
