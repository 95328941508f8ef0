import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type pg from 'pg'
import { elapsed } from '../lib/clock.ts'

/** A migration of this project. */
export interface SchemaMigration extends Migration {
  /**
   * False for one that creates indexes `concurrently`, which PostgreSQL does not do in a transaction. It must be such that it
   * can be run again after it stopped half-way.
   */
  readonly inTransaction?: boolean
}

export type Migrations = Readonly<Record<string, SchemaMigration>>

export interface MigrateOptions {
  readonly migrations: Migrations
  /** Told of what the database has beyond this version, and of waiting. */
  readonly onProgress: (text: string) => void
}

/** PostgreSQL's codes: a table that is not there; a lock that could not be had in time; a deadlock. */
const UNDEFINED_TABLE = '42P01'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
/** Of pg_try_advisory_lock: one node migrates at a time. Arbitrary, and only used here. */
const LOCK = 7_241_015
const POLL_MS = 200
/** How long a start waits for another node that migrates, and how long a migration tries for a lock that traffic holds. */
const LONGEST_WAIT_MS = 600_000
const LONGEST_TRY_MS = 300_000
/** Whoever waits for the lock on a table makes everybody else wait behind it: so a migration waits this long, and tries again. */
const TABLE_LOCK_MS = 1_000
const PAUSE_MS = 1_000

/**
 * Runs the migrations that are missing, one node at a time. What a newer version has added to the schema is left alone: migrations
 * only expand it (CONTRIBUTING.md), so that this version works with it.
 */
export async function migrate(pool: pg.Pool, { migrations, onProgress }: MigrateOptions): Promise<void> {
  const found = await compareSchema(pool, migrations)
  if (found.unknown.length > 0)
    onProgress(`the schema of the database is newer than this version, which works with it: ${found.unknown.join(', ')}`)
  if (found.missing.length === 0) return
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  await alone(pool, onProgress, async () => {
    for (const name of (await compareSchema(pool, migrations)).missing) await runOne(db, pool, migrations, name)
  })
}

/** `missing`: what this version needs and the database lacks. `unknown`: what a newer version has run. */
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

/** Holds the lock on a connection of its own, and asks for it again and again: one that waits in the database would keep indexes from being built. */
async function alone(pool: pg.Pool, onProgress: (text: string) => void, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  const until = elapsed() + LONGEST_WAIT_MS
  try {
    for (let waited = false; !(await takesLock(client)); waited = true) {
      if (!waited) onProgress('another node brings the schema of the database up to date: waiting for it')
      if (elapsed() > until)
        throw new Error('another node has been migrating the database for 10 minutes: look after it, and start again')
      await sleep(POLL_MS)
    }
    await work()
  } finally {
    // Ends the session, and with it the lock.
    client.release(true)
  }
}

async function takesLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
  return rows[0]?.taken === true
}

async function runOne(db: Kysely<unknown>, pool: pg.Pool, migrations: Migrations, name: string): Promise<void> {
  const migration = migrations[name]
  if (!migration) throw new Error(`there is no migration ${name}`)
  const inTransaction = migration.inTransaction !== false
  const timed = inTransaction ? { ...migration, up: impatient(migration.up) } : migration
  for (const until = elapsed() + LONGEST_TRY_MS; ; ) {
    const others = await placeholders(pool, name)
    const provider = { getMigrations: async () => ({ ...others, [name]: timed }) }
    const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true, disableTransactions: !inTransaction })
    const { error } = await migrator.migrateToLatest()
    if (!error) return
    const { code } = error as { code?: string }
    if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || elapsed() > until) throw error
    await sleep(PAUSE_MS)
  }
}

/** What has run already, by name alone: Kysely refuses a database with migrations that it is not given. */
async function placeholders(pool: pg.Pool, except: string): Promise<Record<string, Migration>> {
  const executed = (await executedMigrations(pool)).filter((name) => name !== except)
  return Object.fromEntries(executed.map((name) => [name, { up: async () => {} }]))
}

const impatient =
  (up: Migration['up']): Migration['up'] =>
  async (db) => {
    await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_MS)}`.execute(db)
    await up(db)
  }
