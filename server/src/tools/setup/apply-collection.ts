import { resolveApplications } from '../../domains/identity/resolve-applications.ts'
import type { COLLECTION_DEFAULTS, CollectionPatch } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName, updateCollection } from '../../domains/knowledge/collection-store.ts'
import { normalizedLabels } from '../../domains/knowledge/labels.ts'
import { type Change, changeOf, DeclarationConflict } from './change.ts'
import type { DeclaredCollection } from './declaration.ts'
import { findDifferences } from './differences.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the collection by its name. The documents of its folder are ingested later (tools/ingestion/ingest-folders.ts). */
export function applyCollection(context: ApplyContext, declared: DeclaredCollection): Promise<Change[]> {
  const { name, fields, applications = 'left out' } = declared
  const values = { ...fields, ...(declared.applications !== undefined && { applications: declared.applications }) }
  const item = { object: 'collection' as const, name, declared: { fields, applications }, fields: { values, merged: [] } }
  return applyItem(context.ledger, item, (changed) => createOrUpdate(context, declared, changed))
}

/** `changed`: the fields to update if the collection exists; absent: all fields. */
async function createOrUpdate(
  context: ApplyContext,
  declared: DeclaredCollection,
  changed: (CollectionPatch & Pick<DeclaredCollection, 'applications'>) | undefined,
): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  const { name } = declared
  const known = await findCollectionByName(tx, workspaceId, name)
  const { applications, ...fields } = (known && changed) ?? { ...declared.fields, applications: declared.applications }
  const patch = { ...fields, ...(await toApplicationsPatch(context, applications)) }
  if (!known) {
    const created = await createCollection(tx, workspaceId, { ...patch, name }, now)
    if (!created) throw new DeclarationConflict('name', 'was taken by another collection in the meantime; apply again')
    return [changeOf('collection', 'created', created)]
  }
  const fieldNames = findDifferences(comparableFields(known), comparableFields({ ...known, ...patch }))
  if (fieldNames.length === 0) return [changeOf('collection', 'unchanged', known)]
  const updated = await updateCollection(tx, workspaceId, known.id, patch, now)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return [changeOf('collection', 'updated', updated.collection, fieldNames)]
}

async function toApplicationsPatch(
  { tx, workspaceId }: ApplyContext,
  applications: DeclaredCollection['applications'],
): Promise<Pick<CollectionPatch, 'applications'>> {
  if (applications === undefined) return {}
  if (applications === null) return { applications }
  const named = await resolveApplications(tx, workspaceId, applications)
  if (!named.ok) throw new DeclarationConflict(`applications[${named.index}]`, 'names no Application of this Workspace')
  return { applications: named.ids }
}

const comparableFields = (collection: typeof COLLECTION_DEFAULTS) => ({
  description: collection.description,
  ...normalizedLabels(collection),
  language: collection.language,
  applications: collection.applications,
})
