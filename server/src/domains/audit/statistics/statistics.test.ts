import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { type Counted, columnsOf, type Share, sharesOf } from '../../../../test/support/plain-usage.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { fromId, newId } from '../../../platform/lib/id.ts'
import { VERDICTS } from '../../../shared/decision.ts'
import { type Latency, readGroupLatencies, readLatency } from './read-latency.ts'
import { readGroupIntervals, readGroups, readIntervals, readTotals, sumOfUsage, type UsageCounts } from './read-usage.ts'
import { findWorkspacesToRollUp, removeOldRollUps, rollUpNewestRecords, rollUpNextRecords, rollUpRecords } from './roll-up.ts'
import { roundedTime, type UsageQuery } from './usage-query.ts'
import { DIMENSIONS, type Dimension } from './usage-sums.ts'

const START = Date.parse('2026-03-01T00:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const RECORDS = 6_000
/** A little more than three weeks. */
const SPACING = 323_000
const APPLICATIONS = [newId('app'), newId('app')]
const USERS = ['user one', 'user two', 'user three', '']

const attempts = fc.record(
  {
    provider: fc.constantFrom('one', 'two', 'three'),
    model: fc.constantFrom('small', 'large'),
    ms: fc.integer({ min: 0, max: 3_000 }),
    prompt_tokens: fc.integer({ min: 1, max: 500 }),
    cache_read_tokens: fc.integer({ min: 1, max: 50 }),
    completion_tokens: fc.integer({ min: 1, max: 500 }),
    reasoning_tokens: fc.integer({ min: 1, max: 50 }),
    cost: fc.integer({ min: 1, max: 1_000 }).map((thousandths) => thousandths / 1_000),
  },
  { requiredKeys: ['provider', 'model', 'ms'] },
)
const someRecords = fc.record<Counted>({
  application: fc.constantFrom(...APPLICATIONS, null),
  key: fc.constantFrom('key_a', 'key_b', ''),
  user: fc.constantFrom(...USERS),
  endpoint: fc.constantFrom('chat', 'chat', 'chat', 'message', 'admin'),
  verdict: fc.constantFrom(...VERDICTS, null),
  status: fc.constantFrom(200, 200, 200, 403, 502),
  duration: fc.integer({ min: 0, max: 9_000 }),
  attempts: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(attempts, { minLength: 1, maxLength: 3 }) },
  ),
  isUnreadable: fc.integer({ min: 0, max: 40 }).map((n) => n === 0),
})

