import type { UnknownRow } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { afterRows } from '../../../../test/support/after-rows.ts'
import { afterSigning, DENIED, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { findRecord } from '../audit-store.ts'
import { exportRecords, verifyExport } from '../verify/export.ts'
import type { Checkpoint } from './checkpoint.ts'
import { findCheckpointsBetween } from './checkpoint-store.ts'
import { AuditWatch } from './watch.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** Twelve records, all denied; checkpoints after the fourth and the eighth. */
describe.each(testDatabases())('resumeSigning on $name', ({ name, open }) => {
  let kept: Checkpoint[]
  const log = useAuditLog(open, { groups: [4, 4, 4], change: () => ({ decision: DENIED }) })
  beforeEach(async () => {
    kept = await findCheckpointsBetween(log().db, log().workspaceId, 0, 8)
  })
  const verify = (witnesses: readonly Checkpoint[] = []) => log().verify({ kept: witnesses })
  const resume = (accept = false, at = afterSigning(MINUTE)) => log().resume(accept, { at })

  test('does nothing when the log verifies and signing was not stopped', async () => {
    expect(await resume(true)).toEqual({ done: 'nothing' })
    expect(await verify()).toMatchObject({ ok: true, records: 12 })
  })

  test('resumes and records it when the log verifies', async () => {
    await log().stop({ sequence: 9, id: null, reason: 'rolled_back' })
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('rolled_back')
    const resumption = await resume()
    expect(resumption).toMatchObject({ done: 'resumed' })
    expect(await log().sign(afterSigning(2 * MINUTE))).toMatchObject({ size: 13 })
    expect(await verify()).toMatchObject({ ok: true, records: 13 })
    const record =
      resumption.done === 'resumed'
        ? await findRecord(log().db, { workspaceId: log().workspaceId }, resumption.auditId)
        : undefined
    expect(record?.change).toEqual({
      action: 'audit.resume',
      object_type: 'audit_record',
      object_id: '9',
      fields: ['rolled_back'],
    })
  })

  test('refuses when the log does not verify', async () => {
    await log().intruder.allow(6)
    expect(await resume()).toMatchObject({ done: 'refused', fault: { sequence: 6, reason: 'unsealed' } })
    await expect(log().sign(afterSigning(2 * MINUTE))).rejects.toThrow('tampered with')
  })

  test.each<[string, () => Promise<void>, number]>([
    ['rewritten', () => log().intruder.allow(6), 12],
    ['cut', () => log().intruder.cutAfter(6), 6],
    ['without its seal', () => log().intruder.setSeal(null), 12],
    ['shortened by a record', () => log().intruder.remove(3), 11],
    ['with a gap', () => log().intruder.removeRows(3), 12],
  ])('accepts a log that was %s: checks only the records after it', async (_, harm, through) => {
    await harm()
    expect(await resume(true)).toMatchObject({ done: 'accepted', through })
    expect(await verify()).toMatchObject({ ok: true, acceptedThrough: through, records: 1 })
    await log().append(3)
    expect(await log().sign(afterSigning(2 * MINUTE))).toMatchObject({ size: through + 4 })
    expect(await verify(kept)).toMatchObject({ ok: true, acceptedThrough: through, records: 4, signedThrough: through + 4 })
    await log().intruder.allow(through + 3)
    expect(await verify()).toMatchObject({ ok: false, firstFault: { sequence: through + 3, reason: 'unsealed' } })
  })

  test('signs a long accepted log in parts, from which retention goes on', async () => {
    await log().intruder.allow(6)
    await log().append(12)
    expect(await log().resume(true, { maxRecords: 5 })).toMatchObject({ through: 24 })
    const sizes = (await findCheckpointsBetween(log().db, log().workspaceId, 0, 99)).map(({ size }) => size)
    expect(sizes).toEqual([4, 8, 13, 18, 23, 24])
    await log().sign(afterSigning(2 * DAY))
    expect(await log().prune(afterSigning(DAY), { archived: 20 })).toBe(18)
    expect(await verify()).toMatchObject({ ok: true, acceptedThrough: 24 })
    expect(await log().prune(afterSigning(DAY), { archived: 24 })).toBe(6)
    expect(await verify()).toMatchObject({ ok: true, acceptedThrough: 24 })
  })

  test.runIf(name === 'postgresql')('records are appended while an accepted log is read', async () => {
    await log().intruder.allow(6)
    const append = () => log().writer().append(log().workspaceId, log().draft())
    const db = log().db.withPlugin(afterRows(isFirstLink, append))
    expect(await log().resume(true, { db })).toMatchObject({ through: 13 })
    await append()
    expect(await verify()).toMatchObject({ ok: true, acceptedThrough: 13, records: 2 })
  })

  /** Whether the links of the records are read from the first one on. */
  const isFirstLink = (row: UnknownRow): boolean => row.sequence === 1 && 'hash' in row && !('prev_hash' in row)

  test('returns the removed checkpoints', async () => {
    await log().intruder.cutAfter(6)
    await log().db.updateTable('audit_head').set({ sequence: 6 }).where('workspace_id', '=', log().intruder.workspace).execute()
    expect(await resume(true)).toMatchObject({ done: 'accepted', removed: [] })
    await log().stop({ sequence: 6, id: null, reason: 'rolled_back' })
    await log().intruder.allow(7)
    expect(await resume(true, afterSigning(2 * MINUTE))).toMatchObject({ done: 'accepted', through: 7 })
  })

  test('AuditWatch: ends the alarm when an operator resumes, and raises it again when the older seal is restored', async () => {
    const watch = new AuditWatch()
    const check = () => log().check(watch)
    expect(await check()).toBeUndefined()
    await log().intruder.cutAfter(8)
    expect(await check()).toMatchObject({ reason: 'rolled_back' })
    const stopped = await log().intruder.seal()
    await resume(false)
    expect(await check()).toBeUndefined()
    await log().intruder.setSeal(stopped)
    expect(await check()).toMatchObject({ reason: 'rolled_back' })
  })

  test('verifyExport: finds a rewritten prefix with kept checkpoints', async () => {
    await log().sign(afterSigning(MINUTE))
    const whole: string[] = []
    for await (const line of exportRecords(log().db, log().workspaceId)) whole.push(line)
    expect(await verifyExport(whole, log().keys.publicKey, kept)).toMatchObject({ ok: true, records: 12, checkpoints: 3 })
    const forged = kept.map((checkpoint) => (checkpoint.size === 4 ? { ...checkpoint, hash: '0'.repeat(64) } : checkpoint))
    expect(await verifyExport(whole, log().keys.publicKey, forged)).toMatchObject({ ok: false, firstFault: { sequence: 4 } })
  })
})
