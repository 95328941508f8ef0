import { resolveApplications } from '../../../domains/identity/application-store.ts'
import type { Collection, CollectionPatch as CollectionChange } from '../../../domains/knowledge/collection.ts'
import { collectionPatch } from '../../../domains/knowledge/collection-fields.ts'
import {
  createCollection,
  deleteCollection,
  findCollection,
  listCollections,
  updateCollection,
} from '../../../domains/knowledge/collection-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { invalid, valid } from '../../../shared/request-errors.ts'
import type { TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { resource } from '../kit/resource.ts'
import { CollectionCreate, CollectionPatch, CollectionView } from './knowledge-shapes.ts'

export function collectionsRoutes(app: TypedApp, deps: AdminDeps): void {
  resource(app, deps, {
    noun: 'collection',
    path: '/collections',
    area: 'knowledge',
    view: CollectionView,
    show: (rows: readonly Collection[]) => rows.map((row) => viewOf(CollectionView, row)),
    taken: { name: 'Collection name' },
    list: { read: listCollections },
    get: { find: findCollection },
    create: {
      description:
        'Documents without their own labels get those of the collection. Without a classification they are `restricted`; without an ACL no user finds them.',
      body: CollectionCreate,
      write: async (tx, { workspaceId, body }, now) =>
        createCollection(tx, workspaceId, { ...(await parsePatch(tx, workspaceId, body)), name: body.name }, now),
    },
    update: {
      summary: 'Change the labels, ACL or Applications of a collection',
      description:
        'Missing fields stay unchanged. null resets a field to its default. Lists are replaced. Changes apply from the next search.',
      body: CollectionPatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        const patch = await parsePatch(tx, workspaceId, body)
        const updated = await updateCollection(tx, workspaceId, params.id, patch, now)
        return updated.ok ? updated.collection : updated
      },
    },
    remove: {
      summary: 'Delete a collection and its documents',
      description: 'Searches stop finding the documents immediately. Their content is erased in the background.',
      remove: deleteCollection,
    },
  })
}

async function parsePatch(tx: Tx, workspaceId: string, { name, ...fields }: CollectionPatch): Promise<CollectionChange> {
  const patch = { ...valid(collectionPatch(fields)), ...(name !== undefined && { name }) }
  const { applications } = fields
  if (applications === undefined || applications === null) return { ...patch, ...(applications === null && { applications }) }
  const resolved = await resolveApplications(tx, workspaceId, applications)
  if (!resolved.ok)
    throw invalid({ param: `applications[${resolved.index}]`, message: 'must be the id or name of an Application' })
  return { ...patch, applications: resolved.ids }
}
