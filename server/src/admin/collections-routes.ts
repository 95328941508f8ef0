import { idsOfApplications } from '../applications/named-applications.ts'
import type { Tx } from '../db/database.ts'
import type { CollectionPatch as Patch } from '../knowledge/collection.ts'
import { collectionPatch } from '../knowledge/collection-fields.ts'
import {
  createCollection,
  deleteCollection,
  findCollection,
  listCollections,
  updateCollection,
} from '../knowledge/collection-store.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { CollectionCreate, CollectionPatch, CollectionView, collectionView } from './collection-shapes.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { invalid, notFound, taken, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the collection, or the Workspace' }

const docs = {
  list: inWorkspace('listCollections', 'Collections of documents, oldest first', {
    scope: 'knowledge:read',
    query: PAGE,
    answers: { 200: List(CollectionView) },
  }),
  create: inWorkspace('createCollection', 'Create a collection of documents', {
    scope: 'knowledge:write',
    description:
      'Without a classification documents are restricted, without an ACL nobody finds them, unless they bring labels of their own.',
    query: {},
    body: CollectionCreate,
    answers: { 201: CollectionView },
    errors: CONFLICT,
  }),
  get: inWorkspace('getCollection', 'One collection', {
    scope: 'knowledge:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: CollectionView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('updateCollection', 'Change a collection: its labels, its readers, the Applications it serves', {
    scope: 'knowledge:write',
    description: 'What is left out stays; null resets to the default; lists are replaced. It counts from the next search on.',
    query: {},
    params: pathOf('id'),
    body: CollectionPatch,
    answers: { 200: CollectionView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
  remove: inWorkspace('deleteCollection', 'Delete a collection with its documents', {
    scope: 'knowledge:write',
    description: 'Nothing of it is found any more; what it held is erased in the background.',
    query: {},
    params: pathOf('id'),
    answers: { 204: null },
    errors: UNKNOWN,
  }),
}

const nameTaken = () => taken('name', 'a collection of that name')

export function collectionsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/collections', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listCollections(db, workspaceId, pageOf(query)), collectionView, ({ id }) => id),
  )

  app.post('/collections', { schema: docs.create }, async (request, reply) => {
    const { workspaceId, body } = request
    const collection = await change(deps, request, async (tx, now) => {
      const create = { ...(await patchIn(tx, workspaceId, body)), name: body.name }
      const value = await createCollection(tx, workspaceId, create, now)
      if (!value) throw nameTaken()
      return { value, action: 'collection.create', id: value.id, fields: changedFields(CollectionCreate, body) }
    })
    return reply.status(201).send(collectionView(collection))
  })

  app.get('/collections/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const collection = await findCollection(db, workspaceId, params.id)
    if (!collection) throw notFound('collection')
    return collectionView(collection)
  })

  app.patch('/collections/:id', { schema: docs.update }, async (request) => {
    const { workspaceId, params, body } = request
    const collection = await change(deps, request, async (tx, now) => {
      const patch = await patchIn(tx, workspaceId, body)
      const updated = await updateCollection(tx, workspaceId, params.id, patch, now)
      if (!updated.ok) throw updated.reason === 'not_found' ? notFound('collection') : nameTaken()
      const { collection: value } = updated
      return { value, action: 'collection.update', id: value.id, fields: changedFields(CollectionPatch, body) }
    })
    return collectionView(collection)
  })

  app.delete('/collections/:id', { schema: docs.remove }, async (request, reply) => {
    const { id } = request.params
    await change(deps, request, async (tx, now) => {
      if (!(await deleteCollection(tx, request.workspaceId, id, now))) throw notFound('collection')
      return { value: undefined, action: 'collection.delete', id }
    })
    return reply.status(204).send()
  })
}

async function patchIn(tx: Tx, workspaceId: string, { name, ...fields }: CollectionPatch): Promise<Patch> {
  const patch = { ...valid(collectionPatch(fields)), ...(name !== undefined && { name }) }
  const { applications } = fields
  if (applications === undefined || applications === null) return { ...patch, ...(applications === null && { applications }) }
  const named = await idsOfApplications(tx, workspaceId, applications)
  if (!named.ok) throw invalid({ param: `applications[${named.index}]`, message: 'must be the id or name of an Application' })
  return { ...patch, applications: named.ids }
}
