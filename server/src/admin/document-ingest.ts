import type { FastifyRequest } from 'fastify'
import { DetectorFailure, textScanner } from '../classification/text-scanner.ts'
import { withLongStatements } from '../db/long-statements.ts'
import type { IncomingDocument, Ingested } from '../knowledge/ingest.ts'
import { ingestDocument } from '../knowledge/ingest.ts'
import { DocumentError } from '../knowledge/parsing/document.ts'
import type { LabelPatch } from '../knowledge/relabel.ts'
import type { AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { FetchError } from './document-fetcher.ts'
import type { DocumentItem } from './document-shapes.ts'
import { notFound } from './refusals.ts'

/** What is to come in: a text, a file, or where the file is. */
export type Incoming = Omit<DocumentItem, 'content'> & { readonly content?: string | Uint8Array }

/** Files are fetched and read a few at a time; one after the other they are stored. */
const AT_ONCE = 4

type Request = Pick<FastifyRequest, 'operator' | 'workspaceId' | 'log'>

/** Brings documents into a collection. Each has its own outcome: what is wrong with one keeps the others from nothing. */
export async function ingestAll(
  deps: AdminDeps,
  request: Request,
  collectionId: string,
  documents: readonly Incoming[],
  labels: LabelPatch,
) {
  const outcomes: ReturnType<typeof outcomeOf>[] = []
  const left = documents.entries()
  const worker = async (): Promise<void> => {
    // One iterator for all: each takes what is next.
    for (const [index, incoming] of left) outcomes[index] = await ingestOne(deps, request, collectionId, incoming, labels)
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return { object: 'ingest' as const, data: outcomes }
}

async function ingestOne(deps: AdminDeps, request: Request, collectionId: string, incoming: Incoming, labels: LabelPatch) {
  const { key } = incoming
  try {
    const document = { ...(await fileOf(deps, incoming)), ...labels }
    const ingested = await store(deps, request, collectionId, document)
    if (!ingested) throw notFound('collection')
    return outcomeOf(key, ingested)
  } catch (error) {
    return { ...outcomeOf(key), outcome: 'failed' as const, error: problemOf(error) }
  }
}

const NOTHING = { outcome: 'unchanged' as Ingested['outcome'] | 'failed', documentId: null, chunks: 0, flags: null }

function outcomeOf(key: string, { outcome, documentId, chunks, flags }: Ingested | typeof NOTHING = NOTHING) {
  return { key, outcome, document_id: documentId, chunks, flags, error: null as { code: string; message: string } | null }
}

/** Throws what is no fault of the document. */
function problemOf(error: unknown): { code: string; message: string } {
  if (error instanceof DocumentError || error instanceof FetchError) return { code: error.code, message: error.message }
  if (error instanceof DetectorFailure) return { code: 'detector_failed', message: error.message }
  throw error
}

async function fileOf({ documentFetcher }: AdminDeps, incoming: Incoming): Promise<IncomingDocument> {
  const { key, url, content, media_type, title, source } = incoming
  const about = { key, title, source }
  if (url === undefined) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array())
    return { ...about, bytes, name: key, mediaType: media_type }
  }
  const file = await documentFetcher.fetch(url)
  return { ...about, source: source ?? url, bytes: file.bytes, name: file.name || key, mediaType: media_type ?? file.mediaType }
}

function store(deps: AdminDeps, request: Request, collectionId: string, document: IncomingDocument) {
  const { db, detectors, detectorBudgetMs: budgetMs } = deps
  const ingest = {
    db,
    scanText: textScanner({ detectors, budgetMs }),
    transact: (write: Parameters<Parameters<typeof ingestDocument>[0]['transact']>[0]) =>
      change(deps, request, async (tx, now) => {
        const value = await withLongStatements(tx, () => write(tx, now))
        if (!value || value.outcome === 'unchanged') return { value }
        const action = value.outcome === 'added' ? 'document.create' : 'document.update'
        return { value, action, id: value.documentId, fields: fieldsOf(value, document) }
      }),
  }
  return ingestDocument(ingest, request.workspaceId, collectionId, document)
}

function fieldsOf({ outcome }: Ingested, document: IncomingDocument): string[] {
  const said = (['title', 'source', 'classification', 'regulations', 'acl'] as const).filter(
    (name) => document[name] !== undefined,
  )
  return [...(outcome === 'relabelled' ? [] : ['content']), ...said]
}
