import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Migrations, migrate, type SchemaMigration } from '../../src/platform/db/migrate.ts'
import { MIGRATIONS } from '../../src/platform/db/migrations/index.ts'
import { postgresUrl } from '../support/database.ts'
import { LAST_OF_FIRST_SCHEMA } from '../support/expand-only.ts'
import { fillTable } from '../support/fill-table.ts'
import { createOwnDatabase } from '../support/own-database.ts'

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
async function fillLargeTables(pool: pg.Pool): Promise<void> {
  for (const table of LARGE_TABLES) await fillTable(pool, table, ROWS)
}

/** The migration, which reports the large tables that its transaction reads or changes while it blocks their writers. */
function inspected(migration: SchemaMigration, problems: string[]): SchemaMigration {
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
async function tableFiles(pool: pg.Pool): Promise<Readonly<Record<string, string>>> {
  const { rows } = await pool.query<{ table: string; file: string }>(
    'select relname as table, pg_relation_filenode(oid)::text as file from pg_class where oid = any($1::regclass[])',
    [LARGE_TABLES],
  )
  return Object.fromEntries(rows.map(({ table, file }) => [table, file]))
}

/** Reads and writes a row of each large table again and again, with the time limit of a running node. `stop` reports the errors. */
function startTraffic(pool: pg.Pool): { stop: () => Promise<readonly string[]> } {
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

const url = postgresUrl()
const first = Object.entries(MIGRATIONS).filter(([name]) => name <= LAST_OF_FIRST_SCHEMA)
const added = Object.entries(MIGRATIONS).filter(([name]) => name > LAST_OF_FIRST_SCHEMA)

const run = (...statements: string[]) => ({
  up: async (db: Kysely<unknown>) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})

/** Needs TEST_DATABASE_URL. */
describe.skipIf(url === null)('migrations on large tables under load', { timeout: 300_000 }, () => {
  let database: Awaited<ReturnType<typeof createOwnDatabase>>
  let pool: pg.Pool
  let executed: Migrations
  beforeAll(async () => {
    database = await createOwnDatabase(url ?? '')
    pool = new pg.Pool({ connectionString: database.url, max: 12 })
    // Dropping the database ends idle connections.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    executed = Object.fromEntries(first)
    await migrate(pool, executed, () => {})
    await fillLargeTables(pool)
  }, 300_000)
  afterAll(async () => {
    await pool.end()
    await database.drop()
  })

  /** Runs one more migration while a reader and a writer use each large table. Returns the reasons to refuse it. */
  async function problemsOf(name: string, migration: Migrations[string]): Promise<readonly string[]> {
    const problems: string[] = []
    const before = await tableFiles(pool)
    const traffic = startTraffic(pool)
    executed = { ...executed, [name]: inspected(migration as NonNullable<typeof migration>, problems) }
    await migrate(pool, executed, () => {}).finally(async () => problems.push(...(await traffic.stop())))
    const after = await tableFiles(pool)
    const rewritten = Object.keys(before).filter((table) => before[table] !== after[table])
    return [...problems, ...rewritten.map((table) => `rewrites ${table} under a lock`)]
  }

  test('migrations: each one since the first schema neither rewrites a large table nor blocks its writers', async () => {
    const problems: string[] = []
    for (const [name, migration] of added)
      problems.push(...(await problemsOf(name, migration)).map((problem) => `${name} ${problem}`))
    expect(problems).toEqual([])
    expect(Object.keys(executed)).toEqual(Object.keys(MIGRATIONS))
  })

  test.each([
    ['9001', 'alter table message alter column sequence type numeric', 'rewrites message under a lock'],
    ['9002', 'alter table audit_record add column x float default random()', 'rewrites audit_record under a lock'],
    ['9003', 'alter table message add constraint x check (length(text) > 0)', 'reads all rows of message while writers wait'],
    ['9004', 'create index event_log_x on event_log (type)', 'reads all rows of event_log while writers wait'],
    ['9005', 'update review_item set kind = kind', 'rewrites the rows of review_item in one transaction'],
    ['9006', "alter table message add column y text not null default 'plain'", undefined],
    ['9007', 'create table note (id uuid primary key, text text not null)', undefined],
    ['9008', 'alter table message add constraint z check (length(text) > 0) not valid', undefined],
  ])('migration check: finds the blocking work of %s %s', async (name, statement, expected) => {
    const problems = await problemsOf(name, run(statement))
    if (expected === undefined) expect(problems).toEqual([])
    else expect(problems).toContainEqual(expect.stringContaining(expected))
  })

  test('migration check: accepts an index that is built concurrently, outside a transaction', async () => {
    const migration = { ...run('create index concurrently message_y on message (sender_id)'), inTransaction: false }
    expect(await problemsOf('9009', migration)).toEqual([])
  })
})
