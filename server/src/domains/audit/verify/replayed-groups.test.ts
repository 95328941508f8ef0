import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { afterSigning, SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { separateDatabases } from '../../../../test/support/fresh-database.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import type { StoredRecord } from '../audit-store.ts'
import { resumeSigning } from '../checkpoints/resume-signing.ts'
import { pruneRecords } from '../retention/retention.ts'

const DAY = 86_400_000
const NOW = afterSigning(500 * DAY)

/** Records 1 to 8 are a group of one node, 9 to 12 of another, 13 to 16 of the first again. A checkpoint covers 8, another 12. */
describe.each(testDatabases())('copies of groups, on $name', ({ open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [8, 4, 4] })
  const rowsOf = async (from: number, to: number): Promise<StoredRecord[]> =>
    (await log().intruder.rows()).filter(({ sequence }) => sequence >= from && sequence <= to)
  const prune = () => pruneRecords(log().db, log().workspaceId, { before: afterSigning(2 * DAY), keys: log().keys, now: NOW })

  async function expectFault(fault: object): Promise<void> {
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: fault })
    await expect(log().sign(NOW)).rejects.toThrow('tampered with')
  }

  test('intact log: verifies and is signed after retention has removed the records behind which nodes seal', async () => {
    await log().sign()
    expect(await prune()).toBe(16)
    // Both nodes know only records that do not exist any more.
    await log().append(3)
    await log().append(3)
    expect(await log().verify()).toMatchObject({ ok: true, first: 17, records: 7 })
    expect(await log().sign(NOW)).toMatchObject({ size: 23 })
    expect(await log().verify()).toMatchObject({ ok: true, signedThrough: 23 })
  })

  test.each([
    ['first', 1, 8],
    ['second', 9, 12],
  ])('verifyWorkspace: finds the %s group when it returns after retention has removed it', async (_, from, to) => {
    await log().sign()
    const copies = await rowsOf(from, to)
    await prune()
    await log().append(2)
    await log().intruder.append(copies)
    await expectFault({ sequence: 20, reason: 'unsealed' })
  })

  test('makeCheckpoint: signs no copies of records under other ids', async () => {
    const copies = await rowsOf(9, 12)
    await log().intruder.append(copies.map((row) => ({ ...row, id: newUuid() })))
    await expectFault({ sequence: 17 })
  })

  test('verifyWorkspace: finds a group that was moved from accepted records to the end', async () => {
    const copies = await rowsOf(9, 12)
    const remove = (from: number, to: number) =>
      sql`delete from audit_record where workspace_id = ${log().intruder.workspace} and sequence between ${from} and ${to}`
    await remove(5, 5).execute(log().db)
    const { db, workspaceId, keys } = log()
    expect(await resumeSigning(db, workspaceId, keys, { accept: true, clock: { now: () => SIGNED_AT } })).toMatchObject({
      through: 16,
    })
    // The nodes know only accepted records, and seal behind a later one.
    await log().append(2)
    await log().append(2)
    expect(await log().verify()).toMatchObject({ ok: true, acceptedThrough: 16 })
    await remove(9, 12).execute(log().db)
    await log().intruder.append(copies)
    await expectFault({ sequence: 22, reason: 'unsealed' })
  })
})

/** The role that migrates may drop the index that makes ids unique. */
describe.each(separateDatabases())('copies of groups without unique ids, on $name', ({ open }) => {
  const log = useAuditLog(
    async () => {
      const { database, remove } = await open()
      return { ...database, close: remove }
    },
    { usesGroups: true, groups: [4, 4], unsigned: true },
  )

  test('verifyWorkspace: finds that a group is in the log twice', async () => {
    const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
      where conrelid = 'audit_record'::regclass and contype = 'p'`.execute(log().db)
    await sql`alter table audit_record drop constraint ${sql.ref(rows[0]?.name ?? '')}`.execute(log().db)
    await log().intruder.append((await log().intruder.rows()).slice(4))
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 5, reason: 'unsealed' } })
    await expect(log().sign()).rejects.toThrow('tampered with')
  })
})
