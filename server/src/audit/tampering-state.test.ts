import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sealerOf, seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import { Intruder } from '../../test/support/intruder.ts'
import type { Database } from '../db/database.ts'
import { elapsed } from '../lib/clock.ts'
import { appendInTransaction } from './audit-store.ts'
import { prepare } from './chain.ts'
import { ChainAppender } from './chain-appender.ts'
import { resumeSigning } from './resume-signing.ts'
import { pruneRecords } from './retention.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'
import { verifyWorkspace } from './verify.ts'
import { stopSigning } from './vouching.ts'
import { AuditWatch } from './watch.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NOW = new Date('2026-03-01T00:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

/** Twenty records; checkpoints after the eighth and the sixteenth. */
describe.each(testDatabases())('what an intruder does beside the records, on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let keys: WorkspaceKeys
  let intruder: Intruder

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
    intruder = new Intruder(database.db, workspaceId)
    await append(8)
    await sign()
    await append(8)
    await sign()
    await append(4)
  })

  async function append(count: number): Promise<void> {
    const drafts = Array.from({ length: count }, () => testDraft(workspaceId))
    await database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
  }
  const sign = (at = NOW) => makeCheckpoint(database.db, workspaceId, keys, at)
  const verify = () => verifyWorkspace(database.db, workspaceId, keys)
  const check = (watch: AuditWatch) => watch.check(database.db, workspaceId, keys)
  /** `change`: SQL, with `$ws` for the Workspace's id. */
  const run = (change: string) => sql.raw(change.replaceAll('$ws', `'${intruder.workspace}'`)).execute(database.db)

  test.each<[string, string]>([
    ['the oldest ones up to a checkpoint', 'delete from audit_record where workspace_id = $ws and sequence <= 8'],
    ['all up to the last checkpoint', 'delete from audit_record where workspace_id = $ws and sequence <= 16'],
  ])(
    'removed by hand and not by retention, %s: found by verify, by a node that has just started, and nothing is signed',
    async (_, removal) => {
      await run(removal)
      const missing = { sequence: 1, reason: 'missing' }
      expect(await verify()).toMatchObject({ ok: false, firstBad: missing })
      expect(await check(new AuditWatch())).toMatchObject(missing)
      await expect(sign(later(MINUTE))).rejects.toThrow('missing')
    },
  )

  test('every record removed where a checkpoint covers all: found', async () => {
    await sign(later(MINUTE))
    await run('delete from audit_record where workspace_id = $ws')
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 1, through: 20, reason: 'missing' } })
    expect(await check(new AuditWatch())).toMatchObject({ reason: 'missing' })
  })

  test('removed by retention: no alarm; what is removed by hand behind that is found', async () => {
    await sign(later(300 * DAY))
    expect(await pruneRecords(database.db, workspaceId, { before: later(100 * DAY), keys, now: later(300 * DAY) })).toBe(16)
    expect(await verify()).toMatchObject({ ok: true, first: 17 })
    expect(await check(new AuditWatch())).toBeUndefined()
    await run('delete from audit_record where workspace_id = $ws and sequence <= 20')
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 17, through: 20, reason: 'missing' } })
    expect(await check(new AuditWatch())).toMatchObject({ sequence: 17, reason: 'missing' })
  })

  test('removed by retention while the log is verified, again and again: no alarm', async () => {
    for (let round = 1; round <= 6; round++) {
      await append(4)
      await sign(later(round * 10 * DAY))
      const before = later(round * 10 * DAY - 2 * DAY)
      const [found] = await Promise.all([verify(), pruneRecords(database.db, workspaceId, { before, keys, now: before })])
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
  ])('what no clock, counter or hash can be, %s: an alarm at once and a finding, never a crash', async (_, change) => {
    await run(change)
    expect(await verify()).toMatchObject({ ok: false })
    expect(await check(new AuditWatch())).toMatchObject({ reason: expect.any(String) })
    await append(1).catch(() => undefined)
    await expect(sign(later(MINUTE))).rejects.toThrow('tampered with')
  })

  test.each<[string, string]>([
    ['an end of the chain far behind the last record', `update audit_head set sequence = ${TOO_FAR} where workspace_id = $ws`],
    ['a record far behind the others', 'update audit_record set sequence = 4e15 where workspace_id = $ws and sequence = 20'],
  ])('accepting a log as found: refuses %s instead of working without end', async (_, change) => {
    await run(change)
    const resuming = resumeSigning(database.db, workspaceId, keys, { accept: true, now: NOW })
    await expect(resuming).rejects.toThrow('places without a record')
  })

  test('an alarm is not ended by putting the seal back that knew nothing of it; an operator ends it', async () => {
    const watch = new AuditWatch()
    const before = await intruder.seal()
    await run('update audit_record set status = 201 where workspace_id = $ws and sequence = 5')
    const bad = { sequence: 5, id: null, reason: 'altered' } as const
    await stopSigning(database.db, workspaceId, keys, bad)
    expect(await check(watch)).toEqual(bad)
    await intruder.setSeal(before)
    expect(await check(watch)).toEqual(bad)
    expect(await check(new AuditWatch())).toEqual(bad)
    await expect(sign(later(MINUTE))).rejects.toThrow('altered')
    await run('update audit_record set status = 200 where workspace_id = $ws and sequence = 5')
    expect(await check(watch)).toEqual(bad)
    expect(await resumeSigning(database.db, workspaceId, keys, { accept: false, now: NOW })).toMatchObject({ done: 'resumed' })
    expect(await check(watch)).toBeUndefined()
  })

  test('a record cut off and the chain grown by others before this node appends: the node tells', async () => {
    const alarms: number[] = []
    const node = new ChainAppender(database.pool, workspaceId, {
      statementTimeoutMs: 5_000,
      onAlarm: (_, sequence) => alarms.push(sequence),
      sealerOf: sealerOf(database.db),
    })
    const one = () => node.commit([prepare(workspaceId, testDraft(workspaceId))], elapsed() + 5_000)
    await one()
    await append(2)
    await one()
    expect(alarms).toEqual([])
    await intruder.cutAfter(23)
    await append(3)
    await one()
    expect(alarms).toEqual([24])
  })
})
