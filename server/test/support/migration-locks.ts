import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { SchemaMigration } from '../../src/platform/db/migrate.ts'
import { fillTable } from './fill-table.ts'

/** Tables that grow with the traffic. A migration must not read or rewrite them while it blocks writers. */
const LARGE_TABLES: readonly string[] = [
  'audit_record',
  'conversation_member',
  'event_log',
  'memory_item',
  'message',
  'review_item',
  'stored_response',
  'webhook_delivery',
]
/** More rows than a migration may read while writers wait. */
const ROWS = 50_500

/** Adds ROWS rows to each large table, without their foreign keys. */
export async function fillLargeTables(pool: pg.Pool): Promise<void> {
  for (const table of LARGE_TABLES) await fillTable(pool, table, ROWS)
}

/** The migration, which reports the large tables that its transaction reads or changes while it blocks their writers. */
export function inspected(migration: SchemaMigration, problems: string[]): SchemaMigration {
  if (migration.inTransaction === false) return migration
  return {
    ...migration,
    up: async (db: Kysely<unknown>) => {
      await migration.up(db)
      problems.push(...(await findBlockingWork(db)))
    },
  }
}

/** Modes that block writers: all that are stronger than SHARE UPDATE EXCLUSIVE. */
const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock']

/** In the transaction of a migration: its locks, and the rows that it has read and written. */
async function findBlockingWork(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ table: string; read: number; written: number; blocks: boolean }>`
    select t.relname as table, t.seq_tup_read::int as read, (t.n_tup_ins + t.n_tup_upd + t.n_tup_del)::int as written,
      exists (select 1 from pg_locks l where l.relation = t.relid and l.pid = pg_backend_pid() and l.mode = any(${BLOCKING})) as blocks
    from pg_stat_xact_user_tables t where t.relname = any(${LARGE_TABLES}) order by 1`.execute(db)
  return rows.flatMap(({ table, read, written, blocks }) => [
    ...(blocks && read >= ROWS ? [`reads all rows of ${table} while writers wait`] : []),
    ...(written >= ROWS ? [`rewrites the rows of ${table} in one transaction: fill them in batches, in a job`] : []),
  ])
}

/** The file of each large table: PostgreSQL writes another one when it rewrites a table. */
export async function tableFiles(pool: pg.Pool): Promise<Readonly<Record<string, string>>> {
  const { rows } = await pool.query<{ table: string; file: string }>(
    'select relname as table, pg_relation_filenode(oid)::text as file from pg_class where oid = any($1::regclass[])',
    [LARGE_TABLES],
  )
  return Object.fromEntries(rows.map(({ table, file }) => [table, file]))
}

/** Reads and writes a row of each large table again and again, with the time limit of a running node. `stop` reports the errors. */
export function startTraffic(pool: pg.Pool): { stop: () => Promise<readonly string[]> } {
  const errors: string[] = []
  let running = true
  const loops = LARGE_TABLES.map(async (table) => {
    const client = await pool.connect()
    while (running) {
      try {
        await client.query(
          `begin; set local session_replication_role = replica; set local lock_timeout = '5s';
           select 1 from ${table} limit 1; update ${table} set workspace_id = workspace_id where ctid = '(0,1)'; rollback`,
        )
      } catch (error) {
        errors.push(`${table}: ${(error as Error).message}`)
        await client.query('rollback')
      }
    }
    client.release()
  })
  return {
    stop: async () => {
      running = false
      await Promise.all(loops)
      return errors
    },
  }
}
