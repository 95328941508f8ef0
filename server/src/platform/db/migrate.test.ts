import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type FreshDatabase, separateDatabases } from '../../../test/support/fresh-database.ts'
import { compareSchema, type Migrations, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'

const NEXT: Migrations = {
  ...MIGRATIONS,
  '9999-next': { up: async (db) => void (await sql`alter table workspace add column next_version text`.execute(db)) },
}

const WAIT = { timeout: 20_000, interval: 20 }

/** Number of sessions that wait for an exclusive lock of the table. */
async function waitingForTable(pool: pg.Pool): Promise<{ count: number }> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer as count from pg_locks where not granted and mode = 'AccessExclusiveLock' and relation = 'workspace'::regclass",
  )
  return rows[0] ?? { count: 0 }
}

let fresh: FreshDatabase | undefined
afterEach(async () => {
  await fresh?.remove()
  fresh = undefined
})

describe.each(separateDatabases())('migrate on $name', { timeout: 120_000 }, ({ name, open }) => {
  const opened = async () => {
    fresh = await open()
    const { options } = fresh.database.pool
    const messages: string[] = []
    const run = async (migrations: Migrations) => {
      const migrationPool = new pg.Pool({ ...options, max: 2 })
      await migrate(migrationPool, migrations, (text) => messages.push(text)).finally(() => migrationPool.end())
    }
    return { pool: fresh.database.pool, run, messages }
  }

  test('migrate: reports and accepts a schema with an unknown migration of a newer version', async () => {
    const { pool, run, messages } = await opened()
    await run(NEXT)
    expect(await compareSchema(pool, MIGRATIONS)).toEqual({ missing: [], unknown: ['9999-next'] })
    await run(MIGRATIONS)
    expect(messages.join()).toContain('newer than this version')
    expect(messages.join()).toContain('9999-next')
  })
  test('migrate: refuses a database that a commit before the first release has created', async () => {
    const { pool, run } = await opened()
    await pool.query("update kysely_migration set name = '0001-gateway' where name = '0001-identity'")
    await expect(run(MIGRATIONS)).rejects.toThrow('use an empty database')
  })
  test('migrate: runs a missing migration when the schema has an unknown one', async () => {
    const { pool, run } = await opened()
    await run(NEXT)
    const late = { up: async (db: never) => void (await sql`create table late (id integer)`.execute(db)) }
    await run({ ...MIGRATIONS, '9000-late': late })
    expect((await pool.query('select count(*)::integer as count from late')).rows).toEqual([{ count: 0 }])
  })
  test('migrate: runs each migration once when nodes start together', async () => {
    const { pool, run } = await opened()
    await Promise.all([run(NEXT), run(NEXT), run(NEXT)])
    expect((await compareSchema(pool, NEXT)).missing).toEqual([])
  })
  test.skipIf(name === 'embedded')(
    'migrate: other statements continue when it waits for a table that a long transaction uses',
    async () => {
      const { pool, run } = await opened()
      const reader = await pool.connect()
      await reader.query('set idle_in_transaction_session_timeout = 0')
      await reader.query('begin')
      await reader.query('select count(*) from workspace')
      let queries = 0
      let running = true
      const traffic = (async () => {
        while (running) {
          await pool.query('select count(*) from workspace')
          queries += 1
          await sleep(20)
        }
      })()
      const migrated = run(NEXT)
      // One attempt to lock the table takes a second. Between two attempts the other statements run.
      for (let attempt = 0; attempt < 2; attempt++) {
        await vi.waitFor(async () => expect((await waitingForTable(pool)).count).toBe(1), WAIT)
        const before = queries
        await vi.waitFor(() => expect(queries).toBeGreaterThan(before + 1), WAIT)
      }
      expect((await compareSchema(pool, NEXT)).missing).toEqual(['9999-next'])
      await reader.query('commit')
      reader.release(true)
      await migrated
      running = false
      await traffic
      expect((await compareSchema(pool, NEXT)).missing).toEqual([])
    },
  )
})
