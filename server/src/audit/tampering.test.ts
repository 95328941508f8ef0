import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asOlderVersion, seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import { Intruder } from '../../test/support/intruder.ts'
import type { Database } from '../db/database.ts'
import { adoptLog } from './adopt-log.ts'
import { appendInTransaction } from './audit-store.ts'
import { uuidOf } from './chain.ts'
import { type Checkpoint, isGenuine } from './checkpoint.ts'
import { checkpointAt, latestCheckpoint } from './checkpoint-store.ts'
import type { AuditDraft } from './record.ts'
import { pruneRecords } from './retention.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'
import { verifyWorkspace } from './verify.ts'
import { AuditWatch } from './watch.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = new Date('2026-03-01T00:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)
const denied = (draft: AuditDraft): AuditDraft => ({
  ...draft,
  decision: draft.decision && { ...draft.decision, verdict: 'deny' },
})

/** Twenty records, the fifth, twelfth and eighteenth denied; checkpoints after the eighth and the sixteenth. */
describe.each(testDatabases())('an intruder in the database without the secret key, on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let keys: WorkspaceKeys
  let intruder: Intruder
  let ids: string[]

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
    intruder = new Intruder(database.db, workspaceId)
    ids = []
    await append(8)
    await sign()
    await append(8)
    await sign()
    await append(4)
  })

  const DENIED = new Set([5, 12, 18])

  async function append(count: number): Promise<void> {
    const drafts = Array.from({ length: count }, (_, index) => {
      const usual = testDraft(workspaceId)
      return DENIED.has(ids.length + index + 1) ? denied(usual) : usual
    })
    ids.push(...drafts.map(({ id }) => id))
    await database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
  }
  const sign = (at = NOW) => makeCheckpoint(database.db, workspaceId, keys, at)
  const verify = () => verifyWorkspace(database.db, workspaceId, keys)
  const checkpoint = async (size: number) => (await checkpointAt(database.db, workspaceId, size)) as Checkpoint

  /** Nothing may be signed, now or once more records have come in. */
  async function expectNothingSigned(): Promise<void> {
    const before = await latestCheckpoint(database.db, workspaceId)
    await expect(sign(later(MINUTE))).rejects.toThrow('tampered with')
    await append(3)
    await expect(sign(later(2 * MINUTE))).rejects.toThrow('tampered with')
    expect(await latestCheckpoint(database.db, workspaceId)).toEqual(before)
  }

  test('untouched: the log verifies, the next checkpoint is signed and names the one before', async () => {
    expect(await verify()).toEqual({ ok: true, records: 20, checkpoints: 2, first: 1, signedThrough: 16 })
    const signed = await sign(later(MINUTE))
    expect(signed).toMatchObject({ size: 20, previous: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    expect(signed && isGenuine(signed, keys.publicKey)).toBe(true)
  })

  test.each([5, 12, 18])(
    'audit verify: names record %i when its deny became an allow, all was rechained and no checkpoint left',
    async (at) => {
      await intruder.allow(at)
      await intruder.deleteCheckpoints()
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: at, id: ids[at - 1], reason: 'unsealed' } })
      await expectNothingSigned()
    },
  )

  test.each([5, 12, 18])('audit verify: names record %i when only the later checkpoints were deleted', async (at) => {
    await intruder.allow(at)
    await intruder.deleteCheckpoints(at - 1)
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: at, reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test('signing: refuses records newer than the last checkpoint when they were rewritten', async () => {
    await intruder.allow(18)
    expect(await verify()).toMatchObject({ firstBad: { sequence: 18, id: ids[17], reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test('signing: refuses records newer than the last checkpoint when their seals were removed as well', async () => {
    await intruder.allow(18)
    await database.db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', intruder.workspace).execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 1, reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test.each([10, 14, 16])('audit verify: finds the tail cut after record %i together with its checkpoints', async (at) => {
    await intruder.cutAfter(at)
    const cut = at < 16 ? { sequence: at + 1, reason: 'missing' } : { sequence: 16, reason: 'checkpoint_missing' }
    if (at === 16) await intruder.deleteCheckpoints(8)
    expect(await verify()).toMatchObject({ ok: false, firstBad: cut })
    await expectNothingSigned()
  })

  test('audit verify: finds every record removed', async () => {
    await database.db.deleteFrom('audit_record').where('workspace_id', '=', intruder.workspace).execute()
    await intruder.deleteCheckpoints()
    const start = { sequence: 0, hash: Buffer.alloc(32) }
    await database.db.updateTable('audit_head').set(start).where('workspace_id', '=', intruder.workspace).execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 1, reason: 'missing' } })
    await expectNothingSigned()
  })

  test.each([5, 12, 18])('audit verify: names the place of record %i when it was removed and the rest rechained', async (at) => {
    await intruder.remove(at)
    await intruder.deleteCheckpoints()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: at, id: ids[at], reason: 'unsealed' } })
    await expectNothingSigned()
  })

  test('audit verify: finds the public key replaced', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    await intruder.setPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 0, reason: 'public_key_replaced' } })
    await expectNothingSigned()
  })

  test.each<[string, (seal: string) => string | null, string]>([
    ['altered', (seal) => seal.replace('"size":16', '"size":8'), 'seal_altered'],
    ['cut short', (seal) => seal.slice(0, 20), 'seal_altered'],
    ['emptied', () => '', 'seal_altered'],
    ['removed', () => null, 'seal_missing'],
  ])('audit verify: finds the seal %s', async (_, change, reason) => {
    await intruder.setSeal(change((await intruder.seal()) ?? ''))
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 0, reason } })
    await expectNothingSigned()
  })

  test('audit verify: finds a seal copied from another Workspace', async () => {
    const other = await seedAuditedWorkspace(database.db)
    await intruder.setSeal(await new Intruder(database.db, other.workspaceId).seal())
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 0, reason: 'seal_altered' } })
    await expectNothingSigned()
  })

  test('signing: is not led to take the log for one of an older version', async () => {
    await intruder.allow(5)
    await intruder.deleteCheckpoints()
    await intruder.removeSeals()
    const unchained = { previous: null, previous_signature: null }
    await database.db.updateTable('audit_checkpoint').set(unchained).where('workspace_id', '=', intruder.workspace).execute()
    expect(await verify()).toMatchObject({ ok: false })
    await expectNothingSigned()
  })

  test('audit verify: finds an older seal that was put back together with its checkpoint', async () => {
    const before = await intruder.seal()
    await sign(later(MINUTE))
    await intruder.setSeal(before)
    await expect(sign(later(2 * MINUTE))).rejects.toThrow('rolled_back')
  })

  test.each<[string, Record<string, unknown>]>([
    ['time', { created_at: new Date(0) }],
    ['root', { root: Buffer.alloc(32) }],
    ['signature', { signature: Buffer.alloc(64) }],
    ['name of the one before', { previous: Buffer.alloc(32) }],
    ['link', { previous: null, previous_signature: null }],
  ])('audit verify: finds the last checkpoint altered in its %s', async (_, columns) => {
    const rows = database.db.updateTable('audit_checkpoint').set(columns).where('workspace_id', '=', intruder.workspace)
    await rows.where('size', '=', 16).execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 16, reason: 'checkpoint_altered' } })
    await expectNothingSigned()
  })

  test('audit verify: finds a checkpoint between two others removed', async () => {
    await sign(later(MINUTE))
    await database.db
      .deleteFrom('audit_checkpoint')
      .where('workspace_id', '=', intruder.workspace)
      .where('size', '=', 16)
      .execute()
    expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 9, through: 20, reason: 'checkpoint_missing' } })
  })

  test('retention: removes nothing from a log that was tampered with', async () => {
    await intruder.setSeal(null)
    const pruning = pruneRecords(database.db, workspaceId, { before: later(500 * 24 * HOUR), keys, now: later(500 * 24 * HOUR) })
    await expect(pruning).rejects.toThrow('seal_missing')
    expect(await intruder.rows()).toHaveLength(20)
  })

  test('a new Workspace: its first checkpoint is signed over sealed records only', async () => {
    const fresh = await seedAuditedWorkspace(database.db)
    const drafts = [denied(testDraft(fresh.workspaceId)), testDraft(fresh.workspaceId)]
    await database.db.transaction().execute((tx) => appendInTransaction(tx, fresh.workspaceId, drafts, fresh.keys.hasher))
    const found = await verifyWorkspace(database.db, fresh.workspaceId, fresh.keys)
    expect(found).toEqual({ ok: true, records: 2, checkpoints: 0, first: 1, signedThrough: 0 })
    await new Intruder(database.db, fresh.workspaceId).allow(1)
    await expect(makeCheckpoint(database.db, fresh.workspaceId, fresh.keys, NOW)).rejects.toThrow('unsealed')
  })

  describe('and the memory of a running node', () => {
    /** The whole database as it was: every table of the log, seal included. */
    async function snapshot(): Promise<() => Promise<void>> {
      const of = intruder.workspace
      const [records, seal] = [await intruder.rows(), await intruder.seal()]
      const heads = await database.db.selectFrom('audit_head').selectAll().where('workspace_id', '=', of).execute()
      const checkpoints = await database.db.selectFrom('audit_checkpoint').selectAll().where('workspace_id', '=', of).execute()
      return async () => {
        for (const table of ['audit_record', 'audit_checkpoint', 'audit_head'] as const)
          await database.db.deleteFrom(table).where('workspace_id', '=', of).execute()
        await database.db.insertInto('audit_record').values(records).execute()
        await database.db.insertInto('audit_head').values(heads).execute()
        await database.db.insertInto('audit_checkpoint').values(checkpoints).execute()
        await intruder.setSeal(seal)
      }
    }
    const check = (watch: AuditWatch) => watch.check(database.db, workspaceId, keys)

    test('an older state put back: cannot be seen from inside, but by the node that saw a newer one, on every node from then on', async () => {
      const putBack = await snapshot()
      const watch = new AuditWatch()
      await sign(later(MINUTE))
      expect(await check(watch)).toBeUndefined()
      await putBack()
      expect(await verify()).toMatchObject({ ok: true })
      expect(await check(watch)).toMatchObject({ sequence: 17, reason: 'rolled_back' })
      expect(watch.found.get(workspaceId)).toMatchObject({ reason: 'rolled_back' })
      // From now on it stands in the seal: a node that starts later knows as well.
      expect(await check(new AuditWatch())).toMatchObject({ sequence: 17, reason: 'rolled_back' })
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 17, reason: 'rolled_back' } })
      await expectNothingSigned()
    })

    test('records newer than the last checkpoint cut off: found at the next check', async () => {
      const watch = new AuditWatch()
      expect(await check(watch)).toBeUndefined()
      await intruder.cutAfter(18)
      expect(await check(watch)).toMatchObject({ sequence: 19, reason: 'rolled_back' })
    })

    test('records cut off and others written in their place: found at the next check', async () => {
      const watch = new AuditWatch()
      expect(await check(watch)).toBeUndefined()
      await intruder.cutAfter(18)
      await append(5)
      expect(await check(watch)).toMatchObject({ sequence: 20, reason: 'rolled_back' })
    })

    test('a log that grows, is signed and pruned raises no alarm', async () => {
      const watch = new AuditWatch()
      for (let round = 0; round < 5; round++) {
        await append(5)
        await sign(later(round * 24 * HOUR))
        expect(await check(watch)).toBeUndefined()
      }
      await pruneRecords(database.db, workspaceId, { before: later(300 * 24 * HOUR), keys, now: later(300 * 24 * HOUR) })
      expect(await check(watch)).toBeUndefined()
      expect(await verify()).toMatchObject({ ok: true })
    })
  })

  describe('an installation of an older version', () => {
    beforeEach(() => asOlderVersion(database.db, workspaceId))

    test('is taken over once, when its checkpoints verify, and sealed from then on', async () => {
      const adopted: unknown[] = []
      const signed = await makeCheckpoint(database.db, workspaceId, keys, later(MINUTE), (what) => adopted.push(what))
      expect(adopted).toEqual([{ signedThrough: 16, newer: 4 }])
      expect(signed).toMatchObject({ size: 20 })
      await append(2)
      await makeCheckpoint(database.db, workspaceId, keys, later(2 * MINUTE), (what) => adopted.push(what))
      expect(adopted).toHaveLength(1)
      expect(await verify()).toMatchObject({ ok: true, records: 22, signedThrough: 22 })
      await intruder.setSeal(null)
      expect(await verify()).toMatchObject({ ok: false, firstBad: { reason: 'seal_missing' } })
      await expect(sign(later(3 * MINUTE))).rejects.toThrow('seal_missing')
    })

    test('is not taken over when a record that a checkpoint covers was rewritten', async () => {
      await intruder.allow(5)
      await expect(sign(later(MINUTE))).rejects.toThrow('not_as_signed')
      expect(await intruder.seal()).toBeNull()
    })

    test('is not taken over when no checkpoint vouches for its records', async () => {
      await intruder.deleteCheckpoints()
      await expect(sign(later(MINUTE))).rejects.toThrow('unvouched')
      expect(await latestCheckpoint(database.db, workspaceId)).toBeUndefined()
    })

    test('may have older nodes beside it for a day; then every record has to be sealed', async () => {
      await sign(later(MINUTE))
      await append(2)
      await database.db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', intruder.workspace).execute()
      expect(await sign(later(HOUR))).toMatchObject({ size: 22 })
      await append(2)
      expect(await sign(later(25 * HOUR))).toMatchObject({ size: 24 })
      await append(1)
      await database.db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', intruder.workspace).execute()
      await expect(sign(later(26 * HOUR))).rejects.toThrow('unsealed')
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 23, reason: 'unsealed' } })
    })

    test('an older node has signed meanwhile: its checkpoint counts', async () => {
      await adoptLog(database.db, workspaceId, keys, NOW)
      await append(3)
      await sign(later(MINUTE))
      const seal = await intruder.seal()
      await append(3)
      await sign(later(2 * MINUTE))
      // As an older node leaves it: the checkpoint without a link, the seal where it was.
      const unchained = { previous: null, previous_signature: null }
      const rows = database.db.updateTable('audit_checkpoint').set(unchained).where('workspace_id', '=', intruder.workspace)
      await rows.where('size', '=', 26).execute()
      await intruder.setSeal(seal)
      await append(1)
      expect(await sign(later(3 * MINUTE))).toMatchObject({ size: 27 })
      expect(await verify()).toMatchObject({ ok: true, signedThrough: 27 })
    })

    test('one removed record and the rest rechained: the range is named though there are no seals', async () => {
      await intruder.remove(5)
      expect(await verify()).toMatchObject({ ok: false, firstBad: { sequence: 1, through: 8, reason: 'not_as_signed' } })
    })
  })

  test('a checkpoint by itself: its link is checked with it', async () => {
    const last = await checkpoint(16)
    expect(isGenuine(last, keys.publicKey)).toBe(true)
    expect(last.previous && isGenuine({ ...last, previous: { ...last.previous, hash: '0'.repeat(64) } }, keys.publicKey)).toBe(
      false,
    )
    expect(uuidOf('ws', last.workspace_id)).toBe(intruder.workspace)
  })
})
