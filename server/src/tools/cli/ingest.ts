import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Workspace } from '../../domains/identity/workspace.ts'
import type { Acl } from '../../domains/knowledge/acl.ts'
import type { Collection } from '../../domains/knowledge/collection.ts'
import { createCollection, findCollectionByName, listCollections } from '../../domains/knowledge/collection-store.ts'
import { openOcr } from '../../domains/knowledge/ocr.ts'
import { WARNINGS } from '../../domains/knowledge/parsing/warning.ts'
import type { LabelPatch } from '../../domains/knowledge/relabel.ts'
import { ALL_ROWS } from '../../platform/db/page.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { counted } from '../../platform/lib/counted.ts'
import { CLASSIFICATIONS, type Classification } from '../../shared/classification.ts'
import { filesBelow } from '../ingestion/folder-files.ts'
import { DeletionRefused, type FileOutcome, ingestFolder } from '../ingestion/ingest-folder.ts'
import { Tally } from '../ingestion/tally.ts'
import { changeOf } from '../setup/change.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, type Terminal } from './terminal.ts'
import { type CommandContext, withDatabase } from './with-database.ts'

interface IngestOptions {
  readonly collection: string
  readonly workspace?: string
  readonly classification?: string
  readonly regulation?: readonly string[]
  readonly acl?: string
  readonly role?: readonly string[]
  readonly department?: readonly string[]
  readonly group?: readonly string[]
  readonly user?: readonly string[]
  readonly prefix?: string
  readonly create?: boolean
  readonly deleteMissing?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

export async function ingest(terminal: Terminal, directory: string, options: IngestOptions): Promise<void> {
  const path = resolve(directory)
  const labels = parseLabels(options)
  const prefix = parsePrefix(options)
  const total = await countFiles(path, directory)
  await withDatabase(terminal, async (context) => {
    const workspace = await chooseWorkspace(context.database.db, options.workspace)
    const { id: collectionId } = await findOrCreateCollection(context, workspace, options)
    const { deleteMissing = false, force = false } = options
    const folder = { path, workspaceId: workspace.id, collectionId, prefix, labels, deleteMissing, force }
    const tally = new Tally()
    const failures: FileOutcome[] = []
    const unread: FileOutcome['attachments'][number][] = []
    const showProgress = progressPrinter(terminal, total)
    let refusal: DeletionRefused | undefined
    try {
      for await (const outcome of ingestFolder({ ...context, ocr: openOcr(context.config.ocr) }, folder)) {
        tally.add(outcome)
        if (outcome.error) failures.push(outcome)
        for (const attachment of outcome.attachments) if (attachment.failure) unread.push(attachment)
        if (options.json) terminal.out(jsonLine(outcome))
        showProgress(tally)
      }
    } catch (error) {
      if (!(error instanceof DeletionRefused)) throw error
      refusal = error
    }
    terminal.status?.('')
    for (const { key, failure } of unread) terminal.note(`${key}: ${failure?.message} (${failure?.code})`)
    printSummary(terminal, options, tally, failures)
    if (refusal) throw new CommandFailure(refusal.message)
  })
}

function printSummary(
  { out, note }: Terminal,
  { collection, json }: IngestOptions,
  tally: Tally,
  failures: readonly FileOutcome[],
): void {
  const { files, chunks, flagged, counts } = tally
  out(
    json
      ? JSON.stringify({ object: 'ingest_summary', collection, files, chunks, flagged, warnings: tally.warningCounts, ...counts })
      : `${collection}: ${tally}`,
  )
  for (const { key, error } of failures) note(`${key}: ${error?.message} (${error?.code})`)
  for (const [kind, { count, files, example }] of tally.warnings) {
    note(`${counted(count, 'warning')} in ${counted(files, 'file')}, such as ${example}: ${WARNINGS[kind]} (${kind})`)
  }
  if (flagged > 0) {
    note(`${counted(flagged, 'document')} may contain instructions for a model: see /admin/v1/documents?flagged=true`)
  }
  if (failures.length > 0) throw new CommandFailure(`${failures.length} of ${counted(files, 'file')} could not be ingested`)
}

const jsonLine = ({ documentId: document_id, attachments, error, ...file }: FileOutcome): string => {
  const files = attachments.map(({ documentId, failure, ...attachment }) => ({
    ...{ ...attachment, document_id: documentId, error: failure },
  }))
  return JSON.stringify({ ...file, document_id, attachments: files, error })
}

function parsePrefix({ prefix }: IngestOptions): string | undefined {
  const path = prefix?.replace(/^\.?\//, '').replace(/\/$/, '')
  if (path?.split('/').some((name) => ['', '.', '..'].includes(name)))
    throw new CommandFailure('--prefix must be a path such as docs/handbook')
  return path
}

/** Absent fields keep their values in existing documents. */
function parseLabels({ classification, regulation, acl, role, department, group, user }: IngestOptions): LabelPatch {
  if (classification !== undefined && !CLASSIFICATIONS.includes(classification as Classification)) {
    throw new CommandFailure(`--classification must be one of ${CLASSIFICATIONS.join(', ')}`)
  }
  const lists = {
    ...(user && { users: user }),
    ...(role && { roles: role }),
    ...(department && { departments: department }),
    ...(group && { groups: group }),
  }
  const isListed = Object.keys(lists).length > 0
  if (acl !== undefined && acl !== 'everyone')
    throw new CommandFailure('--acl must be everyone; to restrict readers use --role, --department, --group and --user')
  if (acl !== undefined && isListed)
    throw new CommandFailure('--acl everyone and --role, --department, --group or --user exclude one another')
  const readers: Acl | undefined = acl === undefined ? (isListed ? lists : undefined) : { everyone: true }
  return {
    ...(classification !== undefined && { classification: classification as Classification }),
    ...(regulation && { regulations: regulation }),
    ...(readers && { acl: readers }),
  }
}

/** Runs first: a mistyped folder must not create a collection, and the progress line shows the total. */
async function countFiles(path: string, directory: string): Promise<number> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new CommandFailure(`${directory} is not a readable folder`)
  let count = 0
  for await (const _ of filesBelow(path)) count += 1
  return count
}

async function findOrCreateCollection(
  context: CommandContext,
  workspace: Workspace,
  { collection: name, create }: IngestOptions,
): Promise<Collection> {
  const { db } = context.database
  const known = await findCollectionByName(db, workspace.id, name)
  if (known) return known
  if (!create) {
    const all = (await listCollections(db, workspace.id, ALL_ROWS))?.data ?? []
    const names = all.map((collection) => collection.name).join(', ') || 'none'
    throw new CommandFailure(
      `there is no collection ${name} in ${workspace.name}: add --create to create it. The collections are: ${names}`,
    )
  }
  await changeWorkspace(context, workspace.id, async ({ tx, workspaceId, now }) => {
    const collection = await createCollection(tx, workspaceId, { name }, now)
    return collection ? [changeOf('collection', 'created', collection, ['name'])] : []
  })
  return (await findCollectionByName(db, workspace.id, name)) as Collection
}

const WIDTH = 24

/** Prints the progress: on a terminal a line that is overwritten, in a log a line every 10 seconds. */
function progressPrinter({ status, note }: Terminal, total: number): (tally: Tally) => void {
  const intervalMs = status ? 100 : 10_000
  const startedAt = elapsed()
  let printedAt = startedAt
  return ({ files, chunks, counts }) => {
    const now = elapsed()
    if (now - printedAt < intervalMs) return
    printedAt = now
    const share = total === 0 ? 1 : Math.min(1, files / total)
    const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')
    const rate = Math.round(files / Math.max(0.001, (now - startedAt) / 1_000))
    const failed = counts.failed > 0 ? `, ${counts.failed} failed` : ''
    const print = status ?? note
    print(`[${bar}] ${files}/${counted(total, 'file')}, ${counted(chunks, 'chunk')}, ${rate} files/s${failed}`)
  }
}
