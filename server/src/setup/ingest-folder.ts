import { DETECTORS } from '../classification/detectors.ts'
import { DetectorFailure, textScanner } from '../classification/text-scanner.ts'
import type { Database, Tx } from '../db/database.ts'
import { withLongStatements } from '../db/long-statements.ts'
import { keyProblem } from '../knowledge/document-key.ts'
import { deleteDocument, findDocumentByKey, listDocuments } from '../knowledge/document-store.ts'
import { type IncomingDocument, type IngestDeps, type Ingested, ingestDocument } from '../knowledge/ingest.ts'
import { DEFAULT_LIMITS, DocumentError } from '../knowledge/parsing/document.ts'
import { hashOf } from '../knowledge/read-document.ts'
import type { LabelPatch } from '../knowledge/relabel.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Change } from './change.ts'
import type { DocumentLedger } from './document-ledger.ts'
import { type FolderFile, filesBelow, type UnreadableFolder } from './folder-files.ts'
import { readAtMost } from './read-at-most.ts'
import { recordChanges } from './record-changes.ts'

export interface FolderDeps {
  readonly database: Pick<Database, 'db'>
  readonly clock: Clock
  readonly workspaceBox: SecretBox
}

/** Which folder is to be read into which collection. */
export interface Folder {
  readonly path: string
  readonly workspaceId: string
  readonly collectionId: string
  /** Of each document; what is left out stays as it is. */
  readonly labels?: LabelPatch
  /** Whether documents whose files are gone go, too: the collection is then what the folder is. */
  readonly deleteMissing?: boolean
  /** Deletes them also when they are more than MISSING_SHARE of the documents. */
  readonly force?: boolean
  /** Of a declared folder: files that it calls done are left alone. */
  readonly ledger?: DocumentLedger
}

/** Nothing was deleted, because the folder looks as if its files were not there rather than gone. */
export class DeletionRefused extends Error {}

/** More documents whose files are gone at once are a share that is not mounted or the wrong folder, rather than a clean-up. */
const MISSING_SHARE = 0.2

/** What became of one file, or of the document of one that is gone. */
export interface FileOutcome {
  readonly key: string
  /** `left`: the document is not what its file says, and the file has not changed since it was applied. */
  readonly outcome: Ingested['outcome'] | 'deleted' | 'left' | 'failed'
  readonly documentId: string | null
  readonly chunks: number
  readonly flagged: boolean
  readonly error: { readonly code: string; readonly message: string } | null
}

/** Files that are read while the one before is stored. Memory holds these and nothing else of the folder but its names. */
const AT_ONCE = 2
const PAGE = 100
const SCAN_BUDGET_MS = 10_000

/**
 * Reads a folder into a collection, file by file: what is there with the same content and labels is passed over, so that it can be
 * broken off at any moment and begun again. A file that cannot be read keeps the others from nothing. Throws DeletionRefused when it
 * read all files and deletes none of the missing ones, and other errors for anything else.
 */
export async function* ingestFolder(deps: FolderDeps, folder: Folder, signal?: AbortSignal): AsyncGenerator<FileOutcome> {
  const seen = new Set<string>()
  const added = new Set<string>()
  const vacant = new Set<string>()
  let isComplete = true
  const noted = (outcome: FileOutcome): FileOutcome => {
    if (outcome.outcome === 'added') added.add(outcome.key)
    return outcome
  }
  const running: Promise<FileOutcome>[] = []
  try {
    for await (const file of filesBelow(folder.path, (key) => vacant.add(key))) {
      if (signal?.aborted) return
      seen.add(file.key)
      if (!('path' in file)) isComplete = false
      const outcome = 'path' in file ? ingestFile(deps, folder, file) : Promise.resolve(unreadable(file))
      // Told where it is awaited; until then it is nobody's fault.
      outcome.catch(() => {})
      if (running.push(outcome) === AT_ONCE) yield noted(await (running.shift() as Promise<FileOutcome>))
    }
    while (running.length > 0) yield noted(await (running.shift() as Promise<FileOutcome>))
    // What lies in a folder that cannot be read is not gone.
    if (folder.deleteMissing && isComplete && !signal?.aborted) yield* deleteAllBut(deps, folder, { kept: seen, added, vacant })
  } finally {
    await Promise.allSettled(running)
  }
}

const failed = (key: string, code: string, message: string): FileOutcome => ({
  key,
  outcome: 'failed',
  documentId: null,
  chunks: 0,
  flagged: false,
  error: { code, message },
})

const unreadable = ({ key, error }: UnreadableFolder): FileOutcome =>
  failed(key, 'unreadable', `It cannot be read (${(error as NodeJS.ErrnoException).code ?? error.message}).`)

