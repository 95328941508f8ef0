import { constants, createReadStream } from 'node:fs'
import { cp, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { SecretKeys } from '../../platform/lib/secret-box.ts'
import { BACKUP_FORMAT } from './export-format.ts'
import { type ExportWriter, PlaceList, writeExport, writeFiles } from './export-writer.ts'
import { listMigrations } from './exported-tables.ts'

interface BackupDeps {
  readonly database: Pick<Database, 'db' | 'kind'>
  readonly dataDir: string
  readonly files: Pick<FileStore, 'open'>
  readonly secrets: SecretKeys
  readonly clock: Clock
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
  // The copy is beside the file, whose disk has room for it.
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
