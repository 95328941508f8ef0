import { type Static, Type } from 'typebox'
import { isStorable, oneOf } from '../applications/shapes.ts'
import { OTHER_BODY_BYTES } from '../http/large-bodies.ts'
import { listChunks } from '../knowledge/chunk-list.ts'
import { findCollection, findCollectionByName } from '../knowledge/collection-store.ts'
import type { KnowledgeDocument } from '../knowledge/document.ts'
import { keyProblem } from '../knowledge/document-key.ts'
import { clearFlags, deleteDocument, findDocument, listDocuments } from '../knowledge/document-store.ts'
import { LabelFields, labelsOf } from '../knowledge/label-fields.ts'
import { type Labels, UNLABELLED } from '../knowledge/labels.ts'
import { relabelDocument } from '../knowledge/relabel.ts'
import { parseJson } from '../lib/json.ts'
import { type Checked, checker } from '../lib/schema.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { checkRequests, readFileBodies } from './bodies.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { type Incoming, ingestAll } from './document-ingest.ts'
import {
  ChunkView,
  chunkView,
  DocumentList,
  DocumentPatch,
  DocumentView,
  documentView,
  FILE_QUERY,
  IngestView,
} from './document-shapes.ts'
import { inWorkspace } from './operation.ts'
import { invalidCursor, listOf, PAGE, pageOf } from './paging.ts'
import { invalid, notFound, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the document, or the Workspace' }
const one = { query: {}, params: pathOf('id'), errors: UNKNOWN }

const docs = {
  list: inWorkspace('listDocuments', 'Documents, oldest first', {
    scope: 'knowledge:read',
    query: {
      ...PAGE,
      collection: Type.Optional(Type.String({ maxLength: 200, description: 'Id or name of a collection.' })),
      flagged: Type.Optional(oneOf(['true', 'false'])),
    },
    answers: { 200: List(DocumentView) },
    errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
  }),
  get: inWorkspace('getDocument', 'One document, without its text', {
    scope: 'knowledge:read',
    ...one,
    answers: { 200: DocumentView },
  }),
  chunks: inWorkspace('listChunks', 'The text of a document, as it is found: its chunks in reading order', {
    scope: 'knowledge:content',
    ...one,
    description: 'Whoever may see it over the gateway. That somebody has read it is recorded.',
    query: PAGE,
    answers: { 200: List(ChunkView) },
  }),
  update: inWorkspace('updateDocument', 'Change the labels of a document, or where it comes from', {
    scope: 'knowledge:write',
    ...one,
    description:
      'What is left out stays; null takes a label back, and the collection’s counts. Labels may only narrow those of the collection.',
    body: DocumentPatch,
    answers: { 200: DocumentView },
  }),
  clear: inWorkspace('clearDocumentFlags', 'Say that somebody has looked at what was found in a document', {
    scope: 'knowledge:write',
    ...one,
    answers: { 200: DocumentView },
  }),
  remove: inWorkspace('deleteDocument', 'Delete a document', { scope: 'knowledge:write', ...one, answers: { 204: null } }),
  ingest: {
    ...inWorkspace('ingestDocuments', 'Bring documents into a collection, or up to date: texts, URLs of files, or one file', {
      scope: 'knowledge:write',
      description:
        'The same content with the same labels changes nothing, other content takes its place at once. Each document has its own outcome: one that cannot be read keeps the others from nothing. With `?key=` the body is a file (Markdown, HTML, PDF, Word, text, CSV, JSON; 20 MB).',
      query: FILE_QUERY,
      params: pathOf('id'),
      body: DocumentList,
      answers: { 200: IngestView },
      errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
    }),
    body: {
      content: {
        'application/json': { schema: DocumentList },
        'application/octet-stream': { schema: Type.String({ format: 'binary', description: 'The file, with `?key=`.' }) },
      },
    },
  },
}

export function documentsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/documents', { schema: docs.list }, async ({ workspaceId, query }) => {
    const { collection, flagged } = query
    const page = pageOf(query)
    const collectionId = collection === undefined ? undefined : await collectionNamed(workspaceId, collection)
    const found = await listDocuments(db, workspaceId, { ...page, collectionId, flagged: flagged === 'true' })
    const labels = await labelsByCollection(workspaceId, found?.data ?? [])
    return listOf(
      found,
      (one) => documentView(one, labels.get(one.collectionId) ?? UNLABELLED),
      ({ id }) => id,
    )
  })

  app.get('/documents/:id', { schema: docs.get }, async ({ workspaceId, params }) => documentOf(workspaceId, params.id))

  app.get('/documents/:id/chunks', { schema: docs.chunks }, async (request) => {
    const { workspaceId, params, query } = request
    const { limit, after } = pageOf(query)
    const from = after === undefined ? 0 : positionIn(after) + 1
    // Nobody sees content before it is on record that they do.
    const page = await change(deps, request, async (tx) => {
      if (!(await findDocument(tx, workspaceId, params.id))) throw notFound('document')
      const value = await listChunks(tx, workspaceId, params.id, { from, limit })
      return { value, action: 'document.read', id: params.id, fields: ['content'] }
    })
    return listOf(page, chunkView, ({ position }) => String(position))
  })

  app.patch('/documents/:id', { schema: docs.update }, async (request) => {
    const { workspaceId, params, body } = request
    const { source, ...labels } = body
    const patch = { ...valid(labelsOf(labels)), source }
    await change(deps, request, async (tx) => {
      if (!(await relabelDocument(tx, workspaceId, params.id, patch))) throw notFound('document')
      return { value: undefined, action: 'document.update', id: params.id, fields: changedFields(DocumentPatch, body) }
    })
    return documentOf(workspaceId, params.id)
  })

  app.post('/documents/:id/clear-flags', { schema: docs.clear }, async (request) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await clearFlags(tx, workspaceId, params.id))) throw notFound('document')
      return { value: undefined, action: 'document.clear_flags', id: params.id, fields: ['flags'] }
    })
    return documentOf(workspaceId, params.id)
  })

  app.delete('/documents/:id', { schema: docs.remove }, async (request, reply) => {
    const { workspaceId, params } = request
    await change(deps, request, async (tx) => {
      if (!(await deleteDocument(tx, workspaceId, params.id))) throw notFound('document')
      return { value: undefined, action: 'document.delete', id: params.id }
    })
    return reply.status(204).send()
  })

  app.register(async (scope: AdminApp) => {
    readFileBodies(scope, { jsonDepth: deps.jsonDepth, jsonBytes: Math.min(deps.config.sizes.bodyBytes, OTHER_BODY_BYTES) })
    // The body is checked below: only the query tells whether it is a file.
    const validatorCompiler: typeof checkRequests = (route) =>
      route.httpPart === 'body' ? (value) => ({ value }) : checkRequests(route)
    scope.post('/collections/:id/documents', { schema: docs.ingest, validatorCompiler }, async (request) => {
      const { workspaceId, params, query, headers } = request
      const { documents, ...labels } = Buffer.isBuffer(request.body)
        ? fileIn(request.body, query, headers['content-type'])
        : listIn(request.body)
      if (!(await findCollection(db, workspaceId, params.id))) throw notFound('collection')
      return ingestAll(deps, request, params.id, documents, labels)
    })
  })

  async function documentOf(workspaceId: string, id: string) {
    const document = await findDocument(db, workspaceId, id)
    if (!document) throw notFound('document')
    const labels = await labelsByCollection(workspaceId, [document])
    return documentView(document, labels.get(document.collectionId) ?? UNLABELLED)
  }

  /** The labels of the documents' collections, by their ids. One that is deleted meanwhile has none: nobody may read. */
  async function labelsByCollection(workspaceId: string, documents: readonly KnowledgeDocument[]): Promise<Map<string, Labels>> {
    const ids = [...new Set(documents.map(({ collectionId }) => collectionId))]
    const found = await Promise.all(ids.map((id) => findCollection(db, workspaceId, id)))
    return new Map(found.flatMap((collection) => (collection ? [[collection.id, collection]] : [])))
  }

  async function collectionNamed(workspaceId: string, name: string): Promise<string> {
    const found = isStorable(name)
      ? ((await findCollection(db, workspaceId, name)) ?? (await findCollectionByName(db, workspaceId, name)))
      : undefined
    if (!found) throw notFound('collection')
    return found.id
  }
}