async function ingestFile(deps: FolderDeps, folder: Folder, { key, path }: FolderFile): Promise<FileOutcome> {
  const problem = keyProblem(key)
  if (problem !== undefined) return failed(key, 'unsupported', `Its path ${problem}. Rename it.`)
  // A byte more than is allowed: parsing then says that it is too large.
  const bytes = await readAtMost(path, DEFAULT_LIMITS.bytes + 1).catch((error: Error) => error)
  if (bytes instanceof Error) return unreadable({ key, error: bytes })
  const contentHash = hashOf(bytes)
  if (folder.ledger?.isDone(key, contentHash)) return passedOver(deps, folder, key, contentHash)
  try {
    const ingested = await store(deps, folder, { key, name: key, bytes, ...folder.labels })
    const { outcome, documentId, chunks, flags } = ingested
    return { key, outcome, documentId, chunks, flagged: flags !== null, error: null }
  } catch (error) {
    if (error instanceof DocumentError) return failed(key, error.code, error.message)
    if (error instanceof DetectorFailure) return failed(key, 'detector_failed', error.message)
    throw error
  }
}

/** What to tell of a file that was applied before and is the same: the document may have been changed over the API. */
async function passedOver(
  { database: { db } }: FolderDeps,
  folder: Folder,
  key: string,
  contentHash: string,
): Promise<FileOutcome> {
  const stored = await findDocumentByKey(db, folder.workspaceId, folder.collectionId, key)
  const outcome = stored?.contentHash === contentHash ? 'unchanged' : 'left'
  const { id: documentId = null, chunks = 0, flags = null } = stored ?? {}
  return { key, outcome, documentId, chunks, flagged: flags !== null, error: null }
}

const scanText = textScanner({ detectors: DETECTORS, budgetMs: SCAN_BUDGET_MS })

async function store(deps: FolderDeps, folder: Folder, document: IncomingDocument): Promise<Ingested> {
  const { workspaceId, collectionId, ledger } = folder
  const contentHash = hashOf(document.bytes)
  const transact: IngestDeps['transact'] = (write) =>
    recorded(deps, workspaceId, async (tx, now) => {
      const ingested = await write(tx, now)
      if (ingested) await ledger?.note(tx, document.key, contentHash, now)
      return { value: ingested, changes: ingested ? [changeOf(ingested, document)] : [] }
    })
  const ingested = await ingestDocument({ db: deps.database.db, scanText, transact }, workspaceId, collectionId, document)
  if (!ingested) throw new Error('the collection has been deleted in the meantime')
  // What is there already was stored without a transaction.
  if (ingested.outcome === 'unchanged') await ledger?.note(deps.database.db, document.key, contentHash, deps.clock.now())
  return ingested
}

const DONE = { added: 'created', changed: 'updated', relabelled: 'updated', unchanged: 'unchanged' } as const

function changeOf({ outcome, documentId: id }: Ingested, document: IncomingDocument): Change {
  const labels = (['classification', 'regulations', 'acl'] as const).filter((name) => document[name] !== undefined)
  const fields = [...(outcome === 'relabelled' ? [] : ['content']), ...labels]
  return { done: DONE[outcome], object: 'document', id, name: document.key, fields }
}

interface FoundKeys {
  readonly kept: ReadonlySet<string>
  readonly added: ReadonlySet<string>
  /** Of empty folders, and of links that lead nowhere. */
  readonly vacant: ReadonlySet<string>
}

async function* deleteAllBut(deps: FolderDeps, folder: Folder, { kept, added, vacant }: FoundKeys): AsyncGenerator<FileOutcome> {
  if (kept.size === 0) {
    throw new DeletionRefused(
      'The folder holds no files, so no document was deleted. Check that it is mounted and the right one.',
    )
  }
  const { missing, known } = await missingDocuments(deps, folder, kept, added)
  if (!folder.force && missing.length > MISSING_SHARE * known) {
    throw new DeletionRefused(
      `The files of ${missing.length} of ${known} documents are gone, which is more than ${MISSING_SHARE * 100} %, so none was deleted. Check the folder; --force deletes them.`,
    )
  }
  const lost = [...vacant].find((key) => missing.some((document) => document.key.startsWith(`${key}/`)))
  if (!folder.force && lost !== undefined) {
    throw new DeletionRefused(
      `${lost} is empty, or leads nowhere, and held documents: none was deleted. Check that it is mounted; --force deletes them.`,
    )
  }
  for (const { id, key, chunks } of missing) {
    const isGone = await recorded(deps, folder.workspaceId, async (tx) => {
      const value = await deleteDocument(tx, folder.workspaceId, id)
      return { value, changes: value ? [{ done: 'deleted', object: 'document', id, name: key, fields: [] }] : [] }
    })
    if (isGone) yield { key, outcome: 'deleted', documentId: id, chunks, flagged: false, error: null }
  }
}

/** The documents whose files are gone, and how many there were before the folder was read. */
async function missingDocuments(
  { database: { db } }: FolderDeps,
  { workspaceId, collectionId }: Folder,
  kept: ReadonlySet<string>,
  added: ReadonlySet<string>,
) {
  const missing: { readonly id: string; readonly key: string; readonly chunks: number }[] = []
  let known = 0
  for (let after: string | undefined; ; ) {
    const page = await listDocuments(db, workspaceId, { collectionId, limit: PAGE, after })
    for (const { id, key, chunks } of page?.data ?? []) {
      after = id
      if (!added.has(key)) known += 1
      if (!kept.has(key)) missing.push({ id, key, chunks })
    }
    if (!page?.hasMore) return { missing, known }
  }
}

/** In one transaction, with its record. */
const recorded = <T>(
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
