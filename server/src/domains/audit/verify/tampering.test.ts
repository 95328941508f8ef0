import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { seedAuditedWorkspace, testDraft } from '../../../../test/support/audit.ts'
import { afterSigning, DENIED, SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { Intruder } from '../../../../test/support/intruder.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { appendUnderLock } from '../chain/append-in-transaction.ts'
import { type Checkpoint, isGenuine } from '../checkpoints/checkpoint.ts'
import { findCheckpointAt, findLatestCheckpoint } from '../checkpoints/checkpoint-store.ts'
import { makeCheckpoint } from '../checkpoints/sign-checkpoints.ts'
import { AuditWatch } from '../checkpoints/watch.ts'
import { pruneRecords } from '../retention/retention.ts'
import { verifyWorkspace } from './verify.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DENIED_RECORDS = new Set([5, 12, 18])
const denied = { decision: DENIED }

/** Twenty records, the fifth, twelfth and eighteenth denied; checkpoints after the eighth and the sixteenth. */
const cases = testDatabases().flatMap((database) =>
  [false, true].map((usesGroups) => ({ ...database, usesGroups, seals: usesGroups ? 'groups' : 'positions' })),
)

describe.each(cases)('tampering without the secret key with seals of $seals, on $name', ({ open, usesGroups }) => {
  const log = useAuditLog(open, {
    usesGroups,
    groups: [8, 8, 4],
    change: (sequence) => (DENIED_RECORDS.has(sequence) ? denied : {}),
  })
  const checkpoint = async (size: number) => (await findCheckpointAt(log().db, log().workspaceId, size)) as Checkpoint

  /** Nothing may be signed, now or once more records have come in. */
  async function expectNothingSigned(): Promise<void> {
    const before = await findLatestCheckpoint(log().db, log().workspaceId)
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('tampered with')
    await log().append(3)
    await expect(log().sign(afterSigning(2 * MINUTE))).rejects.toThrow('tampered with')
    expect(await findLatestCheckpoint(log().db, log().workspaceId)).toEqual(before)
  }

  test('intact log: verifies, and the next checkpoint links to the previous one', async () => {
    expect(await log().verify()).toEqual({ ok: true, records: 20, checkpoints: 2, first: 1, signedThrough: 16 })
    const signed = await log().sign(afterSigning(MINUTE))
    expect(signed).toMatchObject({ size: 20, previous: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    expect(signed && isGenuine(signed, log().keys.publicKey)).toBe(true)
  })

  test.each([5, 12, 18])(
    'verifyWorkspace: names record %i when its verdict was changed, the log rechained and all checkpoints deleted',
    async (at) => {
      await log().intruder.allow(at)
      await log().intruder.deleteCheckpoints()
      expect(await log().verify()).toMatchObject({
        ok: false,
        firstFault: { sequence: at, id: log().ids[at - 1], reason: 'unsealed' },
      })
      await expectNothingSigned()
    },
  )

  test.each([5, 12, 18])('verifyWorkspace: names record %i when only the later checkpoints were deleted', async (at) => {
    await log().intruder.allow(at)
    await log().intruder.deleteCheckpoints(at - 1)
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: at, reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test('makeCheckpoint: refuses rewritten records after the last checkpoint', async () => {
    await log().intruder.allow(18)
    expect(await log().verify()).toMatchObject({ firstFault: { sequence: 18, id: log().ids[17], reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test('makeCheckpoint: refuses rewritten records when their seals were removed', async () => {
    await log().intruder.allow(18)
    await log().db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', log().intruder.workspace).execute()
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 1, reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test.each([10, 14, 16])(
    'verifyWorkspace: finds the missing tail after record %i when its checkpoints were deleted',
    async (at) => {
      await log().intruder.cutAfter(at)
      const cut = at < 16 ? { sequence: at + 1, reason: 'missing' } : { sequence: 16, reason: 'checkpoint_missing' }
      if (at === 16) await log().intruder.deleteCheckpoints(8)
      expect(await log().verify()).toMatchObject({ ok: false, firstFault: cut })
      await expectNothingSigned()
    },
  )

  test('verifyWorkspace: finds the removal of all records', async () => {
    await log().db.deleteFrom('audit_record').where('workspace_id', '=', log().intruder.workspace).execute()
    await log().intruder.deleteCheckpoints()
    const start = { sequence: 0, hash: Buffer.alloc(32) }
    await log().db.updateTable('audit_head').set(start).where('workspace_id', '=', log().intruder.workspace).execute()
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 1, reason: 'missing' } })
    await expectNothingSigned()
  })

  test.each([5, 12, 18])(
    'verifyWorkspace: names the sequence of record %i when it was removed and the rest rechained',
    async (at) => {
      await log().intruder.remove(at)
      await log().intruder.deleteCheckpoints()
      expect(await log().verify()).toMatchObject({
        ok: false,
        firstFault: { sequence: at, id: log().ids[at], reason: 'unsealed' },
      })
      await expectNothingSigned()
    },
  )

  test('verifyWorkspace: finds a replaced public key', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    await log().intruder.setPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 0, reason: 'public_key_replaced' } })
    await expectNothingSigned()
  })

  test.each<[string, (seal: string) => string | null, string]>([
    ['altered', (seal) => seal.replace('"size":16', '"size":8'), 'seal_altered'],
    ['cut short', (seal) => seal.slice(0, 20), 'seal_altered'],
    ['emptied', () => '', 'seal_altered'],
    ['removed', () => null, 'seal_missing'],
  ])('verifyWorkspace: finds the seal %s', async (_, change, reason) => {
    await log().intruder.setSeal(change((await log().intruder.seal()) ?? ''))
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 0, reason } })
    await expectNothingSigned()
  })

  test('verifyWorkspace: finds a seal copied from another Workspace', async () => {
    const other = await seedAuditedWorkspace(log().db)
    await log().intruder.setSeal(await new Intruder(log().db, other.workspaceId).seal())
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 0, reason: 'seal_altered' } })
    await expectNothingSigned()
  })

  test('makeCheckpoint: signs nothing when all seals and checkpoints were removed', async () => {
    await log().intruder.allow(5)
    await log().intruder.deleteCheckpoints()
    await log().intruder.removeSeals()
    const unchained = { previous: null, previous_signature: null }
    await log().db.updateTable('audit_checkpoint').set(unchained).where('workspace_id', '=', log().intruder.workspace).execute()
    expect(await log().verify()).toMatchObject({ ok: false })
    await expectNothingSigned()
  })

  test('makeCheckpoint: refuses when an older seal was restored', async () => {
    const before = await log().intruder.seal()
    await log().sign(afterSigning(MINUTE))
    await log().intruder.setSeal(before)
    await expect(log().sign(afterSigning(2 * MINUTE))).rejects.toThrow('rolled_back')
  })

  test.each<[string, Record<string, unknown>]>([
    ['time', { created_at: new Date(0) }],
    ['root', { root: Buffer.alloc(32) }],
    ['signature', { signature: Buffer.alloc(64) }],
    ['name of the one before', { previous: Buffer.alloc(32) }],
    ['link', { previous: null, previous_signature: null }],
  ])('verifyWorkspace: finds a changed %s of the last checkpoint', async (_, columns) => {
    const rows = log().db.updateTable('audit_checkpoint').set(columns).where('workspace_id', '=', log().intruder.workspace)
    await rows.where('size', '=', 16).execute()
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 16, reason: 'checkpoint_altered' } })
    await expectNothingSigned()
  })

  test('verifyWorkspace: finds a removed checkpoint between two others', async () => {
    await log().sign(afterSigning(MINUTE))
    await log()
      .db.deleteFrom('audit_checkpoint')
      .where('workspace_id', '=', log().intruder.workspace)
      .where('size', '=', 16)
      .execute()
    expect(await log().verify()).toMatchObject({
      ok: false,
      firstFault: { sequence: 9, through: 20, reason: 'checkpoint_missing' },
    })
  })

  test('pruneRecords: removes nothing when the log was tampered with', async () => {
    await log().intruder.setSeal(null)
    const pruning = pruneRecords(log().db, log().workspaceId, {
      before: afterSigning(500 * 24 * HOUR),
      keys: log().keys,
      now: afterSigning(500 * 24 * HOUR),
    })
    await expect(pruning).rejects.toThrow('seal_missing')
    expect(await log().intruder.rows()).toHaveLength(20)
  })

  test('makeCheckpoint: signs only sealed records in a new Workspace', async () => {
    const fresh = await seedAuditedWorkspace(log().db)
    const drafts = [testDraft(fresh.workspaceId, denied), testDraft(fresh.workspaceId)]
    await log()
      .db.transaction()
      .execute((tx) => appendUnderLock(tx, fresh.workspaceId, drafts, fresh.keys.hasher))
    const found = await verifyWorkspace(log().db, fresh.workspaceId, fresh.keys)
    expect(found).toEqual({ ok: true, records: 2, checkpoints: 0, first: 1, signedThrough: 0 })
    await new Intruder(log().db, fresh.workspaceId).allow(1)
    await expect(makeCheckpoint(log().db, fresh.workspaceId, fresh.keys, { now: () => SIGNED_AT })).rejects.toThrow('unsealed')
  })

  describe('the memory of a running node', () => {
    /** The whole database as it was: every table of the log, seal included. */
    async function snapshot(): Promise<() => Promise<void>> {
      const of = log().intruder.workspace
      const [records, seal] = [await log().intruder.rows(), await log().intruder.seal()]
      const heads = await log().db.selectFrom('audit_head').selectAll().where('workspace_id', '=', of).execute()
      const checkpoints = await log().db.selectFrom('audit_checkpoint').selectAll().where('workspace_id', '=', of).execute()
      return async () => {
        for (const table of ['audit_record', 'audit_checkpoint', 'audit_head'] as const)
          await log().db.deleteFrom(table).where('workspace_id', '=', of).execute()
        await log().db.insertInto('audit_record').values(records).execute()
        await log().db.insertInto('audit_head').values(heads).execute()
        await log().db.insertInto('audit_checkpoint').values(checkpoints).execute()
        await log().intruder.setSeal(seal)
      }
    }

    test('AuditWatch: finds a restored older state of the database and stops every node', async () => {
      const putBack = await snapshot()
      const watch = new AuditWatch()
      await log().sign(afterSigning(MINUTE))
      expect(await log().check(watch)).toBeUndefined()
      await putBack()
      expect(await log().verify()).toMatchObject({ ok: true })
      expect(await log().check(watch)).toMatchObject({ sequence: 17, reason: 'rolled_back' })
      expect(watch.faults.get(log().workspaceId)).toMatchObject({ reason: 'rolled_back' })
      // From now on it stands in the seal: a node that starts later knows as well.
      expect(await log().check(new AuditWatch())).toMatchObject({ sequence: 17, reason: 'rolled_back' })
      expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 17, reason: 'rolled_back' } })
      await expectNothingSigned()
    })

    test('AuditWatch: finds that records after the last checkpoint were cut off', async () => {
      const watch = new AuditWatch()
      expect(await log().check(watch)).toBeUndefined()
      await log().intruder.cutAfter(18)
      expect(await log().check(watch)).toMatchObject({ sequence: 19, reason: 'rolled_back' })
    })

    test('AuditWatch: finds records that were replaced by others', async () => {
      const watch = new AuditWatch()
      expect(await log().check(watch)).toBeUndefined()
      await log().intruder.cutAfter(18)
      await log().append(5)
      expect(await log().check(watch)).toMatchObject({ sequence: 20, reason: 'rolled_back' })
    })

    test('AuditWatch: raises no alarm when a log grows, is signed and pruned', async () => {
      const watch = new AuditWatch()
      for (let round = 0; round < 5; round++) {
        await log().append(5)
        await log().sign(afterSigning(round * 24 * HOUR))
        expect(await log().check(watch)).toBeUndefined()
      }
      await pruneRecords(log().db, log().workspaceId, {
        before: afterSigning(300 * 24 * HOUR),
        keys: log().keys,
        now: afterSigning(300 * 24 * HOUR),
      })
      expect(await log().check(watch)).toBeUndefined()
      expect(await log().verify()).toMatchObject({ ok: true })
    })
  })

  test('isGenuine: also checks the link of a checkpoint', async () => {
    const last = await checkpoint(16)
    expect(isGenuine(last, log().keys.publicKey)).toBe(true)
    expect(
      last.previous && isGenuine({ ...last, previous: { ...last.previous, hash: '0'.repeat(64) } }, log().keys.publicKey),
    ).toBe(false)
    expect(uuidOf('ws', last.workspace_id)).toBe(log().intruder.workspace)
  })
})
