import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findSealer, testDraft } from '../../../../test/support/audit.ts'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { prepareRecord } from '../chain/chain.ts'
import { ChainAppender } from '../chain/chain-appender.ts'
import { AuditWatch } from '../checkpoints/watch.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Twenty records; checkpoints after the eighth and the sixteenth. */
describe.each(testDatabases())('tampering with the state of a log, on $name', ({ open }) => {
  const log = useAuditLog(open, { groups: [8, 8, 4] })
  /** `change`: SQL, with `$ws` for the Workspace's id. */
  const run = (change: string) => sql.raw(change.replaceAll('$ws', `'${log().intruder.workspace}'`)).execute(log().db)

  test.each<[string, string]>([
    ['the oldest ones up to a checkpoint', 'delete from audit_record where workspace_id = $ws and sequence <= 8'],
    ['all up to the last checkpoint', 'delete from audit_record where workspace_id = $ws and sequence <= 16'],
  ])('records removed without retention, %s: found by verification and by a new node, and signing stops', async (_, removal) => {
    await run(removal)
    const missing = { sequence: 1, reason: 'missing' }
    await log().expectFault(missing)
    expect(await log().check(new AuditWatch())).toMatchObject(missing)
  })

  test('verifyWorkspace: finds the removal of all records when a checkpoint covers all', async () => {
    await log().sign(afterSigning(MINUTE))
    await run('delete from audit_record where workspace_id = $ws')
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 1, through: 20, reason: 'missing' } })
    expect(await log().check(new AuditWatch())).toMatchObject({ reason: 'missing' })
  })

  test('AuditWatch: accepts removal by retention and finds records removed after it', async () => {
    await log().sign(afterSigning(300 * DAY))
    expect(await log().prune(afterSigning(100 * DAY), { now: afterSigning(300 * DAY) })).toBe(16)
    expect(await log().verify()).toMatchObject({ ok: true, first: 17 })
    expect(await log().check(new AuditWatch())).toBeUndefined()
    await run('delete from audit_record where workspace_id = $ws and sequence <= 20')
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 17, through: 20, reason: 'missing' } })
    expect(await log().check(new AuditWatch())).toMatchObject({ sequence: 17, reason: 'missing' })
  })

  test('verifyWorkspace: succeeds while retention removes records', async () => {
    for (let round = 1; round <= 6; round++) {
      await log().append(4)
      await log().sign(afterSigning(round * 10 * DAY))
      const before = afterSigning(round * 10 * DAY - 2 * DAY)
      const [found] = await Promise.all([log().verify(), log().prune(before)])
      expect(found).toMatchObject({ ok: true })
    }
  })

  const TOO_FAR = '9223372036854775807'
  test.each<[string, string]>([
    ['time of the last checkpoint', "update audit_checkpoint set created_at = 'infinity' where workspace_id = $ws and size = 16"],
    ['size of the last checkpoint', `update audit_checkpoint set size = ${TOO_FAR} where workspace_id = $ws and size = 16`],
    ['end of the chain', `update audit_head set sequence = ${TOO_FAR} where workspace_id = $ws`],
    ['end of the chain before the seal', 'update audit_head set sequence = 10 where workspace_id = $ws'],
    ['hash at the end that the seal names', "update audit_record set hash = '' where workspace_id = $ws and sequence = 16"],
    ['chain without an end', 'delete from audit_head where workspace_id = $ws'],
  ])('AuditWatch: raises an alarm when a value is impossible: %s', async (_, change) => {
    await run(change)
    expect(await log().verify()).toMatchObject({ ok: false })
    expect(await log().check(new AuditWatch())).toMatchObject({ reason: expect.any(String) })
    await log()
      .append(1)
      .catch(() => undefined)
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('tampered with')
  })

  test.each<[string, string]>([
    ['an end of the chain far behind the last record', `update audit_head set sequence = ${TOO_FAR} where workspace_id = $ws`],
    ['a record far behind the others', 'update audit_record set sequence = 4e15 where workspace_id = $ws and sequence = 20'],
  ])('resumeSigning: refuses to accept %s', async (_, change) => {
    await run(change)
    await expect(log().resume()).rejects.toThrow('places without a record')
  })

  test('AuditWatch: keeps the alarm when an older seal is restored, until an operator resumes', async () => {
    const watch = new AuditWatch()
    const before = await log().intruder.seal()
    await run('update audit_record set status = 201 where workspace_id = $ws and sequence = 5')
    const fault = { sequence: 5, id: null, reason: 'altered' } as const
    await log().stop(fault)
    expect(await log().check(watch)).toEqual(fault)
    await log().intruder.setSeal(before)
    expect(await log().check(watch)).toEqual(fault)
    expect(await log().check(new AuditWatch())).toEqual(fault)
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('altered')
    await run('update audit_record set status = 200 where workspace_id = $ws and sequence = 5')
    expect(await log().check(watch)).toEqual(fault)
    expect(await log().resume(false)).toMatchObject({ done: 'resumed' })
    expect(await log().check(watch)).toBeUndefined()
  })

  test('ChainAppender: raises the alarm when its last record was cut off and the chain has grown since', async () => {
    const alarms: number[] = []
    const node = new ChainAppender(log().database.pool, log().workspaceId, {
      statementTimeoutMs: 5_000,
      onAlarm: (_, sequence) => alarms.push(sequence),
      findSealer: findSealer(log().db),
      usesGroups: false,
    })
    const one = () => node.commit([prepareRecord(log().workspaceId, testDraft(log().workspaceId))], elapsed() + 5_000)
    await one()
    await log().append(2)
    await one()
    expect(alarms).toEqual([])
    await log().intruder.cutAfter(23)
    await log().append(3)
    await one()
    expect(alarms).toEqual([24])
  })
})
