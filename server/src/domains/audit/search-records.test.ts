import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { type RecordFilter, searchRecords } from './search-records.ts'

const RECORDS = 20_500
const APPLICATION = newId('app')

/** Every second record is denied, and the others have the risk `high`, so that no record has both. One denied record is of APPLICATION. */
describe.each(freshDatabases())('searchRecords on $name', async ({ open }) => {
  const { database, remove } = await open()
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  await sql`
    insert into audit_record
      (id, workspace_id, application_id, sequence, created_at, endpoint, verdict, risk_level, status, body, prev_hash, hash, duration_ms, tokens)
    select ('0190' || substr(md5(n::text), 5))::uuid, ${fromId('ws', workspaceId)},
      case when n = 2 then ${fromId('app', APPLICATION)}::uuid end, n, now(), 'chat',
      case when n % 2 = 0 then 'deny' else 'allow' end, case when n % 2 = 0 then 'low' else 'high' end,
      case when n % 4000 = 0 then 500 + n / 4000 else 200 end, json_build_object('sequence', n)::text, '', '', 1, 1
    from generate_series(1, ${sql.lit(RECORDS)}) as n`.execute(database.db)
  await sql`analyze audit_record`.execute(database.db)
  afterAll(() => remove())

  const search = (filter: Partial<RecordFilter>) => searchRecords(database.db, workspaceId, { limit: 10, ...filter })
  const sequencesOf = (page: Awaited<ReturnType<typeof search>>) =>
    page.data.map((record) => (record as unknown as { sequence: number }).sequence)

  test('returns a short page that names the next one when the first 10,000 records of a filter lack the others [GW-AUD-14]', async () => {
    const first = await search({ verdicts: ['deny'], endpoint: 'chat', riskLevel: 'high' })
    expect(first).toEqual({ data: [], hasMore: true, end: RECORDS - 1 - 2 * 9_999 })
    const last = await search({ verdicts: ['deny'], endpoint: 'chat', riskLevel: 'high', below: first.end ?? 0 })
    expect(last).toEqual({ data: [], hasMore: false, end: undefined })
  })

  test('finds the only record with two filters by following a short page', async () => {
    const filter = { verdicts: ['deny'], applicationId: APPLICATION } as const
    const first = await search(filter)
    expect([sequencesOf(first), first.hasMore]).toEqual([[], true])
    const last = await search({ ...filter, below: first.end ?? 0 })
    expect([sequencesOf(last), last.hasMore]).toEqual([[2], false])
  })

  test('merges the records of all statuses of a class, newest first, also over pages', async () => {
    const status = { from: 500, to: 599 }
    const first = await search({ status, limit: 3 })
    expect([sequencesOf(first), first.hasMore]).toEqual([[20_000, 16_000, 12_000], true])
    const second = await search({ status, limit: 3, below: first.end ?? 0 })
    expect([sequencesOf(second), second.hasMore]).toEqual([[8_000, 4_000], false])
    expect((await search({ status: { from: 400, to: 499 } })).data).toEqual([])
  })
})
