import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Database } from '../../db/database.ts'
import { fromId, newId } from '../../lib/id.ts'
import { ALL_APPLICATIONS } from './record-counts.ts'
import { findWorkspacesToRollUp, removeOldRollUps, rollUpNextRecords } from './roll-up.ts'
import { countRequests, type RequestCounts, type StatisticsQuery } from './statistics.ts'

const START = Date.parse('2026-03-01T00:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const RECORDS = 6_000

describe.each(testDatabases())('statistics on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  const applications = [newId('app'), newId('app')]
  beforeAll(async () => {
    database = await open()
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    await addRecords(1, RECORDS)
  })
  afterAll(() => database.close())

  /** Records over three days, of two Applications and of messages, with every verdict, some failures, costs and operators' changes. */
  const addRecords = async (from: number, to: number) => {
    const [one, two] = applications.map((id) => fromId('app', id))
    await sql`
      insert into audit_record (id, workspace_id, application_id, sequence, created_at, endpoint, verdict, risk_level, status, body,
        prev_hash, hash, duration_ms, tokens, cache_read_tokens, cost)
      select gen_random_uuid(), ${fromId('ws', workspaceId)}, (array[${one}, ${two}, null]::uuid[])[n % 3 + 1], n,
        ${new Date(START)}::timestamptz + n * interval '41 seconds', case when n % 17 = 0 then 'admin' else 'chat' end,
        (array['allow', 'escalate', 'require_approval', 'deny', null])[n % 5 + 1], 'low', case when n % 7 = 0 then 502 else 200 end,
        '{}', '', '', n % 900 + 0.05, n % 50, case when n % 11 = 0 then 3 end, case when n % 4 = 0 then n * 0.01 end
      from generate_series(${from}::int, ${to}::int) as n`.execute(database.db)
    await database.db
      .updateTable('audit_head')
      .set({ sequence: to })
      .where('workspace_id', '=', fromId('ws', workspaceId) ?? '')
      .execute()
  }

  /** The same counts in one plain query; latencies are left out. */
  const countPlainly = async ({ applicationId, from, to }: StatisticsQuery) => {
    const { rows } = await sql<Record<string, number | null>>`
      select count(*)::int as requests, count(*) filter (where verdict = 'allow')::int as allow,
        count(*) filter (where verdict = 'escalate')::int as escalate,
        count(*) filter (where verdict = 'require_approval')::int as require_approval,
        count(*) filter (where verdict = 'deny')::int as deny,
        count(*) filter (where status >= 400 and (verdict is null or verdict in ('allow', 'escalate')))::int as errors,
        coalesce(sum(tokens), 0)::int as tokens, coalesce(sum(cache_read_tokens), 0)::int as cached, sum(cost) as cost,
        percentile_cont(0.5) within group (order by duration_ms) as p50
      from audit_record where workspace_id = ${fromId('ws', workspaceId)} and endpoint <> 'admin'
        and created_at >= ${from} and created_at < ${to}
        and (${applicationId ?? null}::text is null or application_id = ${applicationId ? fromId('app', applicationId) : null}::uuid)`.execute(
      database.db,
    )
    return rows[0] ?? {}
  }
  const flat = ({ requests, verdicts, errors, tokens, cachedTokens }: RequestCounts) => ({
    requests,
    ...verdicts,
    errors,
    tokens,
    cached: cachedTokens,
  })
  const expectEqual = async (query: StatisticsQuery, seconds: number) => {
    const { totals, intervals } = await countRequests(database.db, query, seconds)
    const { cost, p50, ...counts } = await countPlainly(query)
    expect(flat(totals)).toEqual(counts)
    if (cost == null) expect(totals.cost).toBeNull()
    else expect(totals.cost).toBeCloseTo(cost, 6)
    const inIntervals = [...intervals.values()].reduce((sum, { requests }) => sum + requests, 0)
    expect(inIntervals).toBe(totals.requests)
    // Few records have gaps between their durations, in which a percentile may lie anywhere.
    if (totals.requests > 500) expect(Math.abs((totals.p50Ms ?? 0) / Number(p50) - 1)).toBeLessThan(0.1)
  }
  const someQueries = () =>
    fc.record({
      from: fc.integer({ min: -2 * HOUR, max: 3 * DAY }),
      ms: fc.oneof(fc.integer({ min: 1, max: 3 * HOUR }), fc.integer({ min: 1, max: 4 * DAY })),
      application: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
      seconds: fc.constantFrom(300, 3_600, 21_600, 86_400),
    })
  const expectEqualForSome = (runs: number) =>
    fc.assert(
      fc.asyncProperty(someQueries(), async ({ from, ms, application, seconds }) => {
        const applicationId = application === undefined ? undefined : applications[application]
        const time = { from: new Date(START + from), to: new Date(START + from + ms) }
        await expectEqual({ workspaceId, ...time, ...(applicationId !== undefined && { applicationId }) }, seconds)
      }),
      { numRuns: runs, seed: 15 },
    )

  test('countRequests: counts all records when none, some and all of them are rolled up', { timeout: 60_000 }, async () => {
    await expectEqualForSome(15)
    expect(await findWorkspacesToRollUp(database.db)).toContain(workspaceId)
    expect(await rollUpNextRecords(database.db, workspaceId)).toBe(true)
    await expectEqualForSome(40)
    expect(await rollUpNextRecords(database.db, workspaceId)).toBe(false)
    expect(await findWorkspacesToRollUp(database.db)).not.toContain(workspaceId)
    await expectEqualForSome(40)
  })

  test('rollUpNextRecords: counts each record once when several nodes roll up while records are added', {
    timeout: 60_000,
  }, async () => {
    for (let round = 0; round < 5; round++) {
      const from = RECORDS + round * 100 + 1
      await Promise.all([addRecords(from, from + 99), ...[1, 2, 3].map(() => rollUpNextRecords(database.db, workspaceId))])
    }
    while (await rollUpNextRecords(database.db, workspaceId));
    const all = { workspaceId, from: new Date(START - HOUR), to: new Date(START + 10 * DAY) }
    await expectEqual(all, 86_400)
    const { rows } = await sql<{ sum: number }>`
      select sum(requests)::int as sum from audit_rollup
      where workspace_id = ${fromId('ws', workspaceId)} and application_id = ${ALL_APPLICATIONS}`.execute(database.db)
    expect(rows[0]?.sum).toBe((await countPlainly(all)).requests)
  })

  test('removeOldRollUps: removes the hours that ended before the time', async () => {
    await removeOldRollUps(database.db, workspaceId, new Date(START + 10.5 * HOUR))
    const { rows } = await sql<{ first: Date }>`
      select min(hour) as first from audit_rollup where workspace_id = ${fromId('ws', workspaceId)}`.execute(database.db)
    expect(rows[0]?.first).toEqual(new Date(START + 10 * HOUR))
  })
})
