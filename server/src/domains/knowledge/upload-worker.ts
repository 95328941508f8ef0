import type { Db, Tx } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { whileRenewing } from '../../platform/queue/lease.ts'
import { WorkQueue } from '../../platform/queue/work-queue.ts'
import { DetectorFailure } from '../../shared/fault.ts'
import type { Failure } from './document.ts'
import { type DocumentFetcher, FetchError } from './document-fetcher.ts'
import { findDocument } from './document-store.ts'
import { type IncomingDocument, type Ingested, ingestDocument } from './ingest.ts'
import type { Ocr } from './ocr.ts'
import { DocumentError } from './parsing/document.ts'
import type { ScanText } from './read-document.ts'
import type { Upload } from './upload.ts'
import { claimUploads, failUpload, holdUpload, markParsed, readUpload, renewUpload, UPLOAD_LEASE_MS } from './upload-store.ts'

/** As many as there are threads that parse files. */
const CONCURRENT_UPLOADS = 2
/** A file that ends the process of its reader is given up after this many attempts. */
const MAX_ATTEMPTS = 3

const REPLACED = { code: 'replaced', message: 'A newer upload of the key replaced this one, or the document was deleted.' }
const INTERRUPTED = {
  code: 'interrupted',
  message: `The server stopped ${MAX_ATTEMPTS} times while it read the file. Split the file, or save it in a simpler form.`,
}

export type UploadResult = Ingested | { readonly failure: Omit<Failure, 'at'> }

/** Writes in a transaction that also records in the audit log what the upload did, with its operator. */
export interface UploadRecorder {
  readonly record: (
    upload: Upload,
    document: IncomingDocument,
    write: (tx: Tx, now: Date) => Promise<Ingested | undefined>,
  ) => Promise<Ingested | undefined>
  /** `write` returns whether the document has failed now. */
  readonly recordFailure: (
    upload: Upload,
    failure: Omit<Failure, 'at'>,
    write: (tx: Tx, now: Date) => Promise<boolean>,
  ) => Promise<boolean>
}

export interface UploadDeps extends UploadRecorder {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly scanText: ScanText
  readonly ocr: Ocr | undefined
  readonly documentFetcher: Pick<DocumentFetcher, 'fetch'>
  readonly onError: (error: Error) => void
}

/** Reads queued files and stores them as documents. A file stays queued until it is stored or has failed, also when a node stops. */
export class UploadWorker extends WorkQueue<Upload> {
  readonly #deps: UploadDeps

  constructor(deps: UploadDeps) {
    super({
      claim: (most) => claimUploads(deps.db, deps.clock.now(), most),
      work: async (upload) => {
        await this.process(upload)
        return true
      },
      concurrency: CONCURRENT_UPLOADS,
      topics: [],
      ...deps,
    })
    this.#deps = deps
  }

  /** For a claimed upload. Throws errors that the file did not cause; the upload is then claimed again after its lease. */
  process(upload: Upload): Promise<UploadResult> {
    const { db, clock } = this.#deps
    const renew = () => renewUpload(db, upload, clock.now())
    return whileRenewing(UPLOAD_LEASE_MS / 3, renew, () => processUpload(this.#deps, upload))
  }
}

async function processUpload(deps: UploadDeps, upload: Upload): Promise<UploadResult> {
  try {
    if (upload.attempts > MAX_ATTEMPTS) return await fail(deps, upload, INTERRUPTED)
    return (await ingest(deps, upload)) ?? { failure: REPLACED }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    return fail(deps, upload, failure)
  }
}

/** Undefined if the upload was replaced. */
async function ingest(deps: UploadDeps, upload: Upload): Promise<Ingested | undefined> {
  const { db, clock, scanText, ocr, record } = deps
  const { workspaceId } = upload
  const target = await findDocument(db, workspaceId, upload.documentId)
  const content = await readUpload(db, upload)
  if (!target || content === undefined) return undefined
  const document = { key: target.key, ...(await loadFile(deps, upload, content)) }
  const transact = (write: (tx: Tx, now: Date) => Promise<Ingested | undefined>) =>
    record(upload, document, async (tx, now) => ((await holdUpload(tx, upload)) ? write(tx, now) : undefined))
  const onParsed = () => markParsed(db, upload)
  return ingestDocument({ db, clock, scanText, ocr, transact, onParsed }, workspaceId, target.collectionId, document)
}

async function loadFile(
  { documentFetcher }: UploadDeps,
  { request: { url, ...request } }: Upload,
  content: Buffer | null,
): Promise<Omit<IncomingDocument, 'key'>> {
  if (url === undefined) return { ...request, bytes: content ?? new Uint8Array() }
  const { bytes, name, mediaType } = await documentFetcher.fetch(url)
  return {
    ...request,
    source: request.source ?? url,
    bytes,
    name: name || request.name,
    mediaType: request.mediaType ?? mediaType,
  }
}

async function fail({ recordFailure }: UploadDeps, upload: Upload, failure: Omit<Failure, 'at'>): Promise<UploadResult> {
  const isHeld = await recordFailure(upload, failure, async (tx, now) => {
    const held = await holdUpload(tx, upload)
    if (held) await failUpload(tx, upload, failure, now)
    return held
  })
  return { failure: isHeld ? failure : REPLACED }
}

/** The failure of a file; undefined: the file did not cause the error. */
export function failureOf(error: unknown): Omit<Failure, 'at'> | undefined {
  if (error instanceof DocumentError || error instanceof FetchError) return { code: error.code, message: error.message }
  return error instanceof DetectorFailure ? { code: 'detector_failed', message: error.message } : undefined
}
