import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Migrations, migrate } from '../../src/platform/db/migrate.ts'
import { LAST_OF_FIRST_SCHEMA } from '../../src/platform/db/migrations/expand-only.ts'
import { MIGRATIONS } from '../../src/platform/db/migrations/index.ts'
import { postgresUrl } from '../support/database.ts'
import { fillLargeTables, inspected, startTraffic, tableFiles } from '../support/migration-locks.ts'
import { createOwnDatabase } from '../support/own-database.ts'

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
    await migrate(pool, executed, () => {}).finally(async () =>
      problems.push(...(await traffic.stop())),
    )
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
    ['9002', 'alter table audit_record add column x float default random()', 'rewrites audit_record_before under a lock'],
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