describe.each(testDatabases())('statistics on $name', async ({ open }) => {
  const records: (Counted & { readonly at: number })[] = []
  const now = () => new Date((records.at(-1)?.at ?? START) + 1)
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const addRecords = async (count: number, seed: number) => {
    const first = records.length
    const added = fc
      .sample(someRecords, { numRuns: count, seed })
      .map((record, index) => ({ ...record, at: START + (first + index) * SPACING }))
    records.push(...added)
    for (let from = 0; from < added.length; from += 500) await insert(added.slice(from, from + 500), first + from)
    await database.db
      .updateTable('audit_head')
      .set({ sequence: records.length })
      .where('workspace_id', '=', fromId('ws', workspaceId) ?? '')
      .execute()
  }
  const insert = (some: typeof records, first: number) => {
    const rows = some.map((record, index) => ({
      sequence: first + index + 1,
      application: record.application && fromId('app', record.application),
      at: new Date(record.at).toISOString(),
      endpoint: record.endpoint,
      verdict: record.verdict,
      status: record.status,
      caller: record.user || null,
      duration: record.duration,
      ...columnsOf(record),
      body: record.isUnreadable
        ? '{"user":"\\u0000"}'
        : JSON.stringify({ ...(record.key && { key_id: record.key }), attempts: record.attempts }),
    }))
    return sql`
      insert into audit_record (id, workspace_id, application_id, sequence, created_at, endpoint, verdict, risk_level, status, user_hash,
        body, prev_hash, hash, duration_ms, tokens, cache_read_tokens, cost)
      select gen_random_uuid(), ${fromId('ws', workspaceId)}, application, sequence, at, endpoint, verdict, 'low', status, caller,
        body, '', '', duration, tokens, cached, cost
      from json_to_recordset(${JSON.stringify(rows)}::json) as row (sequence bigint, application uuid, at timestamptz, endpoint text,
        verdict text, status integer, caller text, duration float8, tokens integer, cached integer, cost float8, body text)`.execute(
      database.db,
    )
  }

  const expectEqual = async (query: UsageQuery, dimension: Dimension, seconds: number) => {
    const byUser = dimension === 'user' || query.userHashes !== undefined
    const rounded = roundedTime(query, byUser, now())
    const shares = sharesOf(records, rounded)
    expectCounts(await readTotals(database.db, rounded), sumOfUsage(shares))
    const intervals = await readIntervals(database.db, rounded, seconds)
    const start = ({ at }: Share) => Math.floor(at / seconds / 1_000) * seconds * 1_000
    expectMaps(intervals, Map.groupBy(shares, start))
    const groups = await readGroups(database.db, rounded, { dimension, order: 'tokens', limit: 100 })
    const byValue = Map.groupBy(shares, (share) => share[dimension])
    expectMaps(groups, byValue)
    const measures = [...groups.values()].map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)
    expect(measures).toEqual(measures.toSorted((a, b) => b - a))
    const values = [...groups.keys()].slice(0, 2)
    const grouped = await readGroupIntervals(database.db, rounded, { dimension, values, seconds })
    for (const value of values)
      expect(sumOfUsage([...(grouped.get(value)?.values() ?? [])]).requests).toBe(groups.get(value)?.requests)
  }

  const someQueries = fc.record(
    {
      from: fc.integer({ min: -2 * HOUR, max: 22 * DAY }),
      ms: fc.oneof(fc.integer({ min: 1, max: 3 * HOUR }), fc.integer({ min: 1, max: 24 * DAY })),
      applicationId: fc.constantFrom(...APPLICATIONS),
      keyIds: fc.constantFrom(['key_a'], [''], ['key_a', ''], []),
      provider: fc.constantFrom('one', ''),
      model: fc.constantFrom('small', ''),
      userHashes: fc.constantFrom([USERS[0] ?? ''], ['']),
      verdict: fc.constantFrom(...VERDICTS),
      dimension: fc.constantFrom(...DIMENSIONS),
      seconds: fc.constantFrom(3_600, 21_600, 86_400),
    },
    { requiredKeys: ['from', 'ms', 'dimension', 'seconds'] },
  )
  const expectEqualForSome = (runs: number, earliest = -2 * HOUR) =>
    fc.assert(
      fc.asyncProperty(someQueries, async ({ from, ms, dimension, seconds, ...filter }) => {
        const start = START + Math.max(from, earliest)
        await expectEqual({ workspaceId, from: new Date(start), to: new Date(start + ms), ...filter }, dimension, seconds)
      }),
      { numRuns: runs, seed: 15 },
    )
  const all = () => ({ workspaceId, from: new Date(START - HOUR), to: new Date(START + 40 * DAY) })

  await addRecords(RECORDS, 16)

  test('rollUpRecords: counts are those of the log, for any time, filters and grouping', { timeout: 120_000 }, async () => {
    expect(await findWorkspacesToRollUp(database.db)).toContain(workspaceId)
    expect(await rollUpNewestRecords(database.db, workspaceId, now())).toBe(RECORDS)
    await rollUpRecords(database.db, workspaceId, { now: now() })
    expect(await rollUpNewestRecords(database.db, workspaceId, now())).toBe(0)
    expect(await rollUpNextRecords(database.db, workspaceId, { now: now() })).toBe(RECORDS)
    expect(await findWorkspacesToRollUp(database.db)).not.toContain(workspaceId)
    await expectEqualForSome(80)
  })

  test('readLatency: percentiles are at most 5 % off, in all and by group', async () => {
    const shares = sharesOf(records, all()).filter(({ isLast }) => isLast)
    expectPercentiles(await readLatency(database.db, all()), shares)
    const oneModel = await readLatency(database.db, { ...all(), model: 'small' })
    expectPercentiles(
      oneModel,
      shares.filter(({ model }) => model === 'small'),
    )
    for (const dimension of ['application', 'provider', 'model'] as const) {
      const values = [...new Set(shares.map((share) => share[dimension]))].filter((value) => value !== '')
      const latencies = await readGroupLatencies(database.db, all(), dimension, values)
      for (const value of values)
        expectPercentiles(
          latencies?.get(value),
          shares.filter((share) => share[dimension] === value),
        )
    }
  })

  test('readLatency: undefined when several filters, a verdict, a key or a user are given', async () => {
    for (const filter of [
      { verdict: 'deny' },
      { keyIds: ['key_a'] },
      { userHashes: ['user one'] },
      { model: 'small', provider: 'one' },
    ] as const)
      expect(await readLatency(database.db, { ...all(), ...filter })).toBeUndefined()
    expect(await readGroupLatencies(database.db, { ...all(), model: 'small' }, 'provider', ['one'])).toBeUndefined()
    expect(await readGroupLatencies(database.db, all(), 'user', ['user one'])).toBeUndefined()
  })

  test('rollUpRecords: counts each record once when several nodes roll up while records are added', {
    timeout: 60_000,
  }, async () => {
    for (let round = 0; round < 5; round++) {
      const nodes = [1, 2, 3].map(() => rollUpRecords(database.db, workspaceId, { now: now() }))
      await Promise.all([addRecords(100, round), ...nodes, rollUpNewestRecords(database.db, workspaceId, now())])
    }
    await rollUpRecords(database.db, workspaceId, { now: now() })
    for (const dimension of DIMENSIONS) await expectEqual(all(), dimension, 86_400)
  })

  test('readTotals: another Workspace has no counts', async () => {
    const other = { ...all(), workspaceId: newId('ws') }
    expect((await readTotals(database.db, other)).requests).toBe(0)
    expect(await readLatency(database.db, other)).toMatchObject({ total: { p50Ms: null } })
  })

  test('removeOldRollUps: removes hours that ended before the time, and keeps the rest of their day', {
    timeout: 60_000,
  }, async () => {
    await removeOldRollUps(database.db, workspaceId, { before: new Date(START + 30.5 * HOUR), now: now() })
    const { rows } = await sql<{ first: Date }>`
      select min(at) as first from audit_usage_user where workspace_id = ${fromId('ws', workspaceId)} and span = 'hour'`.execute(
      database.db,
    )
    expect(rows[0]?.first).toEqual(new Date(START + 30 * HOUR))
    await expectEqualForSome(40, 30 * HOUR)
  })
})

