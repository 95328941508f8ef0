import { createReadStream } from 'node:fs'
import { DETECTORS } from '../../domains/classification/detectors.ts'
import { createTextScanner } from '../../domains/classification/scan.ts'
import { DELETION_PERCENT, needsConfirmation } from '../../domains/knowledge/deletion-guard.ts'
import { type Failure, keyProblem } from '../../domains/knowledge/document.ts'
import { deleteDocument, findDocumentByKey, listDocuments, type StoredDocument } from '../../domains/knowledge/document-store.ts'
import { type IncomingDocument, type IngestDeps, type Ingested, ingestDocument } from '../../domains/knowledge/ingest.ts'
import { failDocument } from '../../domains/knowledge/mark-document.ts'
import type { Ocr } from '../../domains/knowledge/ocr.ts'
import { DEFAULT_LIMITS } from '../../domains/knowledge/parsing/document.ts'
import type { Warning } from '../../domains/knowledge/parsing/warning.ts'
import { hashOf } from '../../domains/knowledge/read-document.ts'
import type { LabelPatch } from '../../domains/knowledge/relabel.ts'
import { failureOf } from '../../domains/knowledge/upload-worker.ts'
import type { Database, Db, Tx } from '../../platform/db/database.ts'
import { withLongStatements } from '../../platform/db/long-statements.ts'
import { type Change, changeOf } from '../setup/change.ts'
import { type ChangeDeps, recordChanges } from '../setup/recorded-change.ts'
import { type FolderFile, filesBelow, type UnreadableFolder } from './folder-files.ts'

const readAtMost = async (path: string, bytes: number): Promise<Buffer> =>
  Buffer.concat(await createReadStream(path, { end: bytes - 1 }).toArray())

export interface FolderDeps extends Pick<ChangeDeps, 'clock' | 'workspaceBox'> {
  readonly database: Pick<Database, 'db'>
  /** Undefined: the text of pictures is not read. */
  readonly ocr?: Ocr | undefined
}

export interface DocumentLedger {
  /** Whether the file with this key and SHA-256 is already applied and must be skipped, whatever its document is now. */
  readonly isApplied: (key: string, contentHash: string) => boolean
  readonly recordApplied: (db: Db, key: string, contentHash: string, now: Date) => Promise<void>
}

export interface Folder {
  readonly path: string
  readonly workspaceId: string
  readonly collectionId: string
  /** Begins the key of each document: `docs/handbook`. `deleteMissing` deletes only documents below it. */
  readonly prefix?: string | undefined
  readonly labels?: LabelPatch
  readonly deleteMissing?: boolean
  /** Whether to delete them even if they are more than the deletion guard allows. */
  readonly force?: boolean
  readonly ledger?: DocumentLedger
}

/** No document was deleted, because the files seem to be unavailable rather than deleted. */
export class DeletionRefused extends Error {}

