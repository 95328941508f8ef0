import type { CollectionPatch as CollectionChange } from '../../../domains/knowledge/collection.ts'
import { collectionPatch } from '../../../domains/knowledge/collection-fields.ts'
import {
  createCollection,
  deleteCollection,
  findCollection,
  listCollections,
  updateCollection,
} from '../../../domains/knowledge/collection-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { invalid, notFound, requireFound, taken, valid } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'
import { CollectionCreate, CollectionPatch, CollectionView, collectionView } from './collection-shapes.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the collection, or the Workspace' }

const docs = {
  list: inWorkspace('GET /collections', 'listCollections', 'List collections, oldest first', {
    scope: 'knowledge:read',
    query: PAGE,
    answers: { 200: List(CollectionView) },
  }),
  create: inWorkspace('POST /collections', 'createCollection', 'Create a collection', {
    scope: 'knowledge:write',
    description:
      'Documents without their own labels get those of the collection. Without a classification they are `restricted`; without an ACL no user finds them.',
    body: CollectionCreate,
    answers: { 201: CollectionView },
    errors: CONFLICT,
  }),
  get: inWorkspace('GET /collections/:id', 'getCollection', 'Get a collection', {
    scope: 'knowledge:read',
    answers: { 200: CollectionView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('PATCH /collections/:id', 'updateCollection', 'Change the labels, ACL or Applications of a collection', {
    scope: 'knowledge:write',
    description:
      'Missing fields stay unchanged. null resets a field to its default. Lists are replaced. Changes apply from the next search.',
    body: CollectionPatch,
    answers: { 200: CollectionView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
  remove: inWorkspace('DELETE /collections/:id', 'deleteCollection', 'Delete a collection and its documents', {
    scope: 'knowledge:write',
    description: 'Searches stop finding the documents immediately. Their content is erased in the background.',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
}

const nameTaken = () => taken('name', 'Collection name')

interface Deps extends ChangeDeps {
  /** Ids of Applications given by id or name; `index`: the first that the Workspace does not have. */
  readonly resolveApplications: (
    tx: Tx,
    workspaceId: string,
    given: readonly string[],
  ) => Promise<{ readonly ok: true; readonly ids: readonly string[] } | { readonly ok: false; readonly index: number }>
}

export function collectionsRoutes(app: TypedApp, deps: Deps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listCollections(db, workspaceId, pageOf(query)), collectionView, ({ id }) => id),
  )

  handle(app, docs.create, async (request, reply) => {
    const { workspaceId, body } = request
    const collection = await change(deps, request, async (tx, now) => {
      const create = { ...(await parsePatch(deps, tx, workspaceId, body)), name: body.name }
      const value = await createCollection(tx, workspaceId, create, now)
      if (!value) throw nameTaken()
      return { value, action: 'collection.create', id: value.id, fields: changedFields(CollectionCreate, body) }
    })
    return reply.status(201).send(collectionView(collection))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const collection = requireFound(await findCollection(db, workspaceId, params.id), 'collection')
    return collectionView(collection)
  })

  handle(app, docs.update, async (request) => {
    const { workspaceId, params, body } = request
    const collection = await change(deps, request, async (tx, now) => {
      const patch = await parsePatch(deps, tx, workspaceId, body)
      const updated = await updateCollection(tx, workspaceId, params.id, patch, now)
      if (!updated.ok) throw updated.reason === 'not_found' ? notFound('collection') : nameTaken()
      const { collection: value } = updated
      return { value, action: 'collection.update', id: value.id, fields: changedFields(CollectionPatch, body) }
    })
    return collectionView(collection)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { id } = request.params
    await change(deps, request, async (tx, now) => {
      if (!(await deleteCollection(tx, request.workspaceId, id, now))) throw notFound('collection')
      return { value: undefined, action: 'collection.delete', id }
    })
    return reply.status(204).send()
  })
}

async function parsePatch(
  { resolveApplications }: Deps,
  tx: Tx,
  workspaceId: string,
  { name, ...fields }: CollectionPatch,
): Promise<CollectionChange> {
  const patch = { ...valid(collectionPatch(fields)), ...(name !== undefined && { name }) }
  const { applications } = fields
  if (applications === undefined || applications === null) return { ...patch, ...(applications === null && { applications }) }
  const resolved = await resolveApplications(tx, workspaceId, applications)
  if (!resolved.ok)
    throw invalid({ param: `applications[${resolved.index}]`, message: 'must be the id or name of an Application' })
  return { ...patch, applications: resolved.ids }
}
