import { resolveApplications } from '../identity/resolve-applications.ts'
import type { COLLECTION_DEFAULTS, Collection, CollectionPatch } from '../knowledge/collection.ts'
import { createCollection, findCollectionByName, updateCollection } from '../knowledge/collection-store.ts'
import { normalizedLabels } from '../knowledge/labels.ts'
import { type Change, DeclarationConflict } from './change.ts'
import type { DeclaredCollection } from './declaration.ts'
import { differences } from './differences.ts'
import { applyThing } from './ledger.ts'
import type { Scope } from './scope.ts'

/** Collections are known by their names. What is in their folders comes in afterwards (ingest-folders.ts). */
export function applyCollection(scope: Scope, declared: DeclaredCollection): Promise<Change[]> {
  const { name, fields, applications = 'left out' } = declared
  const values = { ...fields, ...(declared.applications !== undefined && { applications: declared.applications }) }
  const thing = { object: 'collection' as const, name, declared: { fields, applications }, fields: { values, merged: [] } }
  return applyThing(scope.ledger, thing, (changed) => createOrUpdate(scope, declared, changed))
}

/** `changed`: the fields to apply to a collection that is there already; absent: all of them. */
async function createOrUpdate(
  scope: Scope,
  declared: DeclaredCollection,
  changed: (CollectionPatch & Pick<DeclaredCollection, 'applications'>) | undefined,
): Promise<Change[]> {
  const { tx, workspaceId, now } = scope
  const { name } = declared
  const change = (done: Change['done'], { id }: Collection, fields: readonly string[] = []): Change[] => [
    { done, object: 'collection', id, name, fields },
  ]
  const known = await findCollectionByName(tx, workspaceId, name)
  const { applications, ...fields } = (known && changed) ?? { ...declared.fields, applications: declared.applications }
  const patch = { ...fields, ...(await applicationsIn(scope, applications)) }
  if (!known) {
    const created = await createCollection(tx, workspaceId, { ...patch, name }, now)
    if (!created) throw new DeclarationConflict('name', 'was taken at this very moment; apply again')
    return change('created', created)
  }
  const fieldNames = differences(comparable(known), comparable({ ...known, ...patch }))
  if (fieldNames.length === 0) return change('unchanged', known)
  const updated = await updateCollection(tx, workspaceId, known.id, patch, now)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return change('updated', updated.collection, fieldNames)
}

async function applicationsIn(
  { tx, workspaceId }: Scope,
  applications: DeclaredCollection['applications'],
): Promise<Pick<CollectionPatch, 'applications'>> {
  if (applications === undefined) return {}
  if (applications === null) return { applications }
  const named = await resolveApplications(tx, workspaceId, applications)
  if (!named.ok) throw new DeclarationConflict(`applications[${named.index}]`, 'names no Application of this Workspace')
  return { applications: named.ids }
}

const comparable = (collection: typeof COLLECTION_DEFAULTS) => ({
  description: collection.description,
  ...normalizedLabels(collection),
  language: collection.language,
  applications: collection.applications,
})
