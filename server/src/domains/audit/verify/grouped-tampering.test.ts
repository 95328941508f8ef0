import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type AuditLogFixture, afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { separateDatabases } from '../../../../test/support/fresh-database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import type { StoredRecord } from '../audit-store.ts'
import { appendInTransaction } from '../chain/append-in-transaction.ts'
import { auditedTransaction } from '../chain/audited-transaction.ts'
import { chainPending } from '../chain/chain-pending.ts'
import { AuditWatch } from '../checkpoints/watch.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOW = afterSigning(500 * DAY)
type Harm = (log: AuditLogFixture) => Promise<unknown>

/** Records 1 to 8 are a group of one node, 9 to 12 of another, 13 to 16 of the first again, which is anchored behind record 8. */
describe.each(testDatabases())('tampering with groups, on $name', ({ open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [8, 4, 4], unsigned: true })
  test('intact log: verifies and is signed, with groups and single positions in turns', async () => {
    await log().appendUnderLock(2)
    await log().append(3)
    expect(await log().verify()).toMatchObject({ ok: true, records: 21 })
    expect(await log().sign(afterSigning(MINUTE))).toMatchObject({ size: 21 })
    await log().append(2)
    expect(await log().verify()).toMatchObject({ ok: true, records: 23, signedThrough: 21 })
    expect(await log().sign(afterSigning(2 * MINUTE))).toMatchObject({ size: 23 })
  })

  const rows = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const attacks: readonly [string, Harm, object][] = [
    ...[1, 5, 8, 10].map((at): [string, Harm, object] => [
      `removed record ${at} and rechained the rest`,
      ({ intruder }) => intruder.remove(at),
      { sequence: at, reason: 'unsealed' },
    ]),
    [
      'swapped two records of a group',
      ({ intruder }) => intruder.reorder([1, 2, 4, 3, ...rows(5, 16)]),
      { sequence: 3, reason: 'unsealed' },
    ],
    [
      'swapped two groups: from the next group on',
      ({ intruder }) => intruder.reorder([...rows(9, 12), ...rows(1, 8), ...rows(13, 16)]),
      { sequence: 1, reason: 'unsealed' },
    ],
    [
      'removed a whole group: at the first group that is anchored behind it',
      async (log) => {
        await log.append(2)
        for (const _ of rows(9, 12)) await log.intruder.remove(9)
      },
      { sequence: 13, reason: 'unsealed' },
    ],
    [
      'altered and rehashed a record',
      async ({ editor }) => {
        const forged = await editor.forge(16, { status: 418 })
        await editor.change(16, { ...forged, status: 418 })
        await editor.setHead(16, forged.hash)
      },
      { sequence: 16, reason: 'unsealed' },
    ],
    ['cut off the last records of a group', ({ intruder }) => intruder.cutAfter(14), { sequence: 15, reason: 'missing' }],
    [
      'copied a seal from another record',
      async ({ intruder }) => intruder.change(6, { seal: (await intruder.rowAt(3)).seal }),
      { sequence: 6, reason: 'unsealed' },
    ],
    [
      'moved the anchor of a seal',
      async ({ intruder }) => {
        const seal = Buffer.from((await intruder.rowAt(9)).seal ?? '')
        seal.writeBigUInt64BE(1n, 1)
        await intruder.change(9, { seal })
      },
      { sequence: 9, reason: 'unsealed' },
    ],
  ]

  test.each(attacks)('found, and nothing is signed, when an attacker %s', async (_, harm, fault) => {
    await harm(log())
    await log().expectFault(fault)
  })

  describe('pending records', () => {
    const deps = (auditWatch = new AuditWatch()) => ({ ...log().pendingDeps(), auditWatch })
    test('chainPending: appends the records of a node that died', async () => {
      const ids = [await log().leavePending(), await log().leavePending()]
      expect(await log().verify()).toMatchObject({ ok: true, records: 16 })
      await chainPending(deps(), log().workspaceId, 0)
      expect(await log().verify()).toMatchObject({ ok: true, records: 18 })
      expect((await log().intruder.rows()).slice(-2).map(({ id }) => id)).toEqual(ids.map((id) => uuidOf('aud', id)))
      await chainPending(deps(), log().workspaceId, 0)
      expect(await log().verify()).toMatchObject({ ok: true, records: 18 })
    })

    test('chainPending: several nodes chain each record once', async () => {
      for (let count = 0; count < 5; count++) await log().leavePending()
      await Promise.all([1, 2, 3].map(() => chainPending(deps(), log().workspaceId, 0)))
      expect(await log().verify()).toMatchObject({ ok: true, records: 21 })
    })

    test.each<[string, (id: string) => ReturnType<typeof sql>]>([
      [
        'altered',
        (id) =>
          sql`update audit_pending set after_integrity = replace(after_integrity, '"status":200', '"status":201') where id = ${id}`,
      ],
      ['given another id', (id) => sql`update audit_pending set id = gen_random_uuid() where id = ${id}`],
      [
        'forged',
        (id) => sql`insert into audit_pending (id, workspace_id, before_integrity, after_integrity, seal)
          select gen_random_uuid(), workspace_id, before_integrity, after_integrity, sha256('x') from audit_pending where id = ${id}`,
      ],
    ])('chainPending: raises the alarm and appends nothing forged when a pending record was %s', async (_, change) => {
      await change(uuidOf('aud', await log().leavePending())).execute(log().db)
      const watch = new AuditWatch()
      await chainPending(deps(watch), log().workspaceId, 0)
      expect(await log().check(watch)).toMatchObject({ reason: 'pending_altered' })
      expect((await log().intruder.rows()).length).toBeLessThanOrEqual(17)
      expect(await log().verify()).toMatchObject({ ok: false, firstFault: { reason: 'pending_altered' } })
      expect(await log().resume()).toMatchObject({ done: 'accepted' })
      expect(await log().verify()).toMatchObject({ ok: true })
    })

    test('auditedTransaction: raises the alarm and appends the record when its pending row was deleted', async () => {
      const alarms: unknown[] = []
      const writer = log().writer({ onAlarm: (...alarm) => alarms.push(alarm) })
      const { db, workspaceId, keys } = log()
      const draft = log().draft()
      const audit = {
        leavesPending: true,
        chain: async (records: Parameters<typeof writer.chain>[0]) => {
          await db.deleteFrom('audit_pending').where('id', '=', uuidOf('aud', draft.id)).execute()
          await writer.chain(records)
        },
      }
      await auditedTransaction({ db, audit }, (tx) => appendInTransaction(tx, workspaceId, [draft], keys.hasher))
      expect(alarms).toEqual([[workspaceId, 17]])
      expect(await log().verify()).toMatchObject({ ok: true, records: 17 })
    })

    test('auditedTransaction: leaves no pending record when it is rolled back', async () => {
      const { db, workspaceId, keys } = log()
      const failing = auditedTransaction({ db, audit: log().writer() }, async (tx) => {
        await appendInTransaction(tx, workspaceId, [log().draft()], keys.hasher)
        throw new Error('something else failed')
      })
      await expect(failing).rejects.toThrow('something else failed')
      await chainPending(deps(), workspaceId, 0)
      expect(await log().verify()).toMatchObject({ ok: true, records: 16 })
    })
  })
})

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
