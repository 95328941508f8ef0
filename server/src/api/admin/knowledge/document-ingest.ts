import type { FastifyRequest } from 'fastify'
import { findCollection } from '../../../domains/knowledge/collection-store.ts'
import { findUnchanged, type Ingested } from '../../../domains/knowledge/ingest.ts'
import type { Labels } from '../../../domains/knowledge/labels.ts'
import type { IncomingUpload, Upload } from '../../../domains/knowledge/upload.ts'
import { storeUploadFile } from '../../../domains/knowledge/upload-parts.ts'
import { enqueueUpload, withdrawUpload } from '../../../domains/knowledge/upload-store.ts'
import { requireFound } from '../../../shared/request-errors.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { type DocumentItem, warningViews } from './knowledge-shapes.ts'

/** A document of a request. Labels that it lacks stay as they are. */
export interface Incoming extends Omit<DocumentItem, 'content' | keyof Labels>, Partial<Labels> {
  readonly content?: string | Uint8Array
}

/** Files are fetched and parsed a few at a time, and stored one after the other. */
const CONCURRENCY = 4

type Request = Pick<FastifyRequest, 'operator' | 'workspaceId' | 'log'>

interface Uploads {
  readonly documents: readonly Incoming[]
  /** Whether the answer waits until the documents are stored. */
  readonly waits: boolean
}

/** Adds documents to a collection. Each document has its own outcome, and errors do not affect other documents. */
export async function ingestAll(deps: AdminDeps, request: Request, collectionId: string, { documents, waits }: Uploads) {
  const outcomes: ReturnType<typeof outcomeOf>[] = []
  const queue = documents.entries()
  const worker = async (): Promise<void> => {
    // All workers share one iterator.
    for (const [index, incoming] of queue)
      outcomes[index] = await ingestOne(deps, request, collectionId, uploadOf(incoming), waits)
  }
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker))
  if (!waits) deps.uploads.wake()
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return { object: 'ingest' as const, data: outcomes }
}

function uploadOf({ key, url, content, media_type: mediaType, ...others }: Incoming): IncomingUpload {
  const metadata = { key, name: key, mediaType, ...others }
  if (url !== undefined) return { ...metadata, url }
  return { ...metadata, bytes: typeof content === 'string' ? Buffer.from(content) : (content ?? new Uint8Array()) }
}

async function ingestOne(deps: AdminDeps, request: Request, collectionId: string, incoming: IncomingUpload, waits: boolean) {
  const { key, bytes } = incoming
  const collection = requireFound(await findCollection(deps.db, request.workspaceId, collectionId), 'collection')
  const unchanged = bytes && (await findUnchanged(deps.db, request.workspaceId, collection, { ...incoming, bytes }))
  if (unchanged) return outcomeOf(key, unchanged)
  const upload = requireFound(await enqueue(deps, request, collectionId, incoming, waits), 'collection')
  const { documentId } = upload
  if (!waits) return outcomeOf(key, { ...NOT_STORED, outcome: 'queued', documentId })
  const result = await deps.uploads.process(upload).catch((error) => withdraw(deps, request, upload, error))
  if ('outcome' in result) return outcomeOf(key, result)
  return { ...outcomeOf(key, { ...NOT_STORED, outcome: 'failed', documentId }), error: result.failure }
}

/** Nothing is recorded yet: the document has no content until the upload is processed. */
async function enqueue(
  deps: AdminDeps,
  request: Request,
  collectionId: string,
  incoming: IncomingUpload,
  isClaimed: boolean,
): Promise<Upload | undefined> {
  const file = await storeUploadFile(deps.db, request.workspaceId, incoming.bytes, deps.clock.now())
  return change(deps, request, async (tx, now) => {
    const options = { file, operatorId: request.operator.id, now, isClaimed }
    return { value: await enqueueUpload(tx, request.workspaceId, collectionId, incoming, options) }
  })
}

/** The response is an error, so the upload must have no effect. If the database fails, the upload stays queued. */
async function withdraw({ db }: AdminDeps, { log }: Request, upload: Upload, error: unknown): Promise<never> {
  await db
    .transaction()
    .execute((tx) => withdrawUpload(tx, upload))
    .catch((err) => log.error({ err, document: upload.documentId }, 'an upload could not be withdrawn, and stays queued'))
  throw error
}

const NOT_STORED = { chunks: 0, flags: null, warnings: [], attachments: [] }

type Outcome = Omit<Ingested, 'outcome'> & { readonly outcome: Ingested['outcome'] | 'queued' | 'failed' }

function outcomeOf(key: string, { outcome, documentId, chunks, flags, ...ingested }: Outcome) {
  const error = null as { code: string; message: string } | null
  const attachments = ingested.attachments.map(({ documentId: document_id, failure, ...attachment }) => ({
    ...{ ...attachment, document_id, error: failure },
  }))
  return { key, outcome, document_id: documentId, chunks, flags, warnings: warningViews(ingested.warnings), attachments, error }
}
