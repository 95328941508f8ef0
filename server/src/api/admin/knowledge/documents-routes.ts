import { type Static, Type } from 'typebox'
import { listChunks } from '../../../domains/knowledge/chunk-store.ts'
import { findCollection, findCollectionByName } from '../../../domains/knowledge/collection-store.ts'
import { DOCUMENT_STATES, keyProblem } from '../../../domains/knowledge/document.ts'
import {
  clearFlags,
  deleteDocument,
  findDocument,
  type KnowledgeDocument,
  listDocuments,
} from '../../../domains/knowledge/document-store.ts'
import { LabelFields, parseLabels } from '../../../domains/knowledge/label-fields.ts'
import { type Labels, UNLABELLED } from '../../../domains/knowledge/labels.ts'
import { type LabelPatch, relabelDocument } from '../../../domains/knowledge/relabel.ts'
import { retryUpload } from '../../../domains/knowledge/upload-store.ts'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { isStorable, Line, oneOf } from '../../../platform/lib/fields.ts'
import { parseJson } from '../../../platform/lib/json.ts'
import { type Checked, checker } from '../../../platform/lib/schema.ts'
import { conflict, invalid, requireFound, valid } from '../../../shared/request-errors.ts'
import { readFileBodies } from '../../kit/bodies.ts'
import { OTHER_BODY_BYTES } from '../../kit/large-bodies.ts'
import { invalidCursor, List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { checkAllButBody } from '../../kit/validation.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace, withContentTypes } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
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
} from './knowledge-shapes.ts'

const docs = {
  chunks: inWorkspace('GET /documents/:id/chunks', 'listChunks', 'List the chunks of a document, in reading order', {
    scope: 'knowledge:content',
    errors: { 404: 'NOT_FOUND: the document, or the Workspace' },
    description: 'Contains the text regardless of which users can see it. Reading is recorded in the audit log.',
    query: PAGE,
    answers: { 200: List(ChunkView) },
  }),
  ingest: withContentTypes(
    inWorkspace('POST /collections/:id/documents', 'ingestDocuments', 'Add or update documents: texts, URLs or one file', {
      scope: 'knowledge:write',
      description:
        'Unchanged content with the same labels changes nothing, unless its `warnings` are null: it is read again then. New content replaces the old at once. Each document has its own outcome, and errors do not affect other documents. The files are kept until they are stored as documents, also when the server stops meanwhile. With `?wait=false` the answer does not wait: the outcome is `queued`, and the document has its `state`. With `?key=` the body is a file (Markdown, HTML, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, text, CSV, JSON, e-mail, notebooks; 25 MB).',
      query: FILE_QUERY,
      body: DocumentList,
      answers: { 200: IngestView },
      errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
    }),
    {
      'application/json': { schema: DocumentList },
      'application/octet-stream': { schema: Type.String({ format: 'binary', description: 'The file, with `?key=`.' }) },
    },
  ),
}

const LIST_QUERY = {
  collection: Type.Optional(Type.String({ maxLength: 200, description: 'Id or name of a collection.' })),
  flagged: Type.Optional(oneOf(['true', 'false'])),
  state: Type.Optional(oneOf(DOCUMENT_STATES, 'DocumentState')),
  warnings: Type.Optional({
    ...oneOf(['unknown']),
    description: '`unknown`: only documents whose `warnings` are null. Upload their files again.',
  }),
  source: Type.Optional(
    Type.String({ ...Line, maxLength: 2_000, description: 'Only documents whose source begins with this text.' }),
  ),
  q: Type.Optional(
    Type.String({
      ...{ maxLength: 200, pattern: '^[^\\u0000\\p{Cs}]*$' },
      description: 'Words or parts of them. The title or the key of a document contains each, in any case.',
    }),
  ),
}

