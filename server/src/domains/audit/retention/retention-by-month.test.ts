import { describe, expect, test } from 'vitest'
import { type AuditLogFixture, afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { freshDatabases } from '../../../../test/support/fresh-database.ts'
import { countWaitingFor } from '../../../../test/support/lock-waits.ts'
import { LOCK_CHAIN_END } from '../chain/append-statement.ts'
import type { Retention } from './retention.ts'
import { emptyExpiredMonths, findLongestWait } from './retention-by-month.ts'

const DAY = 86_400_000
/** The first partition is over then. */
const NOW = afterSigning(800 * DAY)

describe.each(freshDatabases())('retention by month on $name', ({ name, open }) => {
  const log = useAuditLog(open)
  const fill = async (log: AuditLogFixture, days: number) => {
    for (let day = 0; day < days; day++) {
      await log.append(3, { created_at: afterSigning(day * DAY).toISOString() })
      await log.sign(afterSigning(day * DAY))
    }
  }
  const empty = (logs: readonly AuditLogFixture[], change: Partial<Retention> = {}) =>
    emptyExpiredMonths(log().db, {
      findRetention: async (id) => {
        const own = logs.find(({ workspaceId }) => workspaceId === id)
        return own && { before: afterSigning(30 * DAY), keys: own.keys, ...change }
      },
      now: NOW,
    })
  const verifyAll = (logs: readonly AuditLogFixture[]) => Promise.all(logs.map((log) => log.verify()))

  test('emptyExpiredMonths: empties the partition when its records have expired for every Workspace, and each log verifies', async () => {
    const logs = [log(), await log().createOther()]
    for (const [index, each] of logs.entries()) await fill(each, 3 + index)
    expect(await empty(logs)).toEqual(['audit_record_before'])
    expect(await verifyAll(logs)).toMatchObject([
      { ok: true, first: 10, records: 1 },
      { ok: true, first: 13, records: 1 },
    ])
    await fill(log(), 1)
    expect(await log().verify()).toMatchObject({ ok: true, first: 10, records: 4 })
  })

  test.each<[string, (logs: AuditLogFixture[]) => Promise<string[]>]>([
    ['is not expired in one Workspace', (logs) => empty(logs, { before: afterSigning(2 * DAY) })],
    ['belongs to a Workspace that keeps its records', (logs) => empty(logs.slice(1))],
    ['is not in the archive yet', (logs) => empty(logs, { archived: 8 })],
  ])('emptyExpiredMonths: removes nothing when a record %s', async (_, run) => {
    const logs = [log(), await log().createOther()]
    for (const each of logs) await fill(each, 4)
    expect(await run(logs)).toEqual([])
    expect(await verifyAll(logs)).toMatchObject([
      { ok: true, first: 1, records: 12 },
      { ok: true, first: 1, records: 12 },
    ])
    await emptyDatabase()
  })

  test('emptyExpiredMonths: removes nothing when a log was tampered with', async () => {
    await emptyDatabase()
    await fill(log(), 3)
    await log()
      .db.updateTable('audit_record')
      .set({ hash: Buffer.alloc(32) })
      .where('sequence', '=', 9)
      .execute()
    await expect(empty([log()])).rejects.toThrow('was tampered with')
    expect(await log().db.selectFrom('audit_record').select('id').execute()).toHaveLength(9)
  })

  test.runIf(name === 'postgresql')('emptyExpiredMonths: blocks no append whose lock it waits for', async () => {
    await emptyDatabase()
    await fill(log(), 3)
    const { pool } = log().database
    const appending = await pool.connect()
    try {
      await appending.query('begin')
      await appending.query(LOCK_CHAIN_END, [log().intruder.workspace])
      const emptied = emptyUntilDone()
      await expect.poll(() => countWaitingFor(pool, appending)).toBe(1)
      await appending.query('set local lock_timeout = 100')
      await appending.query('select hash from audit_record where workspace_id = $1 and sequence = 9', [log().intruder.workspace])
      await appending.query('commit')
      expect(await emptied).toEqual(['audit_record_before'])
    } finally {
      appending.release(true)
    }
    expect(await log().verify()).toMatchObject({ ok: true, first: 10, records: 1 })
  })

  /** An attempt waits for locks for 0.5 s. */
  const emptyUntilDone = async (): Promise<string[]> => {
    for (;;) {
      const emptied = await empty([log()]).catch((error: { code?: string }) => {
        if (error.code !== '55P03') throw error
      })
      if (emptied) return emptied
    }
  }

  test('findLongestWait: a month when a partition has many records, else none', async () => {
    await log().append(20)
    await log().database.pool.query('analyze audit_record_before')
    expect(await findLongestWait(log().db, 10)).toBe(32 * DAY)
    expect(await findLongestWait(log().db)).toBe(0)
  })

  const emptyDatabase = () => log().database.pool.query('delete from audit_record')
})
