import { countSealedValues } from '../../domains/keys/sealed-counts.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { MIGRATIONS } from '../../platform/db/migrations/index.ts'
import { listSecretKeys, type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { FORMAT, type Header, type Part } from './export-format.ts'
import { DamagedExportError, readExport } from './export-reader.ts'
import { useStandardTextForms } from './exported-tables.ts'
import { StagedFiles, type StagingDeps } from './import-files.ts'
import { openTable, type RowSink } from './import-table.ts'

type ImportDeps = StagingDeps & { readonly secrets: SecretKeys }

interface ImportOptions {
  readonly path: string
  /** Runs at the end of the transaction with the UUIDs of the imported Workspaces. If it throws, nothing is imported. */
  readonly verify: (tx: Tx, workspaceIds: readonly string[]) => Promise<void>
  readonly onProgress: (text: string) => void
  /** Called with a text about data that cannot be imported and is computed again. */
  readonly onSkipped: (text: string) => void
}

class ImportRefusedError extends Error {}

const FIRST_TABLES = ['workspace', 'operator', 'admin_token'] as const

/** Read twice: to check it and store its attachments, and to insert its rows. After a crash a job deletes the attachments within a day. */
export async function importData(deps: ImportDeps, options: ImportOptions) {
  const { path, onProgress } = options
  const files = new StagedFiles(deps)
  try {
    onProgress('checking the file and storing attachments')
    const workspaceIds: string[] = []
    const stored = await files.store(checkParts(deps.db, readExport(path), workspaceIds))
    const rows = await deps.db.transaction().execute(async (tx) => {
      const inserted = await insertRows({ tx, onSkipped: options.onSkipped }, options)
      await requireKeys(tx, deps.secrets)
      await files.keep(tx)
      await options.verify(tx, workspaceIds)
      return inserted
    })
    return { rows, files: stored }
  } catch (error) {
    await files.discard()
    throw error
  }
}

/** Yields the parts, and adds the UUIDs of the Workspaces. Throws before the first attachment if the export cannot be imported here. */
async function* checkParts(db: Db, parts: AsyncIterable<Part>, workspaceIds: string[]): AsyncGenerator<Part, void> {
  let header: Header | undefined
  let workspaceIdAt = -1
  for await (const part of parts) {
    if (part.kind === 'header') header = part.header
    if (header?.format !== FORMAT)
      throw new DamagedExportError(
        header ? 'the file is a backup: use `gatehouse restore`' : 'the file does not begin with a header',
      )
    if (part.kind === 'header') await requireImportable(db, header)
    if (part.kind === 'table') workspaceIdAt = part.table === 'workspace' ? part.columns.indexOf('id') : -1
    if (part.kind === 'row' && workspaceIdAt !== -1) workspaceIds.push(part.row[workspaceIdAt] ?? '')
    yield part
  }
  if (!header) throw new DamagedExportError('the file is empty')
}

async function requireImportable(db: Db, header: Header): Promise<void> {
  const newer = header.migrations.filter((name) => !(name in MIGRATIONS))
  if (newer.length > 0)
    throw new ImportRefusedError(
      `the export has a newer schema (${newer.join(', ')}): install the version ${header.gatehouse} of Gatehouse or a later one`,
    )
  for (const table of FIRST_TABLES)
    if (await db.selectFrom(table).select('id').limit(1).executeTakeFirst())
      throw new ImportRefusedError(`the table ${table} of this database is not empty: import into an empty database`)
}

/** Values stay sealed as in the source. */
async function requireKeys(tx: Tx, secrets: SecretKeys): Promise<void> {
  const configured = listSecretKeys(secrets).map(secretKeyId)
  const missing = (await countSealedValues(tx, secrets)).find(({ keyId }) => !configured.includes(keyId))
  if (missing)
    throw new ImportRefusedError(
      `the configured secret keys do not open a value of ${missing.table}.${missing.column}. Set GATEHOUSE_SECRET_KEY or ` +
        'GATEHOUSE_OLD_SECRET_KEYS to the key of the source',
    )
}

async function insertRows(target: Parameters<typeof openTable>[0], { path, onProgress }: ImportOptions): Promise<number> {
  await useStandardTextForms(target.tx)
  const tables: RowSink[] = []
  let count = 0
  for await (const part of readExport(path)) {
    if (part.kind === 'file') break
    if (part.kind === 'table') {
      await tables.at(-1)?.flush()
      onProgress(`importing ${part.table}`)
      tables.push(await openTable(target, part.table, part.columns))
    } else if (part.kind === 'row') {
      await tables.at(-1)?.add(part.row)
      count += 1
    }
  }
  await tables.at(-1)?.flush()
  for (const sink of tables) await sink.finish()
  return count
}
