import { constants, createReadStream } from 'node:fs'
import { cp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Database, Db, Tx } from '../../platform/db/database.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { SecretKeys } from '../../platform/lib/secret-box.ts'
import { BACKUP_FORMAT, FORMAT, type Value } from './export-format.ts'
import { type ExportWriter, PlaceList, writeExport, writeFiles } from './export-writer.ts'
import { type ExportedTable, listColumns, listExportedTables, listMigrations, useStandardTextForms } from './exported-tables.ts'

interface ExportDeps {
  readonly db: Db
  readonly files: Pick<FileStore, 'open'>
  readonly secrets: SecretKeys
  readonly clock: Clock
}

interface BackupDeps extends Omit<ExportDeps, 'db'> {
  readonly database: Pick<Database, 'db' | 'kind'>
  readonly dataDir: string
}

interface ExportOptions {
  readonly path: string
  readonly onProgress: (text: string) => void
}

/** Writes all tables from one snapshot, then the attachments. No table is held in memory, and a running server can go on. */
export const exportData = (deps: ExportDeps, options: ExportOptions) =>
  writeExport(options.path, join(tmpdir(), 'gatehouse-export-'), async (writer, folder) => {
    const places = new PlaceList(join(folder, 'places'))
    await inSnapshot(deps.db, (tx) => writeTables(tx, writer, places, deps, options))
    const missing = await writeFiles(writer, places, deps.files)
    return { ...writer.counts, missing }
  })

async function writeTables(
  tx: Tx,
  writer: ExportWriter,
  places: PlaceList,
  deps: ExportDeps,
  { onProgress }: ExportOptions,
): Promise<void> {
  const migrations = await listMigrations(tx)
  await useStandardTextForms(tx)
  await writer.header(FORMAT, migrations, deps)
  for (const [table, rule] of listExportedTables()) {
    const columns = (await listColumns(tx, table)).map(({ name }) => name)
    if (columns.length === 0) continue
    onProgress(`exporting ${table}`)
    await writer.table(table, columns)
    const placeAt = table === 'message_attachment' ? columns.indexOf('place') : -1
    for await (const row of readRows(tx, table, columns, rule)) {
      await writer.row(row)
      if (placeAt !== -1) await places.add(row[placeAt] ?? '')
    }
  }
}

async function* readRows(
  tx: Tx,
  table: string,
  columns: readonly string[],
  { order, batch = 200 }: ExportedTable,
): AsyncGenerator<readonly Value[], void> {
  const values = sql.join(columns.map((name) => sql`${sql.ref(name)}::text`))
  await sql`declare exported no scroll cursor for select array[${values}] as row from ${sql.table(table)}
    ${sql.raw(order === undefined ? '' : `order by ${order}`)}`.execute(tx)
  for (;;) {
    const { rows } = await sql<{ row: Value[] }>`fetch forward ${sql.lit(batch)} from exported`.execute(tx)
    for (const { row } of rows) yield row
    if (rows.length < batch) break
  }
  await sql`close exported`.execute(tx)
}

/** Written by a running database only. */
const LEFT_OUT = new Set(['postmaster.pid', 'postmaster.opts'])
const PLACES = 1_000

/** The database serves no requests while its files are copied, which takes about as long as reading them. */
export async function backUp(deps: BackupDeps, path: string, onProgress: (text: string) => void) {
  if (deps.database.kind !== 'embedded')
    throw new Error(
      'the database is a PostgreSQL: back it up with its own tools, for example pg_dump or pgBackRest, or use `gatehouse export`',
    )
  // The copy is written to the folder of the backup file: the disk that has room for the backup has room for the copy.
  return writeExport(path, `${path}.copy-`, async (writer, staging) => {
    onProgress('copying the database')
    const places = new PlaceList(join(staging, 'places'))
    const migrations = await copyBetweenTransactions(deps, join(staging, 'postgres'), places)
    onProgress('packing the copy')
    await writer.header(BACKUP_FORMAT, migrations, deps)
    await writeFolder(writer, staging, 'postgres')
    onProgress('packing attachments')
    const missing = await writeFiles(writer, places, deps.files)
    return { files: writer.counts.files, missing }
  })
}

/** The embedded database has one backend and no background processes: after a checkpoint its files stay the same. */
function copyBetweenTransactions({ database, dataDir }: BackupDeps, target: string, places: PlaceList): Promise<string[]> {
  return database.db.transaction().execute(async (tx) => {
    const migrations = await listMigrations(tx)
    await sql`declare places no scroll cursor for select place from message_attachment`.execute(tx)
    for (let count = PLACES; count === PLACES; ) {
      const page = await sql<{ place: string }>`fetch forward ${sql.lit(PLACES)} from places`.execute(tx)
      for (const { place } of page.rows) await places.add(place)
      count = page.rows.length
    }
    await sql`checkpoint`.execute(tx)
    await cp(join(dataDir, 'postgres'), target, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (source) => !LEFT_OUT.has(basename(source)),
    })
    return migrations
  })
}

/** Folders are written too, because PostgreSQL needs its empty ones. */
async function writeFolder(writer: ExportWriter, root: string, folder: string): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      await writer.file(`${path}/`, Readable.from([]))
      await writeFolder(writer, root, path)
    } else if (entry.isFile()) await writer.file(path, createReadStream(join(root, path)))
  }
}
