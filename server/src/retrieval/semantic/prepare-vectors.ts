import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'

/** What the database can do with vectors. */
export interface VectorSupport {
  /** Whether an approximate search can go on until enough visible rows are found: from pgvector 0.8 on. */
  readonly iterativeScans: boolean
}

/** Nodes that start together take turns; the number is arbitrary, and only used here. */
const LOCK = 7_202_311_303

/**
 * Makes the table of vectors, if it is not there: not a migration, because the database may get its extension `vector` later, or
 * never. undefined without it: search then goes by words alone, and `onAbsent` is told why.
 */
export async function prepareVectors(db: Db, onAbsent: (why: string) => void): Promise<VectorSupport | undefined> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
      const version = (await versionOf(tx)) ?? (await install(tx))
      if (version === undefined) {
        onAbsent('the database does not have the extension vector: search goes by words alone')
        return undefined
      }
      for (const statement of STATEMENTS) await sql.raw(statement).execute(tx)
      return { iterativeScans: isAtLeast(version, 0, 8) }
    })
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw cause
    onAbsent(
      'this database user may not create the extension vector: search goes by words alone until somebody who may has done it',
    )
    return undefined
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function versionOf(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql<{
    version: string
  }>`select extversion as version from pg_extension where extname = 'vector'`.execute(tx)
  return rows[0]?.version
}

async function install(tx: Tx): Promise<string | undefined> {
  const { rows } = await sql`select from pg_available_extensions where name = 'vector'`.execute(tx)
  if (rows.length === 0) return undefined
  await sql`create extension vector`.execute(tx)
  return versionOf(tx)
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

const STATEMENTS = [
  // Without a length: each model has its own. Main: a vector of up to 2,000 numbers lies in the row, where an exact search reads it.
  `create table if not exists retrieval_vector (
    model_id integer not null references embedding_model,
    partition_id bigint not null,
    entry_id uuid not null references retrieval_entry on delete cascade,
    embedding vector,
    primary key (model_id, partition_id, entry_id)
  )`,
  // Apart from the column: PostgreSQL 15 takes no storage there. Only when it is not set yet: altering a table locks it.
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
