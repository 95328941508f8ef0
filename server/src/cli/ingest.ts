import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CLASSIFICATIONS, type Classification } from '../domain/classification.ts'
import type { Workspace } from '../identity/workspace.ts'
import { filesBelow } from '../ingestion/folder-files.ts'
import { DeletionRefused, type FileOutcome, type Folder, ingestFolder } from '../ingestion/ingest-folder.ts'
import { Tally } from '../ingestion/tally.ts'
import type { Acl } from '../knowledge/acl.ts'
import type { Collection } from '../knowledge/collection.ts'
import { createCollection, findCollectionByName, listCollections } from '../knowledge/collection-store.ts'
import type { LabelPatch } from '../knowledge/relabel.ts'
import { changeWorkspace } from '../setup/recorded-change.ts'
import { ALL, chooseWorkspace } from './choose.ts'
import { CommandProblem, type Terminal } from './command.ts'
import { Progress } from './progress.ts'
import { type Workbench, withDatabase } from './with-database.ts'

export interface IngestOptions {
  readonly collection: string
  readonly workspace?: string
  readonly classification?: string
  readonly regulation?: readonly string[]
  readonly acl?: string
  readonly role?: readonly string[]
  readonly department?: readonly string[]
  readonly user?: readonly string[]
  readonly create?: boolean
  readonly deleteMissing?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

/** `gatehouse ingest DIR`: again and again, also after it was broken off. */
export async function ingest(terminal: Terminal, directory: string, options: IngestOptions): Promise<void> {
  const path = resolve(directory)
  const labels = labelsIn(options)
  const total = await countFiles(path, directory)
  await withDatabase(terminal, async (bench) => {
    const workspace = await chooseWorkspace(bench.database.db, options.workspace)
    const { id: collectionId } = await collectionOf(bench, workspace, options)
    const { deleteMissing = false, force = false } = options
    const folder = { path, workspaceId: workspace.id, collectionId, labels, deleteMissing, force }
    const tally = new Tally()
    const failures: FileOutcome[] = []
    const progress = new Progress(terminal, total)
    const refused = await readFolder(bench, folder, (outcome) => {
      tally.add(outcome)
      if (outcome.error) failures.push(outcome)
      if (options.json) terminal.out(jsonLine(outcome))
      progress.show(tally)
    })
    progress.end()
    summarise(terminal, options, tally, failures)
    if (refused) throw new CommandProblem(refused.message)
  })
}

/** Tells of each file; answers why documents whose files are gone were not deleted. */
async function readFolder(
  bench: Workbench,
  folder: Folder,
  onFile: (outcome: FileOutcome) => void,
): Promise<DeletionRefused | undefined> {
  try {
    for await (const outcome of ingestFolder(bench, folder)) onFile(outcome)
    return undefined
  } catch (error) {
    if (error instanceof DeletionRefused) return error
    throw error
  }
}

function summarise(
  { out, note }: Terminal,
  { collection, json }: IngestOptions,
  tally: Tally,
  failures: readonly FileOutcome[],
): void {
  const { files, chunks, flagged, counts } = tally
  out(
    json
      ? JSON.stringify({ object: 'ingest_summary', collection, files, chunks, flagged, ...counts })
      : `${collection}: ${tally}`,
  )
  for (const { key, error } of failures) note(`${key}: ${error?.message} (${error?.code})`)
  if (flagged > 0) {
    note(`${flagged} hold what may be instructions for a model: /admin/v1/documents?flagged=true lists them for review`)
  }
  if (failures.length > 0) throw new CommandProblem(`${failures.length} of ${files} files were left out`)
}

const jsonLine = ({ key, outcome, documentId: document_id, chunks, flagged, error }: FileOutcome): string =>
  JSON.stringify({ key, outcome, document_id, chunks, flagged, error })

/** Undefined fields stay as they are with documents that are there already. */
function labelsIn({ classification, regulation, acl, role, department, user }: IngestOptions): LabelPatch {
  if (classification !== undefined && !CLASSIFICATIONS.includes(classification as Classification)) {
    throw new CommandProblem(`--classification must be one of ${CLASSIFICATIONS.join(', ')}`)
  }
  const lists = { ...(user && { users: user }), ...(role && { roles: role }), ...(department && { departments: department }) }
  const isListed = Object.keys(lists).length > 0
  if (acl !== undefined && acl !== 'everyone')
    throw new CommandProblem('--acl must be everyone; name others with --role, --department and --user')
  if (acl !== undefined && isListed)
    throw new CommandProblem('--acl everyone and --role, --department or --user exclude one another')
  const readers: Acl | undefined = acl === undefined ? (isListed ? lists : undefined) : { everyone: true }
  return {
    ...(classification !== undefined && { classification: classification as Classification }),
    ...(regulation && { regulations: regulation }),
    ...(readers && { acl: readers }),
  }
}

/** Before anything else, so that a mistyped folder makes no collection, and the progress has an end. */
async function countFiles(path: string, given: string): Promise<number> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new CommandProblem(`${given} is no folder that can be read`)
  let count = 0
  for await (const _ of filesBelow(path)) count += 1
  return count
}

async function collectionOf(
  bench: Workbench,
  workspace: Workspace,
  { collection: name, create }: IngestOptions,
): Promise<Collection> {
  const { db } = bench.database
  const known = await findCollectionByName(db, workspace.id, name)
  if (known) return known
  if (!create) {
    const all = (await listCollections(db, workspace.id, ALL))?.data ?? []
    const names = all.map((collection) => collection.name).join(', ') || 'none'
    throw new CommandProblem(`there is no collection ${name} in ${workspace.name}: --create makes it; there are: ${names}`)
  }
  await changeWorkspace(bench, workspace.id, async ({ tx, workspaceId, now }) => {
    const made = await createCollection(tx, workspaceId, { name }, now)
    return made ? [{ done: 'created', object: 'collection', id: made.id, name, fields: ['name'] }] : []
  })
  return (await findCollectionByName(db, workspace.id, name)) as Collection
}
