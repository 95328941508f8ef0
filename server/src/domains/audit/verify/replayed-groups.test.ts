import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { separateDatabases } from '../../../../test/support/fresh-database.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import type { StoredRecord } from '../audit-store.ts'

const DAY = 86_400_000
const NOW = afterSigning(500 * DAY)

/** Records 1 to 8 are a group of one node, 9 to 12 of another, 13 to 16 of the first again. A checkpoint covers 8, another 12. */
describe.each(testDatabases())('copies of groups, on $name', ({ open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [8, 4, 4] })
  const rowsOf = async (from: number, to: number): Promise<StoredRecord[]> =>
    (await log().intruder.rows()).filter(({ sequence }) => sequence >= from && sequence <= to)
  const prune = () => log().prune(afterSigning(2 * DAY), { now: NOW })

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
    await log().expectFault({ sequence: 20, reason: 'unsealed' }, NOW)
  })

  test('makeCheckpoint: signs no copies of records under other ids', async () => {
    const copies = await rowsOf(9, 12)
    await log().intruder.append(copies.map((row) => ({ ...row, id: newUuid() })))
    await log().expectFault({ sequence: 17 }, NOW)
  })

  test('verifyWorkspace: finds a group that was moved from accepted records to the end', async () => {
    const copies = await rowsOf(9, 12)
    await log().intruder.removeRows(5)
    expect(await log().resume()).toMatchObject({ through: 16 })
    // The nodes know only accepted records, and seal behind a later one.
    await log().append(2)
    await log().append(2)
    expect(await log().verify()).toMatchObject({ ok: true, acceptedThrough: 16 })
    await log().intruder.removeRows(9, 12)
    await log().intruder.append(copies)
    await log().expectFault({ sequence: 22, reason: 'unsealed' }, NOW)
  })
})

/** The role that migrates may drop the index that makes ids unique. */
describe.each(separateDatabases())('copies of groups without unique ids, on $name', ({ open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [4, 4], unsigned: true })

  test('verifyWorkspace: finds that a group is in the log twice', async () => {
    const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
      where conrelid = 'audit_record'::regclass and contype = 'p'`.execute(log().db)
    await sql`alter table audit_record drop constraint ${sql.ref(rows[0]?.name ?? '')}`.execute(log().db)
    await log().intruder.append((await log().intruder.rows()).slice(4))
    await log().expectFault({ sequence: 5, reason: 'unsealed' })
  })
})
