import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { seedWorkspace } from '../../test/support/seed.ts'
import { type RecordFilter, searchRecords } from '../audit/audit-store.ts'
import { elapsed } from '../lib/clock.ts'
import { fromId } from '../lib/id.ts'
import type { Database } from './database.ts'
import { buildDeferredIndexes } from './deferred-indexes.ts'

const RECORDS = 40_000
const NAMES = [
  'audit_record_status',
  'audit_record_cache_read',
  'audit_record_risk',
  'audit_record_endpoint',
  'memory_item_mode',
  'webhook_delivery_state',
]

describe.each(testDatabases())('deferred indexes on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  beforeAll(async () => {
    database = await open()
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    await sql`
      insert into audit_record
        (id, workspace_id, sequence, created_at, endpoint, verdict, risk_level, status, body, prev_hash, hash, duration_ms, tokens)
      select gen_random_uuid(), ${fromId('ws', workspaceId)}, n, now(), 'chat', 'allow', 'low', 200,
        json_build_object('text', repeat('x', 1000))::text, '', '', 1, 1
      from generate_series(1, ${sql.lit(RECORDS)}) as n`.execute(database.db)
    await sql`analyze audit_record`.execute(database.db)
  })
  afterAll(() => database.close())

  const listValidIndexes = async () => {
    const { rows } = await database.pool.query(
      'select relname from pg_index join pg_class on pg_class.oid = indexrelid where indisvalid and relname = any($1) order by 1',
      [NAMES],
    )
    return rows.map(({ relname }) => relname)
  }
  const measureFastest = async (filter: Partial<RecordFilter>) => {
    let fastest = Number.POSITIVE_INFINITY
    for (let time = 0; time < 8; time++) {
      const start = elapsed()
      await searchRecords(database.db, workspaceId, { ...filter, limit: 50 })
      fastest = Math.min(fastest, elapsed() - start)
    }
    return fastest
  }

  test('buildDeferredIndexes: builds missing indexes, and migrations build all when the database is empty', async () => {
    expect(await listValidIndexes()).toEqual(NAMES.toSorted())
    await database.pool.query('drop index audit_record_status, audit_record_cache_read, webhook_delivery_state')
    await Promise.all([buildDeferredIndexes(database), buildDeferredIndexes(database)])
    await buildDeferredIndexes(database)
    expect(await listValidIndexes()).toEqual(NAMES.toSorted())
  })

  test.each<[string, Partial<RecordFilter>]>([
    ['status', { status: { from: 504, to: 504 } }],
    ['a range of statuses', { status: { from: 500, to: 599 } }],
    ['verdict', { verdict: 'escalate' }],
    ['risk level', { riskLevel: 'critical' }],
    ['endpoint', { endpoint: 'models' }],
    ['user', { userHashes: ['unknown'] }],
  ])('searchRecords: takes at most four times as long as a page when no record has the %s', async (_, filter) => {
    const page = await measureFastest({})
    // A scan of 40,000 records takes more than twenty times as long as a page.
    expect(await measureFastest(filter)).toBeLessThan(4 * page)
  })
})
