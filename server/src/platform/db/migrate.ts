import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { elapsed } from '../lib/clock.ts'

export interface SchemaMigration extends Migration {
  /** False for a migration that creates indexes `concurrently`, outside of a transaction. It must be possible to run it again. */
  readonly inTransaction?: boolean
}

export type Migrations = Readonly<Record<string, SchemaMigration>>

const EARLIER_COMMIT =
  'a commit before release 0.1.0 has created this database, and no version can migrate it: use an empty database, or remove the data folder'

const UNDEFINED_TABLE = '42P01'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** Key of an advisory lock: one node migrates at a time. */
const LOCK = 7_241_015
const POLL_MS = 200
/** How long a node waits for another node that migrates, and how long a migration tries to lock a table that is in use. */
const LONGEST_WAIT_MS = 600_000
const LONGEST_TRY_MS = 300_000
/** While a migration waits for the lock of a table, other statements wait for the migration. So it stops after this time and tries again. */
const TABLE_LOCK_MS = 1_000
const PAUSE_MS = 1_000

/**
 * Runs the missing migrations, one node at a time. Migrations of a newer version stay: they only expand the schema (CONTRIBUTING.md),
 * so that this version works with it. `onProgress` is called with a text when the schema is newer, and when this node waits for another.
 * Throws if a commit before the first release has created the database.
 */
export async function migrate(pool: pg.Pool, migrations: Migrations, onProgress: (text: string) => void): Promise<void> {
  const difference = await compareSchema(pool, migrations)
  if (difference.unknown.length > 0 && difference.missing[0] === Object.keys(migrations)[0]) throw new Error(EARLIER_COMMIT)
  if (difference.unknown.length > 0)
    onProgress(`the schema of the database is newer than this version, but compatible with it: ${difference.unknown.join(', ')}`)
  if (difference.missing.length === 0) return
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  await withMigrationLock(pool, onProgress, async () => {
    for (const name of (await compareSchema(pool, migrations)).missing) await runMigration(db, pool, migrations, name)
  })
}

/** `missing`: migrations of this version that have not run. `unknown`: migrations of a newer version that have run. */
export async function compareSchema(
  pool: Pick<pg.Pool, 'query'>,
  migrations: Migrations,
): Promise<{ missing: readonly string[]; unknown: readonly string[] }> {
  const executed = await executedMigrations(pool)
  const known = Object.keys(migrations).toSorted()
  return {
    missing: known.filter((name) => !executed.includes(name)),
    unknown: executed.filter((name) => !known.includes(name)),
  }
}

async function executedMigrations(pool: Pick<pg.Pool, 'query'>): Promise<readonly string[]> {
  try {
    const { rows } = await pool.query<{ name: string }>('select name from kysely_migration order by name')
    return rows.map(({ name }) => name)
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return []
    throw error
  }
}

/** Runs `work` with the lock of a separate connection. It polls: a waiting statement would block `create index concurrently`. */
async function withMigrationLock(pool: pg.Pool, onProgress: (text: string) => void, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  const until = elapsed() + LONGEST_WAIT_MS
  try {
    for (let hasWaited = false; !(await tryLock(client)); hasWaited = true) {
      if (!hasWaited) onProgress('another node is migrating the database: waiting until it has finished')
      if (elapsed() > until)
        throw new Error('another node has been migrating the database for 10 minutes: check that node, then start this one again')
      await sleep(POLL_MS)
    }
    await work()
  } finally {
    // Ends the session, which releases the lock.
    client.release(true)
  }
}

async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
  return rows[0]?.taken === true
}

async function runMigration(db: Kysely<unknown>, pool: pg.Pool, migrations: Migrations, name: string): Promise<void> {
  const migration = migrations[name]
  if (!migration) throw new Error(`there is no migration ${name}`)
  const inTransaction = migration.inTransaction !== false
  const limited = inTransaction ? { ...migration, up: withTableLockTimeout(migration.up) } : migration
  for (const until = elapsed() + LONGEST_TRY_MS; ; ) {
    const others = await placeholders(pool, name)
    const provider = { getMigrations: async () => ({ ...others, [name]: limited }) }
    const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true, disableTransactions: !inTransaction })
    const { error } = await migrator.migrateToLatest()
    if (!error) return
    const { code } = error as { code?: string }
    if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || elapsed() > until) throw error
    await sleep(PAUSE_MS)
  }
}

/** Empty migrations with the names of those that have run: Kysely refuses a database with unknown migrations. */
async function placeholders(pool: pg.Pool, except: string): Promise<Record<string, Migration>> {
  const executed = (await executedMigrations(pool)).filter((name) => name !== except)
  return Object.fromEntries(executed.map((name) => [name, { up: async () => {} }]))
}

const withTableLockTimeout =
  (up: Migration['up']): Migration['up'] =>
  async (db) => {
    await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(db)
    await up(db)
  }
