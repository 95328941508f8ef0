import { resolveApplications } from '../../domains/identity/application-store.ts'
import type { COLLECTION_DEFAULTS, CollectionPatch } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName, updateCollection } from '../../domains/knowledge/collection-store.ts'
import { normalizedLabels } from '../../domains/knowledge/labels.ts'
import { type Change, createOrUpdate, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredCollection } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the collection by its name. The documents of its folder are ingested later (tools/ingestion/ingest-folders.ts). */
export function applyCollection(context: ApplyContext, declared: DeclaredCollection): Promise<Change[]> {
  const { tx, workspaceId, now, ledger } = context
  const { name, fields, applications } = declared
  const values = { ...fields, ...(applications !== undefined && { applications }) }
  const hashed = { fields, applications: applications === undefined ? 'left out' : applications }
  const item = { object: 'collection' as const, name, declared: hashed, fields: { values } }
  return applyItem(ledger, item, async (changed: typeof values = values) => {
    const known = await findCollectionByName(tx, workspaceId, name)
    const patch = await withApplicationIds(context, known ? changed : values)
    return createOrUpdate('collection', known, {
      create: () => createCollection(tx, workspaceId, { ...patch, name }, now),
      compare: (stored) => findDifferences(comparableFields(stored), comparableFields({ ...stored, ...patch })),
      update: ({ id }) => updateCollection(tx, workspaceId, id, patch, now),
    })
  })
}

async function withApplicationIds(
  { tx, workspaceId }: ApplyContext,
  { applications, ...fields }: Pick<DeclaredCollection, 'applications'> & DeclaredCollection['fields'],
): Promise<CollectionPatch> {
  if (applications === undefined) return fields
  if (applications === null) return { ...fields, applications }
  const named = await resolveApplications(tx, workspaceId, applications)
  if (!named.ok) throw new DeclarationConflict(`applications[${named.index}]`, 'names no Application of this Workspace')
  return { ...fields, applications: named.ids }
}

const comparableFields = (collection: typeof COLLECTION_DEFAULTS) => ({
  description: collection.description,
  ...normalizedLabels(collection),
  language: collection.language,
  applications: collection.applications,
})
