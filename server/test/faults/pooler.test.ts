import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/platform/db/database.ts'
import { postgresUrl } from '../support/database.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { poolerUrl, throughPooler } from '../support/pooler.ts'

const url = postgresUrl()
const quiet = { dataDir: '', poolSize: 8, onError: () => {}, onProgress: () => {} }
const LIMITS = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('jit') as jit, pg_sleep(0.05)`

/** Needs TEST_DATABASE_URL, and TEST_POOLER_URL: a PgBouncer in transaction mode in front of it (docs/high-availability.md). */
describe.skipIf(url === null || !poolerUrl())('a pooler in transaction mode', () => {
  let own: Awaited<ReturnType<typeof createOwnDatabase>>
  let database: Database
  let pooled: string
  beforeAll(async () => {
    own = await createOwnDatabase(url ?? '')
    pooled = throughPooler(own.url).DATABASE_URL ?? ''
    database = await openDatabase({ ...quiet, url: pooled, sessionUrl: own.url })
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
  })

  test('pooler: the start is refused when the URL for sessions is missing or leads through it as well', async () => {
    await expect(openDatabase({ ...quiet, url: pooled })).rejects.toThrow(/^DATABASE_URL leads through a pooler/)
    await expect(openDatabase({ ...quiet, url: pooled, sessionUrl: pooled })).rejects.toThrow(
      /^GATEHOUSE_DATABASE_SESSION_URL leads/,
    )
  })

  test('pooler: all of its connections have the time limits', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => database.pool.query(LIMITS)))
    for (const { rows } of results) expect(rows[0]).toMatchObject({ statement: '10s', lock: '5s', idle: '2s', jit: 'off' })
  })

  test('pooler: notifications arrive, because they are received without it', async () => {
    const other = await openDatabase({ ...quiet, url: pooled, sessionUrl: own.url })
    const received = new Promise((resolve) => other.signal.subscribe('policies', resolve))
    await database.signal.publish('policies', 'ws_1')
    expect(await received).toBe('ws_1')
    await other.close()
  })

  test('pooler: prepared statements work on every connection, also after a migration has added a column', async () => {
    const client = new pg.Client({ connectionString: own.url })
    await client.connect()
    await client.query('create table example (id int)')
    const select = () =>
      database.db
        .selectFrom('example' as never)
        .selectAll()
        .where('id' as never, '>', 0 as never)
        .execute()
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 8 }, select))
    await client.query('alter table example add column more text')
    for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 8 }, select))
    await client.end()
    expect(await select()).toEqual([])
  })
})
