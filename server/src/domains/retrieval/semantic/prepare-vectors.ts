import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'

/** The vector features of the database. */
export interface VectorSupport {
  /** Whether an approximate search can continue until it finds enough visible rows (pgvector 0.8 or later). */
  readonly iterativeScans: boolean
}

/** Advisory lock for nodes that start at the same time. The number is arbitrary and used only here. */
const LOCK = 7_202_311_303

/**
 * Creates the table of vectors if needed. This is not a migration, because the extension `vector` may be installed later or never.
 * Returns undefined without the extension: searches are then lexical only, and `onAbsent` receives the reason.
 */
export async function prepareVectors(db: Db, onAbsent: (reason: string) => void): Promise<VectorSupport | undefined> {
  try {
    const support = await db.transaction().execute(createVectorTable)
    if (!support) onAbsent('the database does not have the extension vector: searches are lexical only')
    return support
  } catch (cause) {
    if (!isPrivilegeMissing(cause)) throw cause
    onAbsent(
      'this database user may not create the extension vector: searches are lexical only until a privileged user creates it',
    )
    return undefined
  }
}

/** As `prepareVectors`, in a transaction. Throws if this database user may not create the extension (`isPrivilegeMissing`). */
export async function createVectorTable(tx: Tx): Promise<VectorSupport | undefined> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
  const version = (await versionOf(tx)) ?? (await install(tx))
  if (version === undefined) return undefined
  for (const statement of STATEMENTS) await sql.raw(statement).execute(tx)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return { iterativeScans: major > 0 || minor >= 8 }
}

export const isPrivilegeMissing = (cause: unknown): boolean => (cause as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE

const INSUFFICIENT_PRIVILEGE = '42501'

async function versionOf(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{ extversion: string }>`select extversion from pg_extension where extname = 'vector'`.execute(tx)
  return rows[0]?.extversion
}

async function install(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(tx)
  if (rows.length === 0) return undefined
  await sql`create extension vector`.execute(tx)
  return versionOf(tx)
}

const STATEMENTS = [
  // No fixed length, because models differ. Storage main: vectors of up to 2,000 numbers stay in the row, where exact search reads them.
  `create table if not exists retrieval_vector (
    model_id integer not null references embedding_model,
    partition_id bigint not null,
    entry_id uuid not null references retrieval_entry on delete cascade,
    embedding vector,
    primary key (model_id, partition_id, entry_id)
  )`,
  // A separate statement, because PostgreSQL 15 accepts no storage in a column definition. Conditional, because altering locks the table.
  `do $$ begin
    if exists (
      select from pg_attribute
      where attrelid = 'retrieval_vector'::regclass and attname = 'embedding' and attstorage <> 'm'
    ) then
      alter table retrieval_vector alter column embedding set storage main;
    end if;
  end $$`,
  `create index if not exists retrieval_vector_entry on retrieval_vector (entry_id, model_id)`,
]
