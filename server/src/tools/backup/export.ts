import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { FileStore } from '../../domains/messaging/attachments/file-store.ts'
import type { Db, Tx } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { type SecretKeys, secretKeyId } from '../../platform/lib/secret-box.ts'
import { VERSION } from '../../version.ts'
import { PlaceList, writeFiles } from './attachments.ts'
import { FORMAT, FORMAT_VERSION, type Value } from './export-format.ts'
import { ExportWriter } from './export-writer.ts'
import { type ExportedTable, listExportedTables } from './exported-tables.ts'
import { listColumns, useStandardTextForms } from './text-form.ts'

export interface ExportDeps {
  readonly db: Db
  readonly files: Pick<FileStore, 'open'>
  readonly secrets: SecretKeys
  readonly clock: Clock
}

export interface ExportOptions {
  readonly path: string
  readonly onProgress: (text: string) => void
}

export interface ExportResult {
  readonly rows: number
  readonly files: number
  /** Attachments that were deleted while the export ran. */
  readonly missing: number
}

const ROWS = 200

/**
 * Writes all tables from one snapshot, then the attachments. No table is held in memory. A running server can go on; the embedded
 * database serves other requests after the tables are written.
 */
export async function exportData(deps: ExportDeps, options: ExportOptions): Promise<ExportResult> {
  const writer = new ExportWriter(options.path)
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-export-'))
  try {
    const places = new PlaceList(join(folder, 'places'))
    await deps.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute((tx) => writeTables(tx, writer, places, deps, options))
    const missing = await writeFiles(writer, places, deps.files)
    await writer.finish()
    return { ...writer.counts, missing }
  } catch (error) {
    await writer.discard()
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeTables(
  tx: Tx,
  writer: ExportWriter,
  places: PlaceList,
  { secrets, clock }: ExportDeps,
  { onProgress }: ExportOptions,
): Promise<void> {
  const { rows: migrations } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(tx)
  await useStandardTextForms(tx)
  await writer.header({
    format: FORMAT,
    version: FORMAT_VERSION,
    gatehouse: VERSION,
    created_at: clock.now().toISOString(),
    migrations: migrations.map(({ name }) => name),
    secret_key: secretKeyId(secrets.secretKey),
  })
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

/** Reads the rows of a table with a cursor. */
async function* readRows(
  tx: Tx,
  table: string,
  columns: readonly string[],
  { order, batch = ROWS }: ExportedTable,
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