export interface FileOutcome {
  readonly key: string
  /** `left`: the document differs from its file, and the file is unchanged since it was applied. */
  readonly outcome: Ingested['outcome'] | 'deleted' | 'left' | 'failed'
  readonly documentId: string | null
  readonly chunks: number
  readonly flagged: boolean
  /** Of the stored document. null: they were not kept. */
  readonly warnings: readonly Warning[] | null
  readonly attachments: Ingested['attachments']
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Files in progress at a time. Memory holds only these files and the names of the others. */
const CONCURRENCY = 2
const PAGE = 100
const SCAN_BUDGET_MS = 10_000

/** Can be stopped and started again. Throws DeletionRefused if it read all files but refuses to delete documents. */
export async function* ingestFolder(deps: FolderDeps, folder: Folder, signal?: AbortSignal): AsyncGenerator<FileOutcome> {
  const seen = new Set<string>()
  const added = new Set<string>()
  const vacant = new Set<string>()
  let isComplete = true
  const running: Promise<FileOutcome>[] = []
  const next = async (): Promise<FileOutcome> => {
    const outcome = await (running.shift() as Promise<FileOutcome>)
    if (outcome.outcome === 'added') added.add(outcome.key)
    return outcome
  }
  try {
    for await (const file of filesBelow(folder.path, (key) => vacant.add(key), folder.prefix)) {
      if (signal?.aborted) return
      seen.add(file.key)
      if (!('path' in file)) isComplete = false
      const outcome = 'path' in file ? ingestFile(deps, folder, file) : Promise.resolve(unreadableOutcome(file))
      // The error is handled where the outcome is awaited; this prevents an unhandled rejection before that.
      outcome.catch(() => {})
      if (running.push(outcome) === CONCURRENCY) yield await next()
    }
    while (running.length > 0) yield await next()
    // The files of an unreadable folder are not missing.
    if (folder.deleteMissing && isComplete && !signal?.aborted)
      yield* deleteMissingDocuments(deps, folder, { kept: seen, added, vacant })
  } finally {
    await Promise.allSettled(running)
  }
}

const failedOutcome = (key: string, code: string, message: string): FileOutcome => ({
  key,
  outcome: 'failed',
  documentId: null,
  chunks: 0,
  flagged: false,
  warnings: [],
  attachments: [],
  error: { code, message },
})

const unreadableOutcome = ({ key, error }: UnreadableFolder): FileOutcome =>
  failedOutcome(key, 'unreadable', `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? error.message}).`)

async function ingestFile(deps: FolderDeps, folder: Folder, { key, path }: FolderFile): Promise<FileOutcome> {
  const problem = keyProblem(key)
  if (problem !== undefined) return failedOutcome(key, 'unsupported', `The path ${problem}. Rename the file.`)
  // One byte above the limit, so that parsing reports a file that is too large.
  const bytes = await readAtMost(path, DEFAULT_LIMITS.bytes + 1).catch((error: Error) => error)
  if (bytes instanceof Error) return unreadableOutcome({ key, error: bytes })
  const contentHash = hashOf(bytes)
  if (folder.ledger?.isApplied(key, contentHash)) {
    const stored = await findDocumentByKey(deps.database.db, folder.workspaceId, folder.collectionId, key)
    // A version without warnings has read it: it is read again.
    const isOutdated = stored?.contentHash === contentHash && stored.warnings === null
    if (!isOutdated) return skippedOutcome(stored, key, contentHash)
  }
  const document = { key, name: key, bytes, ...folder.labels }
  try {
    const ingested = await ingestAndRecord(deps, folder, document)
    const { flags, ...outcome } = ingested
    return { key, ...outcome, flagged: flags !== null, error: null }
  } catch (error) {
    const failure = failureOf(error)
    if (!failure) throw error
    const documentId = await keepFailure(deps, folder, document, failure)
    return { ...failedOutcome(key, failure.code, failure.message), documentId }
  }
}

/** Returns the id of the document, which has its last version or no content. Writes nothing if the failure is known. */
async function keepFailure(
  deps: FolderDeps,
  { workspaceId, collectionId }: Folder,
  document: IncomingDocument,
  failure: Omit<Failure, 'at'>,
): Promise<string | null> {
  const { key } = document
  const stored = await findDocumentByKey(deps.database.db, workspaceId, collectionId, key)
  if (stored?.state === 'failed' && stored.failure?.message === failure.message) return stored.id
  const id = await runRecorded(deps, workspaceId, async (tx, now) => {
    const value = await failDocument(tx, workspaceId, collectionId, document, failure, now)
    return { value, changes: value === undefined ? [] : [failureChange({ id: value, name: key }, failure)] }
  })
  return id ?? null
}

const failureChange = (document: { readonly id: string; readonly name: string }, { code }: Omit<Failure, 'at'>): Change => ({
  ...changeOf('document', 'failed', document, ['state', 'failure']),
  failure: code,
})

/** The outcome of a file that is already applied. Its document may have been changed over the API. */
function skippedOutcome(stored: StoredDocument | undefined, key: string, contentHash: string): FileOutcome {
  const outcome = stored?.contentHash === contentHash ? 'unchanged' : 'left'
  const { id: documentId = null, chunks = 0, flags = null, warnings = [] } = stored ?? {}
  return { key, outcome, documentId, chunks, flagged: flags !== null, warnings, attachments: [], error: null }
}

const scanText = createTextScanner({ detectors: DETECTORS, budgetMs: SCAN_BUDGET_MS })

async function ingestAndRecord(deps: FolderDeps, folder: Folder, document: IncomingDocument): Promise<Ingested> {
  const { workspaceId, collectionId, ledger } = folder
  const contentHash = hashOf(document.bytes)
  const transact: IngestDeps['transact'] = (write) =>
    runRecorded(deps, workspaceId, async (tx, now) => {
      const ingested = await write(tx, now)
      if (ingested) await ledger?.recordApplied(tx, document.key, contentHash, now)
      return { value: ingested, changes: ingested ? documentChanges(ingested, document) : [] }
    })
  const ingested = await ingestDocument(
    { db: deps.database.db, clock: deps.clock, scanText, ocr: deps.ocr, transact },
    workspaceId,
    collectionId,
    document,
  )
  if (!ingested) throw new Error('The collection was deleted during the ingestion.')
  // An unchanged document needs no transaction.
  if (ingested.outcome === 'unchanged') await ledger?.recordApplied(deps.database.db, document.key, contentHash, deps.clock.now())
  return ingested
}

const CHANGE_BY_OUTCOME = {
  added: 'created',
  changed: 'updated',
  relabelled: 'updated',
  unchanged: 'unchanged',
  failed: 'failed',
  deleted: 'deleted',
} as const

function documentChanges({ outcome, documentId: id, attachments }: Ingested, document: IncomingDocument): Change[] {
  const labels = (['classification', 'regulations', 'acl'] as const).filter((name) => document[name] !== undefined)
  const fields = [...(outcome === 'relabelled' ? [] : ['content']), ...labels]
  return [
    changeOf('document', CHANGE_BY_OUTCOME[outcome], { id, name: document.key }, fields),
    ...attachments.map((attachment) => {
      const { key: name, documentId, failure } = attachment
      if (failure) return failureChange({ id: documentId, name }, failure)
      const isRead = attachment.outcome === 'added' || attachment.outcome === 'changed'
      return changeOf('document', CHANGE_BY_OUTCOME[attachment.outcome], { id: documentId, name }, isRead ? ['content'] : [])
    }),
  ]
}

async function* deleteMissingDocuments(
  deps: FolderDeps,
  folder: Folder,
  { kept, added, vacant }: Readonly<Record<'kept' | 'added' | 'vacant', ReadonlySet<string>>>,
): AsyncGenerator<FileOutcome> {
  if (!folder.force && kept.size === 0) {
    throw new DeletionRefused(
      'The folder contains no files, so no document was deleted. Check that the folder is mounted and the path is correct, or use --force to delete the documents.',
    )
  }
  const { missing, known } = await missingDocuments(deps, folder, kept, added)
  if (!folder.force && needsConfirmation(missing.length, known)) {
    throw new DeletionRefused(
      `The files of ${missing.length} of ${known} documents are missing, which is more than ${DELETION_PERCENT} %, so no document was deleted. Check the folder, or use --force to delete the documents.`,
    )
  }
  const emptied = [...vacant].find((key) => missing.some((document) => document.key.startsWith(`${key}/`)))
  if (!folder.force && emptied !== undefined) {
    throw new DeletionRefused(
      `${emptied} is empty or a broken link, but documents exist for it, so no document was deleted. Check that it is mounted, or use --force to delete the documents.`,
    )
  }
  for (const { id, key, chunks } of missing) {
    const isDeleted = await runRecorded(deps, folder.workspaceId, async (tx) => {
      const value = await deleteDocument(tx, folder.workspaceId, id)
      return { value, changes: value ? [changeOf('document', 'deleted', { id, name: key })] : [] }
    })
    if (isDeleted)
      yield { key, outcome: 'deleted', documentId: id, chunks, flagged: false, warnings: [], attachments: [], error: null }
  }
}

async function missingDocuments(
  { database: { db } }: FolderDeps,
  { workspaceId, collectionId, prefix }: Folder,
  kept: ReadonlySet<string>,
  added: ReadonlySet<string>,
) {
  const missing: { readonly id: string; readonly key: string; readonly chunks: number }[] = []
  let known = 0
  for (let after: string | undefined; ; ) {
    const page = await listDocuments(db, workspaceId, { collectionId, limit: PAGE, after })
    for (const { id, key, chunks, parentId } of page?.data ?? []) {
      after = id
      // An attachment has no file of its own, and goes with the document that contains it.
      if (parentId !== null || (prefix !== undefined && !key.startsWith(`${prefix}/`))) continue
      if (!added.has(key)) known += 1
      if (!kept.has(key)) missing.push({ id, key, chunks })
    }
    if (!page?.hasMore) return { missing, known }
  }
}

const runRecorded = <T>(
  { database, clock, workspaceBox }: FolderDeps,
  workspaceId: string,
  work: (tx: Tx, now: Date) => Promise<{ readonly value: T; readonly changes: readonly Change[] }>,
): Promise<T> =>
  database.db.transaction().execute(async (tx) => {
    const now = clock.now()
    const { value, changes } = await withLongStatements(tx, () => work(tx, now))
    await recordChanges({ tx, workspaceId, now, workspaceBox }, changes)
    return value
  })