function positionIn(after: string): number {
  if (!/^\d{1,9}$/.test(after)) throw invalidCursor()
  return Number(after)
}

type Ingest = Partial<Labels> & { readonly documents: readonly Incoming[] }

const checkList = checker(DocumentList)
const checkLabels = checker(Type.Object(LabelFields))

function listIn(body: unknown): Ingest {
  const { documents, ...labels } = valid(checkList(body ?? null))
  const keys = new Set<string>()
  for (const [index, { key, url, content }] of documents.entries()) {
    const at = `documents[${index}]`
    const problem = keys.has(key) ? 'is there a second time' : keyProblem(key)
    if (problem !== undefined) throw invalid({ param: `${at}.key`, message: problem })
    if ((url === undefined) === (content === undefined)) throw invalid({ param: at, message: 'must have either url or content' })
    keys.add(key)
  }
  return { documents, ...valid(labelsOf(labels)) }
}

function fileIn(bytes: Buffer, query: Static<typeof FileQuery>, type: string | undefined): Ingest {
  const { key = '', title, source, classification, regulations, acl } = query
  const problem = keyProblem(key)
  if (problem !== undefined) throw invalid({ param: 'key', message: problem })
  const written = {
    ...(classification !== undefined && { classification }),
    ...(regulations !== undefined && {
      regulations: regulations
        .split(',')
        .map((word) => word.trim())
        .filter(Boolean),
    }),
    ...(acl !== undefined && { acl: acl.startsWith('{') ? jsonIn('acl', acl) : acl }),
  }
  const media_type = /^application\/octet-stream\b/i.test(type ?? '') ? undefined : type
  const document = { key, content: bytes, ...(title && { title }), ...(source && { source }), ...(media_type && { media_type }) }
  return { documents: [document], ...valid(labelled(checkLabels(written))) }
}

const FileQuery = Type.Object(FILE_QUERY)

const labelled = (checked: ReturnType<typeof checkLabels>): Checked<Partial<Labels>> =>
  checked.ok ? labelsOf(checked.value) : checked

function jsonIn(param: string, text: string): unknown {
  const json = parseJson(Buffer.from(text), 4)
  if (!json.ok) throw invalid({ param, message: 'must be everyone or JSON' })
  return json.value
}
