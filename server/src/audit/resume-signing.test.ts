import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOlderVersion, seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import { Intruder } from '../../test/support/intruder.ts'
import type { Database } from '../db/database.ts'
import { appendInTransaction, findRecord } from './audit-store.ts'
import type { Checkpoint } from './checkpoint.ts'
import { exportRecords } from './export.ts'
import type { AuditDraft } from './record.ts'
import { resumeSigning } from './resume-signing.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'
import { verifyWorkspace } from './verify.ts'
import { verifyExport } from './verify-export.ts'
import { stopSigning } from './vouching.ts'
import { AuditWatch } from './watch.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

const NOW = new Date('2026-03-01T00:00:00.000Z')
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

/** Twelve records, all denied; checkpoints after the fourth and the eighth. */
describe.each(testDatabases())('going on after an alarm, on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let keys: WorkspaceKeys
  let intruder: Intruder
  let kept: Checkpoint[]

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
    intruder = new Intruder(database.db, workspaceId)
    kept = []
    await append(4)
    kept.push((await sign()) as Checkpoint)
    await append(4)
    kept.push((await sign()) as Checkpoint)
    await append(4)
  })

  async function append(count: number): Promise<void> {
    const usual = () => testDraft(workspaceId)
    const deny = (draft: AuditDraft): AuditDraft => ({
      ...draft,
      decision: draft.decision && { ...draft.decision, verdict: 'deny' },
    })
    const drafts = Array.from({ length: count }, () => deny(usual()))
    await database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
  }
  const sign = (at = NOW) => makeCheckpoint(database.db, workspaceId, keys, at)
  const verify = (witnesses: readonly Checkpoint[] = []) => verifyWorkspace(database.db, workspaceId, keys, { kept: witnesses })
  const resume = (accept = false, at = later(1)) => resumeSigning(database.db, workspaceId, keys, { accept, now: at })

  test('does nothing to a log that verifies and was not stopped', async () => {
    expect(await resume(true)).toEqual({ done: 'nothing' })
    expect(await verify()).toMatchObject({ ok: true, records: 12 })
  })

  test('resumes a log that verifies, and records it', async () => {
    await stopSigning(database.db, workspaceId, keys, { sequence: 9, id: null, reason: 'rolled_back' })
    await expect(sign(later(1))).rejects.toThrow('rolled_back')
    const resumption = await resume()
    expect(resumption).toMatchObject({ done: 'resumed' })
    expect(await sign(later(2))).toMatchObject({ size: 13 })
    expect(await verify()).toMatchObject({ ok: true, records: 13 })
    const record = resumption.done === 'resumed' ? await findRecord(database.db, { workspaceId }, resumption.auditId) : undefined
    expect(record?.change).toEqual({
      action: 'audit.resume',
      object_type: 'audit_record',
      object_id: '9',
      fields: ['rolled_back'],
    })
  })

  test('refuses a log that does not verify', async () => {
    await intruder.allow(6)
    expect(await resume()).toMatchObject({ done: 'refused', bad: { sequence: 6, reason: 'unsealed' } })
    await expect(sign(later(2))).rejects.toThrow('tampered with')
  })

  test.each<[string, () => Promise<void>, number]>([
    ['rewritten', () => intruder.allow(6), 12],
    ['cut', () => intruder.cutAfter(6), 6],
    ['without its seal', () => intruder.setSeal(null), 12],
    ['shortened by a record', () => intruder.remove(3), 11],
    ['with a gap', () => removeRow(3), 12],
  ])(
    'accepts a log that was %s as it stands: nothing up to there is checked any more, everything after it is',
    async (_, harm, through) => {
      await harm()
      expect(await resume(true)).toMatchObject({ done: 'accepted', through })
      expect(await verify()).toMatchObject({ ok: true, acceptedThrough: through, records: 1 })
      await append(3)
      expect(await sign(later(2))).toMatchObject({ size: through + 4 })
      expect(await verify(kept)).toMatchObject({ ok: true, acceptedThrough: through, records: 4, signedThrough: through + 4 })
      await intruder.allow(through + 3)
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: through + 3, reason: 'unsealed' } })
    },
  )

  async function removeRow(sequence: number): Promise<void> {
    const row = database.db.deleteFrom('audit_record').where('workspace_id', '=', intruder.workspace)
    await row.where('sequence', '=', sequence).execute()
  }

  test('a log of an older version: taken over when it verifies, accepted when no checkpoint vouches for it', async () => {
    await asOlderVersion(database.db, workspaceId)
    expect(await resume()).toEqual({ done: 'nothing' })
    expect(await intruder.seal()).not.toBeNull()
    await asOlderVersion(database.db, workspaceId)
    await intruder.deleteCheckpoints()
    expect(await resume()).toMatchObject({ done: 'refused', bad: { sequence: 1, through: 12, reason: 'unvouched' } })
    expect(await resume(true)).toMatchObject({ done: 'accepted', through: 12 })
    expect(await sign(later(2))).toMatchObject({ size: 13 })
  })

  test('a running node: tells of a log of an older version that cannot be taken over until an operator has acted', async () => {
    const watch = new AuditWatch()
    await asOlderVersion(database.db, workspaceId)
    await intruder.deleteCheckpoints()
    watch.report(workspaceId, { sequence: 1, id: null, reason: 'unvouched' })
    expect(await watch.check(database.db, workspaceId, keys)).toMatchObject({ reason: 'unvouched' })
    await resume(true)
    expect(await watch.check(database.db, workspaceId, keys)).toBeUndefined()
  })

  test('hands out the checkpoints that it takes out', async () => {
    await intruder.cutAfter(6)
    await database.db.updateTable('audit_head').set({ sequence: 6 }).where('workspace_id', '=', intruder.workspace).execute()
    expect(await resume(true)).toMatchObject({ done: 'accepted', removed: [] })
    await stopSigning(database.db, workspaceId, keys, { sequence: 6, id: null, reason: 'rolled_back' })
    await intruder.allow(7)
    expect(await resume(true, later(2))).toMatchObject({ done: 'accepted', through: 7 })
  })

  test('a running node takes the operator at his word, and notices an acceptance that was put back', async () => {
    const watch = new AuditWatch()
    const check = () => watch.check(database.db, workspaceId, keys)
    expect(await check()).toBeUndefined()
    await intruder.cutAfter(8)
    expect(await check()).toMatchObject({ reason: 'rolled_back' })
    const stopped = await intruder.seal()
    await resume(false)
    expect(await check()).toBeUndefined()
    await intruder.setSeal(stopped)
    expect(await check()).toMatchObject({ reason: 'rolled_back' })
  })

  test('an export against kept checkpoints: a rewritten prefix is found', async () => {
    await sign(later(1))
    const whole: string[] = []
    for await (const line of exportRecords(database.db, workspaceId)) whole.push(line)
    expect(await verifyExport(whole, keys.publicKey, kept)).toMatchObject({ ok: true, records: 12, checkpoints: 3 })
    const forged = kept.map((checkpoint) => (checkpoint.size === 4 ? { ...checkpoint, hash: '0'.repeat(64) } : checkpoint))
    expect(await verifyExport(whole, keys.publicKey, forged)).toMatchObject({ ok: false, firstBad: { sequence: 4 } })
  })
})
