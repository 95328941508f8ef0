import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { mostRows } from '../../../../test/support/after-rows.ts'
import { testDraft } from '../../../../test/support/audit.ts'
import { useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { RecentRecords } from './counted-record.ts'
import { rollUpNextRecords, rollUpRecords, STEP } from './roll-up.ts'

const NOW = new Date('2026-01-02T04:00:00.000Z')
const TABLES = ['audit_usage', 'audit_usage_user', 'audit_usage_value']
/** Most rows that one record adds to: three, two and eighteen. */
const ROWS_OF_RECORD = 23
const VERDICT = { transforms: [], directives: [], rules: [] }

describe.each(testDatabases())('steps of the roll-up on $name', ({ open }) => {
  const log = useAuditLog(open)
  const workspace = () => uuidOf('ws', log().workspaceId)
  const countsOf = async () => {
    const rows = TABLES.map(async (table) => {
      const query = sql<{ row: string }>`select (to_jsonb(counts) - 'workspace_id')::text as row
        from ${sql.table(table)} as counts where workspace_id = ${workspace()} order by 1`
      return (await query.execute(log().db)).rows.map(({ row }) => row)
    })
    return Promise.all(rows)
  }
  const forgetCounts = async () => {
    for (const table of [...TABLES, 'audit_usage_position'])
      await sql`delete from ${sql.table(table)} where workspace_id = ${workspace()}`.execute(log().db)
  }
  /** Requests of different users, verdicts and models, with and without attempts, and some changes of operators. */
  const draft = (n: number) => {
    const attempt = { provider: 'one', model: `model ${n % 3}`, status: 200, outcome: 'ok', ms: n, completion_tokens: n }
    return testDraft(log().workspaceId, {
      ...(n % 10 === 3 && { endpoint: 'admin', application_id: null }),
      ...(n % 4 !== 0 && { decision: { ...VERDICT, verdict: n % 2 === 0 ? 'deny' : 'allow' } }),
      ...(n % 7 === 0 && { key_id: 'key_a', status: 502 }),
      // Sums of these are exact in any order.
      duration_ms: 812.5,
      user: { id: n % 5 === 0 ? null : `user ${n % 6}`, verified: true, role: '', department: '' },
      attempts: n % 3 === 0 ? [] : n % 3 === 1 ? [attempt] : [{ ...attempt, provider: 'two', cost: n / 1_024 }, attempt],
    })
  }

  test('rollUpNextRecords: a step reads at most 200 records and adds to about 400 rows, however many records and users there are', async () => {
    await log().append(STEP.recordsRead + 50)
    expect(await mostRows(log().db, (db) => rollUpNextRecords(db, log().workspaceId, { now: NOW }))).toBe(STEP.recordsRead)
    expect(await rollUpNextRecords(log().db, log().workspaceId, { now: NOW })).toBe(STEP.recordsRead + 50)

    await forgetCounts()
    const users = Array.from({ length: 150 }, (_, index) => log().append(1, { user: { ...draft(1).user, id: `user ${index}` } }))
    await Promise.all(users)
    await rollUpNextRecords(log().db, log().workspaceId, { now: NOW })
    await rollUpNextRecords(log().db, log().workspaceId, { now: NOW })
    const rows = (await countsOf()).flat().length
    expect(rows).toBeGreaterThan(STEP.rowsWritten / 2)
    expect(rows).toBeLessThanOrEqual(2 * (STEP.rowsWritten + ROWS_OF_RECORD))
  })

  test('rollUpRecords: counts are the same from memory, from the log, and from both when some records are not in memory', async () => {
    const recent = new RecentRecords()
    const writer = log().writer({ onCommit: (records) => recent.add(records) })
    for (let n = 0; n < 120; n++) {
      // A record of a transaction is not in memory.
      if (n % 8 === 0) await log().append(1, draft(n))
      else await writer.append(log().workspaceId, draft(n))
    }
    const taken = recent.take().get(log().workspaceId)
    expect(taken?.size).toBe(105)
    const read = await mostRows(log().db, (db) => rollUpRecords(db, log().workspaceId, { now: NOW, recent: taken }))
    expect(read).toBe(15)
    const fromMemory = await countsOf()
    await forgetCounts()
    await rollUpRecords(log().db, log().workspaceId, { now: NOW })
    expect(fromMemory.flat().length).toBeGreaterThan(20)
    expect(await countsOf()).toEqual(fromMemory)
    expect(recent.take().size).toBe(0)
  })

  test('rollUpRecords: continues at the stored position when the process was killed and its memory is lost', async () => {
    const recent = new RecentRecords()
    const writer = log().writer({ onCommit: (records) => recent.add(records) })
    const append = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, index) => writer.append(log().workspaceId, draft(from + index))))
    await append(0, 30)
    const taken = recent.take().get(log().workspaceId)
    await rollUpRecords(log().db, log().workspaceId, { now: NOW, recent: taken })
    await append(30, 60)
    await rollUpRecords(log().db, log().workspaceId, { now: NOW })
    // Another node that still has the first records does not count them again.
    await rollUpRecords(log().db, log().workspaceId, { now: NOW, recent: taken })
    const counts = await countsOf()
    await forgetCounts()
    await rollUpRecords(log().db, log().workspaceId, { now: NOW })
    expect(await countsOf()).toEqual(counts)
  })

  test('RecentRecords: keeps no more than its limit when no job takes the records', async () => {
    const recent = new RecentRecords(10)
    const writer = log().writer({ onCommit: (records) => recent.add(records) })
    for (let n = 0; n < 15; n++) await writer.append(log().workspaceId, log().draft())
    expect(recent.take().get(log().workspaceId)?.size).toBe(10)
  })
})
