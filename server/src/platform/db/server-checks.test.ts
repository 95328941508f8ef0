import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { OLDEST_POSTGRESQL, requireServerVersion, warnAboutConnectionLimit } from './server-checks.ts'

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

  test('retrieval_list: postings are stored plain, so that they stay in their row', async () => {
    const { pool } = await open()
    const { rows } = await pool.query(
      `select attstorage from pg_attribute where attrelid = 'retrieval_list'::regclass and attname = 'postings'`,
    )
    expect(rows).toEqual([{ attstorage: 'p' }])
  })
})

test.each([
  [{ poolSize: 5, processes: 8 }, 56, 0],
  [{ poolSize: 5, processes: 8 }, 55, 1],
  [{ poolSize: 10, processes: 1 }, 12, 0],
])('connection limit: %o with %i admitted connections gives %i warnings', async (sizes, admitted, expected) => {
  const warnings: unknown[] = []
  const probe = { query: async () => ({ rows: [{ admitted }] }) } as never
  await warnAboutConnectionLimit({ ...sizes, probe, log: { warn: (values: unknown) => void warnings.push(values) } as never })
  expect(warnings).toEqual(expected === 0 ? [] : [{ connections: (sizes.poolSize + 2) * sizes.processes, admitted }])
})
