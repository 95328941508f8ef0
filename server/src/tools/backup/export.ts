import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import { inSnapshot } from '../../platform/db/snapshot.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { SecretKeys } from '../../platform/lib/secret-box.ts'
import { FORMAT, type Value } from './export-format.ts'
import { type ExportWriter, PlaceList, writeExport, writeFiles } from './export-writer.ts'
import { type ExportedTable, listColumns, listExportedTables, listMigrations, useStandardTextForms } from './exported-tables.ts'

interface ExportDeps {
  readonly db: Db
  readonly files: Pick<FileStore, 'open'>
  readonly secrets: SecretKeys
  readonly clock: Clock
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