function expectCounts(actual: UsageCounts | undefined, expected: UsageCounts) {
  const { cost, ...counts } = expected
  expect(actual).toMatchObject(counts)
  if (cost === null) expect(actual?.cost).toBeNull()
  else expect(actual?.cost).toBeCloseTo(cost, 6)
}

function expectMaps<K>(actual: ReadonlyMap<K, UsageCounts>, expected: ReadonlyMap<K, readonly Share[]>) {
  expect([...actual.keys()].toSorted()).toEqual([...expected.keys()].toSorted())
  for (const [key, shares] of expected) expectCounts(actual.get(key), sumOfUsage(shares))
}

function expectPercentiles(latency: Latency | undefined, shares: readonly Share[]) {
  const values = {
    total: shares.map(({ durationMs }) => durationMs),
    gateway: shares.map(({ gatewayMs }) => gatewayMs),
    provider: shares.flatMap(({ providersMs }) => providersMs ?? []),
  }
  for (const part of ['total', 'gateway', 'provider'] as const) {
    const sorted = values[part].toSorted((a, b) => a - b)
    for (const [name, share] of [
      ['p50Ms', 0.5],
      ['p95Ms', 0.95],
    ] as const) {
      const exact = Math.max(sorted[Math.ceil(sorted.length * share) - 1] ?? 0, 0.1)
      expect(Math.abs((latency?.[part][name] ?? 0) / exact - 1)).toBeLessThan(0.06)
    }
  }
}
