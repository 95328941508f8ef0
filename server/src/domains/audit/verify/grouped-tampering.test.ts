import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { RecordEditor } from '../../../../test/support/record-editor.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { appendInTransaction } from '../chain/append-in-transaction.ts'
import { auditedTransaction } from '../chain/audited-transaction.ts'
import { chainPending } from '../chain/chain-pending.ts'
import { resumeSigning } from '../checkpoints/resume-signing.ts'
import { AuditWatch } from '../checkpoints/watch.ts'

const MINUTE = 60_000

/** Records 1 to 8 are a group of one node, 9 to 12 of another, 13 to 16 of the first again, which is anchored behind record 8. */
describe.each(testDatabases())('tampering with groups, on $name', ({ open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [8, 4, 4], unsigned: true })
  const editor = () => new RecordEditor(log())

  async function expectFault(fault: object): Promise<void> {
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: fault })
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('tampered with')
  }

  test('intact log: verifies and is signed, with groups and single positions in turns', async () => {
    await log().appendUnderLock(2)
    await log().append(3)
    expect(await log().verify()).toMatchObject({ ok: true, records: 21 })
    expect(await log().sign(afterSigning(MINUTE))).toMatchObject({ size: 21 })
    await log().append(2)
    expect(await log().verify()).toMatchObject({ ok: true, records: 23, signedThrough: 21 })
    expect(await log().sign(afterSigning(2 * MINUTE))).toMatchObject({ size: 23 })
  })

  test.each([1, 5, 8, 10])('verifyWorkspace: names record %i when it was removed and the rest rechained', async (at) => {
    await log().intruder.remove(at)
    await expectFault({ sequence: at, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds that two records of a group were swapped', async () => {
    await log().intruder.reorder([1, 2, 4, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    await expectFault({ sequence: 3, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds that two groups were swapped, from the next group on', async () => {
    await log().intruder.reorder([9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16])
    await expectFault({ sequence: 1, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds that a whole group was removed, at the first group that is anchored behind it', async () => {
    await log().append(2)
    for (const _ of [9, 10, 11, 12]) await log().intruder.remove(9)
    await expectFault({ sequence: 13, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds a record that was altered and rehashed', async () => {
    const forged = await editor().forge(16, { status: 418 })
    await editor().change(16, { ...forged, status: 418 })
    await editor().setHead(16, forged.hash)
    await expectFault({ sequence: 16, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds a group whose last records were cut off', async () => {
    await log().intruder.cutAfter(14)
    await expectFault({ sequence: 15, reason: 'missing' })
  })

  test('verifyWorkspace: finds a seal that was copied from another record', async () => {
    const { seal } = await editor().rowAt(3)
    await editor().change(6, { seal })
    await expectFault({ sequence: 6, reason: 'unsealed' })
  })

  test('verifyWorkspace: finds a seal whose anchor was moved', async () => {
    const seal = Buffer.from((await editor().rowAt(9)).seal ?? '')
    seal.writeBigUInt64BE(1n, 1)
    await editor().change(9, { seal })
    await expectFault({ sequence: 9, reason: 'unsealed' })
  })

  describe('pending records', () => {
    const deps = (auditWatch = new AuditWatch()) => ({ ...log().pendingDeps(), auditWatch })
    /** A transaction whose node dies after the commit. */
    async function leavePending(): Promise<string> {
      const draft = log().draft()
      const audit = { chain: async () => {}, leavesPending: true }
      const { db, workspaceId, keys } = log()
      await auditedTransaction({ db, audit }, (tx) => appendInTransaction(tx, workspaceId, [draft], keys.hasher))
      return draft.id
    }

    test('chainPending: appends the records of a node that died', async () => {
      const ids = [await leavePending(), await leavePending()]
      expect(await log().verify()).toMatchObject({ ok: true, records: 16 })
      await chainPending(deps(), log().workspaceId, 0)
      expect(await log().verify()).toMatchObject({ ok: true, records: 18 })
      expect((await editor().rows()).slice(-2).map(({ id }) => id)).toEqual(ids.map((id) => uuidOf('aud', id)))
      await chainPending(deps(), log().workspaceId, 0)
      expect(await log().verify()).toMatchObject({ ok: true, records: 18 })
    })

    test('chainPending: several nodes chain each record once', async () => {
      for (let count = 0; count < 5; count++) await leavePending()
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
      await change(uuidOf('aud', await leavePending())).execute(log().db)
      const watch = new AuditWatch()
      await chainPending(deps(watch), log().workspaceId, 0)
      expect(await log().check(watch)).toMatchObject({ reason: 'pending_altered' })
      expect((await editor().rows()).length).toBeLessThanOrEqual(17)
      expect(await log().verify()).toMatchObject({ ok: false, firstFault: { reason: 'pending_altered' } })
      const { db, workspaceId, keys } = log()
      expect(
        await resumeSigning(db, workspaceId, keys, { accept: true, clock: { now: () => afterSigning(MINUTE) } }),
      ).toMatchObject({
        done: 'accepted',
      })
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
