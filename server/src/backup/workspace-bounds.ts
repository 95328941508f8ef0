import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { DamagedExportError } from './export-reader.ts'
import { EXPORTED_TABLES, listExportedTables } from './exported-tables.ts'

/** Tables that an export of one Workspace may have, with their conditions. */
const CONDITIONS: ReadonlyMap<string, string> = new Map(
  listExportedTables(true).flatMap(([table, { workspace }]) => (workspace === undefined ? [] : [[table, workspace]])),
)

/** Whether an export of one Workspace may have this table. */
export const belongsToWorkspace = (table: string): boolean => CONDITIONS.has(table)

/**
 * Checks the rows of an export of one Workspace after they were inserted. `counts`: number of rows in the file by table. Throws a
 * DamagedExportError if a row belongs to another Workspace or refers to an object of another Workspace: nothing in the file proves who
 * made it.
 */
export async function requireOnlyWorkspace(tx: Tx, workspaceId: string, counts: ReadonlyMap<string, number>): Promise<void> {
  const rowsOf = (table: string): RawBuilder<unknown> => selectRows(table, workspaceId)
  for (const [table, count] of counts) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${rowsOf(table)} as own`.execute(tx)
    if (Number(rows[0]?.count) !== count)
      throw new DamagedExportError(`the export has rows of the table ${table} that do not belong to its Workspace`)
  }
  for (const reference of [...(await listForeignKeys(tx)), ...NUMBERS]) {
    const { table, target, columns } = reference
    if (!counts.has(table) || !CONDITIONS.has(target)) continue
    const matches = columns.map(([from, to]) => sql`own.${sql.ref(from)} = target.${sql.ref(to)}`)
    const isSet = columns.map(([from]) => sql`own.${sql.ref(from)} is not null`)
    const { rows } = await sql`select from ${rowsOf(table)} as own where ${sql.join(isSet, sql` and `)}
      and not exists (select from ${rowsOf(target)} as target where ${sql.join(matches, sql` and `)}) limit 1`.execute(tx)
    if (rows.length > 0)
      throw new DamagedExportError(
        `the export has rows of the table ${table} that refer to a row of ${target} of another Workspace`,
      )
  }
  await requireOwnFiles(tx, workspaceId)
}

/** The file of an attachment belongs to one row. */
async function requireOwnFiles(tx: Tx, workspaceId: string): Promise<void> {
  const { rows } = await sql`select from message_attachment as own join message_attachment as other using (place)
    where own.workspace_id = ${workspaceId}::uuid and other.workspace_id <> own.workspace_id limit 1`.execute(tx)
  if (rows.length > 0) throw new DamagedExportError('the export has an attachment whose file belongs to another Workspace')
}

/** The rows of a Workspace as a subquery. */
function selectRows(table: string, workspaceId: string): RawBuilder<unknown> {
  const condition = (CONDITIONS.get(table) ?? 'false').split('$1').map((part) => sql.raw(part))
  return sql`(select * from ${sql.table(table)} where ${sql.join(condition, sql`${workspaceId}::uuid`)})`
}

interface Reference {
  readonly table: string
  readonly target: string
  /** Pairs of a column and the column of the target that it refers to. */
  readonly columns: readonly (readonly [from: string, to: string])[]
}

async function listForeignKeys(tx: Tx): Promise<readonly Reference[]> {
  const { rows } = await sql<Reference>`
    select conrelid::regclass::text as table, confrelid::regclass::text as target, (
      select json_agg(json_build_array(own.attname, other.attname))
      from unnest(conkey, confkey) as pair(own_number, other_number)
      join pg_attribute as own on own.attrelid = conrelid and own.attnum = own_number
      join pg_attribute as other on other.attrelid = confrelid and other.attnum = other_number
    ) as columns
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`.execute(tx)
  return rows
}

/** Columns with numbers of sequences: not all have a foreign key. */
const NUMBERS: readonly Reference[] = Object.entries(EXPORTED_TABLES).flatMap(([table, rule]) =>
  'leftOut' in rule
    ? []
    : Object.entries(rule.numbers ?? {}).flatMap(([column, target]) =>
        target === table ? [] : [{ table, target, columns: [[column, 'id'] as const] }],
      ),
)