export function documentsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps

  const addAction = resource(app, deps, {
    noun: 'document',
    path: '/documents',
    area: 'knowledge',
    // A retried upload is queued.
    changed: () => deps.uploads.wake(),
    view: DocumentView,
    show: async (rows: readonly KnowledgeDocument[], { workspaceId, params }) => {
      const labels = await labelsByCollection(db, workspaceId, rows)
      return rows.map((row) => documentView(row, labels.get(row.collectionId) ?? UNLABELLED, params.id === undefined))
    },
    list: {
      query: LIST_QUERY,
      errors: { 404: 'NOT_FOUND: the collection, or the Workspace' },
      read: async (_, workspaceId, page, { query: { collection, flagged, warnings, q: text, ...filters } }) => {
        const collectionId = collection === undefined ? undefined : await resolveCollectionId(db, workspaceId, collection)
        const chosen = { collectionId, flagged: flagged === 'true', lackWarnings: warnings === 'unknown', text, ...filters }
        return listDocuments(db, workspaceId, { ...chosen, ...page })
      },
    },
    get: { summary: 'Get a document, without its text', find: findDocument },
    update: {
      summary: 'Change the labels or source of a document',
      description:
        "Missing fields stay unchanged. null removes a label, so that the collection's applies. Labels can only restrict access further than the collection.",
      body: DocumentPatch,
      errors: { 409: 'CONFLICT: the document is an attachment, or has the access list of its source' },
      write: async (tx, { workspaceId, params, body: { source, ...labels } }) => {
        const patch = { ...valid(parseLabels(labels)), source }
        return relabelOne(tx, workspaceId, params.id, patch)
      },
    },
    remove: { remove: deleteDocument },
  })

  addAction({
    verb: 'clear-flags',
    operationId: 'clearDocumentFlags',
    summary: 'Clear the flags of a document after review',
    fields: ['flags'],
    write: async (tx, { workspaceId, params }) =>
      (await clearFlags(tx, workspaceId, params.id)) ? findDocument(tx, workspaceId, params.id) : undefined,
  })

  addAction({
    verb: 'retry',
    operationId: 'retryDocument',
    summary: 'Read the file of a failed upload again',
    description: 'The file of a failed upload is kept for seven days. The document is `queued` again.',
    errors: { 409: 'CONFLICT: no failed upload of the document is kept' },
    fields: ['state'],
    write: (tx, { workspaceId, params }) => retry(tx, workspaceId, params.id),
  })

  chunksRoute(app, deps)
  ingestRoute(app, deps)
}

async function relabelOne(tx: Tx, workspaceId: string, id: string, patch: LabelPatch): Promise<KnowledgeDocument | undefined> {
  const outcome = await relabelDocument(tx, workspaceId, id, patch)
  if (outcome === 'attachment')
    throw conflict('The document is an attachment. Change the labels of the document that contains it (`parent_id`).')
  if (outcome === 'source_list')
    throw conflict('The document has the access list of its source of knowledge. Change the list of the source.')
  return outcome && findDocument(tx, workspaceId, id)
}

async function retry(tx: Tx, workspaceId: string, id: string): Promise<KnowledgeDocument | undefined> {
  const retried = await retryUpload(tx, workspaceId, id)
  if (retried === false) throw conflict('No failed upload of the document is kept. Upload the file again.')
  return retried ? findDocument(tx, workspaceId, id) : undefined
}

function chunksRoute(app: TypedApp, deps: AdminDeps): void {
  handle(app, docs.chunks, async (request) => {
    const { workspaceId, params, query } = request
    const { limit, after } = pageOf(query)
    const from = after === undefined ? 0 : parsePosition(after) + 1
    // Content is returned only after the access is recorded.
    const page = await change(deps, request, async (tx) => {
      requireFound(await findDocument(tx, workspaceId, params.id), 'document')
      const value = await listChunks(tx, workspaceId, params.id, { from, limit })
      return { value, action: 'document.read', id: params.id, fields: ['content'] }
    })
    return listOf(page, chunkView, ({ position }) => String(position))
  })
}

