import { idsOfApplications } from '../applications/named-applications.ts'
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
  const thing = { object: 'collection' as const, name, declared: { fields, applications } }
  return applyThing(scope.ledger, thing, () => createOrUpdate(scope, declared))
}

async function createOrUpdate(scope: Scope, declared: DeclaredCollection): Promise<Change[]> {
  const { tx, workspaceId, now } = scope
  const { name } = declared
  const patch = { ...declared.fields, ...(await applicationsIn(scope, declared)) }
  const changed = (done: Change['done'], { id }: Collection, fields: readonly string[] = []): Change[] => [
    { done, object: 'collection', id, name, fields },
  ]
  const known = await findCollectionByName(tx, workspaceId, name)
  if (!known) {
    const created = await createCollection(tx, workspaceId, { ...patch, name }, now)
    if (!created) throw new DeclarationConflict('name', 'was taken at this very moment; apply again')
    return changed('created', created)
  }
  const fields = differences(comparable(known), comparable({ ...known, ...patch }))
  if (fields.length === 0) return changed('unchanged', known)
  const updated = await updateCollection(tx, workspaceId, known.id, patch, now)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return changed('updated', updated.collection, fields)
}

async function applicationsIn(
  { tx, workspaceId }: Scope,
  declared: DeclaredCollection,
): Promise<Pick<CollectionPatch, 'applications'>> {
  const { applications } = declared
  if (applications === undefined) return {}
  if (applications === null) return { applications }
  const named = await idsOfApplications(tx, workspaceId, applications)
  if (!named.ok) throw new DeclarationConflict(`applications[${named.index}]`, 'names no Application of this Workspace')
  return { applications: named.ids }
}

const comparable = (collection: typeof COLLECTION_DEFAULTS) => ({
  description: collection.description,
  ...normalizedLabels(collection),
  language: collection.language,
  applications: collection.applications,
})
