import type { FastifyRequest } from 'fastify'
import { FetchError } from '../../../domains/knowledge/document-fetcher.ts'
import { type IncomingDocument, type Ingested, ingestDocument } from '../../../domains/knowledge/ingest.ts'
import { DocumentError } from '../../../domains/knowledge/parsing/document.ts'
import type { LabelPatch } from '../../../domains/knowledge/relabel.ts'
import { withLongStatements } from '../../../platform/db/long-statements.ts'
import { DetectorFailure } from '../../../shared/fault.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { type DocumentItem, warningViews } from './knowledge-shapes.ts'

export type Incoming = Omit<DocumentItem, 'content'> & { readonly content?: string | Uint8Array }

/** Files are fetched and parsed a few at a time, and stored one after the other. */
const CONCURRENCY = 4

type Request = Pick<FastifyRequest, 'operator' | 'workspaceId' | 'log'>

/** Adds documents to a collection. Each document has its own outcome, and errors do not affect other documents. */
export async function ingestAll(
  deps: AdminDeps,
  request: Request,
  collectionId: string,
  { documents, ...labels }: LabelPatch & { readonly documents: readonly Incoming[] },
) {
  const outcomes: ReturnType<typeof outcomeOf>[] = []
  const queue = documents.entries()
  const worker = async (): Promise<void> => {
    // All workers share one iterator.
    for (const [index, incoming] of queue) outcomes[index] = await ingestOne(deps, request, collectionId, incoming, labels)
  }
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return { object: 'ingest' as const, data: outcomes }
}

async function ingestOne(deps: AdminDeps, request: Request, collectionId: string, incoming: Incoming, labels: LabelPatch) {
  const { key } = incoming
  try {
    const document = { ...(await loadFile(deps, incoming)), ...labels }
    const ingested = requireFound(await ingestAndRecord(deps, request, collectionId, document), 'collection')
    return outcomeOf(key, ingested)
  } catch (error) {
    return { ...outcomeOf(key), outcome: 'failed' as const, error: problemOf(error) }
  }
}

const NOT_INGESTED = {
  outcome: 'unchanged' as Ingested['outcome'] | 'failed',
  documentId: null,
  chunks: 0,
  flags: null,
  warnings: [],
}

function outcomeOf(key: string, ingested: Ingested | typeof NOT_INGESTED = NOT_INGESTED) {
  const { outcome, documentId, chunks, flags } = ingested
  const error = null as { code: string; message: string } | null
  return { key, outcome, document_id: documentId, chunks, flags, warnings: warningViews(ingested.warnings), error }
}

/** Throws errors that the document did not cause. */
function problemOf(error: unknown): { code: string; message: string } {
  if (error instanceof DocumentError || error instanceof FetchError) return { code: error.code, message: error.message }
  if (error instanceof DetectorFailure) return { code: 'detector_failed', message: error.message }
  throw error
}

async function loadFile({ documentFetcher }: AdminDeps, incoming: Incoming): Promise<IncomingDocument> {
  const { key, url, content, media_type, title, source } = incoming
  const metadata = { key, title, source }
  if (url === undefined) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array())
    return { ...metadata, bytes, name: key, mediaType: media_type }
  }
  const { bytes, name, mediaType } = await documentFetcher.fetch(url)
  return { ...metadata, source: source ?? url, bytes, name: name || key, mediaType: media_type ?? mediaType }
}

function ingestAndRecord(deps: AdminDeps, request: Request, collectionId: string, document: IncomingDocument) {
  const { db, scanText } = deps
  const ingest = {
    db,
    scanText,
    transact: (write: Parameters<Parameters<typeof ingestDocument>[0]['transact']>[0]) =>
      change(deps, request, async (tx, now) => {
        const value = await withLongStatements(tx, () => write(tx, now))
        if (!value || value.outcome === 'unchanged') return { value }
        const action = value.outcome === 'added' ? 'document.create' : 'document.update'
        return { value, action, id: value.documentId, fields: changedFieldNames(value, document) }
      }),
  }
  return ingestDocument(ingest, request.workspaceId, collectionId, document)
}

function changedFieldNames({ outcome }: Ingested, document: IncomingDocument): string[] {
  const labels = (['title', 'source', 'classification', 'regulations', 'acl'] as const).filter(
    (name) => document[name] !== undefined,
  )
  return [...(outcome === 'relabelled' ? [] : ['content']), ...labels]
}