function ingestRoute(app: TypedApp, deps: AdminDeps): void {
  app.register(async (scope: TypedApp) => {
    readFileBodies(scope, { jsonDepth: deps.jsonDepth, jsonBytes: Math.min(deps.config.sizes.bodyBytes, OTHER_BODY_BYTES) })
    // The body is checked in the handler: only the query shows whether it is a file.
    handle(scope, { ...docs.ingest, validatorCompiler: checkAllButBody }, async (request) => {
      const { workspaceId, params, query, headers } = request
      const documents = Buffer.isBuffer(request.body)
        ? parseFileBody(request.body, query, headers['content-type'])
        : parseDocumentList(request.body)
      requireFound(await findCollection(deps.db, workspaceId, params.id), 'collection')
      return ingestAll(deps, request, params.id, { documents, waits: query.wait !== 'false' })
    })
  })
}

/** By id. A collection that has been deleted since has none, so no user can read it. */
async function labelsByCollection(
  db: Db,
  workspaceId: string,
  documents: readonly KnowledgeDocument[],
): Promise<Map<string, Labels>> {
  const ids = [...new Set(documents.map(({ collectionId }) => collectionId))]
  const collections = await Promise.all(ids.map((id) => findCollection(db, workspaceId, id)))
  return new Map(collections.flatMap((collection) => (collection ? [[collection.id, collection]] : [])))
}

async function resolveCollectionId(db: Db, workspaceId: string, name: string): Promise<string> {
  const collection = isStorable(name)
    ? ((await findCollection(db, workspaceId, name)) ?? (await findCollectionByName(db, workspaceId, name)))
    : undefined
  return requireFound(collection, 'collection').id
}

function parsePosition(after: string): number {
  if (!/^\d{1,9}$/.test(after)) throw invalidCursor()
  return Number(after)
}

const checkList = checker(DocumentList)
const checkLabels = checker(Type.Object(LabelFields))

function parseDocumentList(body: unknown): readonly Incoming[] {
  const { documents, ...common } = valid(checkList(body ?? null))
  const labels = valid(parseLabels(common))
  const keys = new Set<string>()
  return documents.map(({ classification, regulations, acl, ...document }, index) => {
    const { key, url, content } = document
    const at = `documents[${index}]`
    const problem = keys.has(key) ? 'is used twice' : keyProblem(key)
    if (problem !== undefined) throw invalid({ param: `${at}.key`, message: problem })
    if ((url === undefined) === (content === undefined))
      throw invalid({ param: at, message: 'must have either url or content, not both' })
    keys.add(key)
    const own = parseLabels({ classification, regulations, acl })
    if (!own.ok) throw invalid({ ...own.problem, param: `${at}.${own.problem.param}` })
    return { ...document, ...labels, ...own.value }
  })
}

function parseFileBody(bytes: Buffer, query: Static<typeof FileQuery>, type: string | undefined): readonly Incoming[] {
  const { key = '', title, language, source, classification, regulations, acl } = query
  const problem = keyProblem(key)
  if (problem !== undefined) throw invalid({ param: 'key', message: problem })
  const labels = {
    ...(classification !== undefined && { classification }),
    ...(regulations !== undefined && {
      regulations: regulations
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    }),
    ...(acl !== undefined && { acl: acl.startsWith('{') ? parseJsonParam('acl', acl) : acl }),
  }
  const media_type = /^application\/octet-stream\b/i.test(type ?? '') ? undefined : type
  const own = {
    ...(title && { title }),
    ...(language && { language }),
    ...(source && { source }),
    ...(media_type && { media_type }),
  }
  return [{ key, content: bytes, ...own, ...valid(parseChecked(checkLabels(labels))) }]
}

const FileQuery = Type.Object(FILE_QUERY)

const parseChecked = (checked: ReturnType<typeof checkLabels>): Checked<Partial<Labels>> =>
  checked.ok ? parseLabels(checked.value) : checked

function parseJsonParam(param: string, text: string): unknown {
  const json = parseJson(Buffer.from(text), 4)
  if (!json.ok) throw invalid({ param, message: 'must be `everyone` or JSON' })
  return json.value
}
