import type { Db, Tx } from '../db/database.ts'
import { MIGRATIONS } from '../db/migrations/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { SecretKeys } from '../lib/secret-box.ts'
import type { FileStore } from '../messaging/attachments/file-store.ts'
import { type SealConversion, sealConverter } from './convert-seals.ts'
import { FORMAT, type Header } from './export-format.ts'
import { DamagedExportError, readExport } from './export-reader.ts'
import { StagedFiles } from './import-files.ts'
import { openTable, type RowSink } from './import-table.ts'
import { NumberRanges } from './number-ranges.ts'
import { openExportKey } from './passphrase.ts'
import { useStandardTextForms } from './text-form.ts'
import { belongsToWorkspace, requireOnlyWorkspace } from './workspace-bounds.ts'

export interface ImportDeps {
  readonly db: Db
  readonly files: FileStore
  readonly secrets: SecretKeys
  readonly clock: Clock
}

export interface ImportOptions {
  readonly path: string
  readonly passphrase?: string | undefined
  /** Runs at the end of the transaction with the UUIDs of the imported Workspaces. If it throws, nothing is imported. */
  readonly verify: (tx: Tx, workspaceIds: readonly string[]) => Promise<void>
  readonly onProgress: (text: string) => void
  /** Called with a text about data that cannot be imported and is computed again. */
  readonly onSkipped: (text: string) => void
}

export interface ImportResult {
  readonly rows: number
  readonly files: number
}

/** The export cannot be imported into this database. */
class ImportRefusedError extends Error {}

/** Tables that must be empty before a whole server is imported. */
const OF_SERVER = ['workspace', 'operator', 'admin_token'] as const

/**
 * Imports an export. It is read three times: to check it, to store its attachments, and to insert its rows in one transaction. If it
 * fails, the attachments are deleted; after a crash a job deletes them within a day.
 */
export async function importData(deps: ImportDeps, options: ImportOptions): Promise<ImportResult> {
  const { path, passphrase, onProgress } = options
  onProgress('reading and checking the file')
  const { header, workspaces, numbers } = await inspect(path)
  const conversion = conversionOf(header, deps.secrets, passphrase)
  await requireImportable(deps.db, header, workspaces)
  const files = new StagedFiles(deps)
  try {
    onProgress('storing attachments')
    const stored = await files.store(readExport(path))
    const rows = await deps.db.transaction().execute(async (tx) => {
      const offsets = await numbers.reserve(tx, header.workspace === null)
      const inserted = await insertRows({ tx, offsets, onSkipped: options.onSkipped }, conversion, options)
      const ids = workspaces.map(({ id }) => id)
      if (header.workspace !== null) for (const id of ids) await requireOnlyWorkspace(tx, id, inserted)
      await files.keep(tx)
      await options.verify(tx, ids)
      return [...inserted.values()].reduce((sum, count) => sum + count, 0)
    })
    return { rows, files: stored }
  } catch (error) {
    await files.discard()
    throw error
  }
}

interface ImportedWorkspace {
  readonly id: string
  readonly name: string
}

/** Reads the whole file, which checks its hash. */
async function inspect(path: string) {
  const workspaces: ImportedWorkspace[] = []
  const numbers = new NumberRanges()
  let header: Header | undefined
  let table = ''
  let columns: readonly string[] = []
  for await (const part of readExport(path)) {
    if (part.kind === 'header') header = part.header
    if (header?.format !== FORMAT)
      throw new DamagedExportError(
        header ? 'the file is a backup: use `gatehouse restore`' : 'the file does not begin with a header',
      )
    if (part.kind === 'table') ({ table, columns } = part)
    if (part.kind === 'table' && header.workspace !== null && !belongsToWorkspace(table))
      throw new DamagedExportError(`the export is of one Workspace, and has the table ${table} of a whole server`)
    if (part.kind !== 'row') continue
    numbers.add(table, columns, part.row)
    if (table === 'workspace')
      workspaces.push({ id: part.row[columns.indexOf('id')] ?? '', name: part.row[columns.indexOf('name')] ?? '' })
  }
  if (!header) throw new DamagedExportError('the file is empty')
  if (header.workspace !== null && workspaces.length !== 1)
    throw new DamagedExportError(`the export is of one Workspace, and has ${workspaces.length}`)
  return { header, workspaces, numbers }
}

function conversionOf(header: Header, secrets: SecretKeys, passphrase: string | undefined): SealConversion {
  if (header.passphrase === null) return { from: secrets, to: undefined }
  if (passphrase === undefined)
    throw new ImportRefusedError('the secrets of the export are sealed with a passphrase: give it with --passphrase-file')
  return { from: { secretKey: openExportKey(passphrase, header.passphrase) }, to: secrets }
}

async function requireImportable(db: Db, header: Header, workspaces: readonly ImportedWorkspace[]): Promise<void> {
  const newer = header.migrations.filter((name) => !(name in MIGRATIONS))
  if (newer.length > 0)
    throw new ImportRefusedError(
      `the export has a newer schema (${newer.join(', ')}): install the version ${header.gatehouse} of Gatehouse or a later one`,
    )
  const present = await db.selectFrom('workspace').select(['id', 'name']).execute()
  const taken = workspaces.find(({ id, name }) => present.some((other) => other.id === id || other.name === name))
  if (taken) throw new ImportRefusedError(`the database has the Workspace ${taken.name} already: import into another database`)
  if (header.workspace !== null) return
  for (const table of OF_SERVER)
    if (await db.selectFrom(table).select('id').limit(1).executeTakeFirst())
      throw new ImportRefusedError(
        `the export is of a whole server, and the table ${table} of this database is not empty: import it into an empty database`,
      )
}

/** Returns the number of rows by table. */
async function insertRows(
  target: Parameters<typeof openTable>[0],
  conversion: SealConversion,
  { path, onProgress }: ImportOptions,
): Promise<ReadonlyMap<string, number>> {
  const { tx } = target
  await useStandardTextForms(tx)
  const tables: RowSink[] = []
  let convert: ReturnType<typeof sealConverter>
  const counts = new Map<string, number>()
  let table = ''
  for await (const part of readExport(path)) {
    if (part.kind === 'file') break
    if (part.kind === 'table') {
      await tables.at(-1)?.flush()
      table = part.table
      onProgress(`importing ${table}`)
      tables.push(await openTable(target, table, part.columns))
      convert = sealConverter(tx, table, part.columns, conversion)
    } else if (part.kind === 'row') {
      await tables.at(-1)?.add(convert ? await convert(part.row) : part.row)
      counts.set(table, (counts.get(table) ?? 0) + 1)
    }
  }
  await tables.at(-1)?.flush()
  for (const sink of tables) await sink.finish()
  return counts
}
