import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { OLDEST_POSTGRESQL, requireServerVersion } from './server-version.ts'

describe.each(testDatabases())('server version on $name', ({ open }) => {
  test('requireServerVersion: passes when the server is new enough', async () => {
    const { pool } = await open()
    await expect(requireServerVersion(pool)).resolves.toBeUndefined()
  })

  test('requireServerVersion: names both versions and what to do when the server is too old', async () => {
    const { pool } = await open()
    await expect(requireServerVersion(pool, 99)).rejects.toThrow(
      /^DATABASE_URL names a PostgreSQL \d+\.\d+, which is too old: Gatehouse needs PostgreSQL 99 or later\. Upgrade/,
    )
  })

  test('OLDEST_POSTGRESQL: is the version that the documents name', async () => {
    expect(OLDEST_POSTGRESQL).toBe(15)
  })

  test('retrieval_posting: postings are stored plain, so that they stay in their row', async () => {
    const { pool } = await open()
    const { rows } = await pool.query(
      `select attstorage from pg_attribute where attrelid = 'retrieval_posting'::regclass and attname = 'postings'`,
    )
    expect(rows).toEqual([{ attstorage: 'p' }])
  })
})
