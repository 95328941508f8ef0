import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { seedAuditedWorkspace, testDraft } from '../../test/support/audit.ts'
import { testDatabases } from '../../test/support/database.ts'
import { TEST_SECRET_KEY } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { secretBox } from '../lib/secret-box.ts'
import { appendInTransaction, findRecord, searchRecords } from './audit-store.ts'
import { uuidOf } from './chain.ts'
import { type Checkpoint, isGenuine } from './checkpoint.ts'
import { latestCheckpoint, listCheckpoints } from './checkpoint-store.ts'
import { checkConsistency, checkInclusion, consistencyProof, inclusionProof } from './proof.ts'
import type { AuditRecord } from './record.ts'
import { pruneRecords } from './retention.ts'
import { checkpointsDue, makeCheckpoint } from './sign-checkpoints.ts'
import { verifyWorkspace } from './verify.ts'
import { createWorkspaceKeys, loadWorkspaceKeys, type WorkspaceKeys } from './workspace-keys.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NOW = new Date('2026-03-01T00:00:00.000Z')
const later = (ms: number) => new Date(NOW.getTime() + ms)

describe.each(testDatabases())('checkpoints on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let keys: WorkspaceKeys

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    ;({ workspaceId, keys } = await seedAuditedWorkspace(database.db))
  })

  async function append(count: number, at = NOW): Promise<AuditRecord[]> {
    const drafts = Array.from({ length: count }, () => testDraft(workspaceId, { created_at: at.toISOString() }))
    return database.db.transaction().execute((tx) => appendInTransaction(tx, workspaceId, drafts, keys.hasher))
  }
  const sign = async (at = NOW) => (await makeCheckpoint(database.db, workspaceId, keys, at)) as Checkpoint
  const verify = () => verifyWorkspace(database.db, workspaceId, keys)

  test('a checkpoint covers all records there are, and nothing is signed twice', async () => {
    expect(await sign()).toBeUndefined()
    const records = await append(5)
    const checkpoint = await sign()
    expect(checkpoint).toMatchObject({ size: 5, hash: records.at(-1)?.integrity.hash, created_at: NOW.toISOString() })
    expect(isGenuine(checkpoint, keys.publicKey)).toBe(true)
    expect(await latestCheckpoint(database.db, workspaceId)).toEqual(checkpoint)
    expect(await sign()).toBeUndefined()
  })

  test('each goes on from the one before, whatever their distance', async () => {
    for (const count of [1, 1, 5, 2, 30, 1]) {
      await append(count)
      await sign()
    }
    expect(await verify()).toMatchObject({ ok: true, records: 40, checkpoints: 6, signedThrough: 40 })
    const page = await listCheckpoints(database.db, workspaceId, { limit: 2, below: 39 })
    expect(page.data.map(({ size }) => size)).toEqual([9, 7])
    expect(page.hasMore).toBe(true)
    expect((await listCheckpoints(database.db, workspaceId, { limit: 6 })).hasMore).toBe(false)
  })

  test('two nodes that sign at once make one', async () => {
    await append(10)
    await Promise.all([sign(), sign(later(1))])
    expect((await listCheckpoints(database.db, workspaceId, { limit: 10 })).data).toHaveLength(1)
    expect(await verify()).toMatchObject({ ok: true, signedThrough: 10 })
  })

  test('nothing is signed over a gap', async () => {
    await append(3)
    const chain = uuidOf('ws', workspaceId)
    await database.db.deleteFrom('audit_record').where('workspace_id', '=', chain).where('sequence', '=', 2).execute()
    await expect(sign()).rejects.toThrow('record 2')
  })

  test('one is due for the first record, after a minute with anything new, at once after a thousand', async () => {
    const due = async (at: Date) => (await checkpointsDue(database.db, at)).includes(workspaceId)
    expect(await due(NOW)).toBe(false)
    await append(1)
    expect(await due(NOW)).toBe(true)
    await sign()
    expect(await due(later(DAY))).toBe(false)
    await append(1)
    expect(await due(later(MINUTE - 1))).toBe(false)
    expect(await due(later(MINUTE))).toBe(true)
    await append(999)
    expect(await due(NOW)).toBe(true)
  })

  test.each([
    ['an hour', 60 * MINUTE],
    ['a year', 365 * DAY],
  ])('the next checkpoint: due at once, and the one after it in a minute, when the clock was set back by %s', async (_, back) => {
    const due = async (at: Date) => (await checkpointsDue(database.db, at)).includes(workspaceId)
    await append(1)
    await sign()
    await append(1)
    expect(await due(later(-back))).toBe(true)
    expect(await sign(later(-back))).toMatchObject({ size: 2 })
    await append(1)
    expect(await due(later(-back + MINUTE - 1))).toBe(false)
    expect(await due(later(-back + MINUTE))).toBe(true)
    expect(await verify()).toMatchObject({ ok: true, signedThrough: 2 })
  })

  describe('prove', () => {
    test('that a record is in the log, to somebody who has only the record and the key', async () => {
      const records = [...(await append(7)), ...(await append(6))]
      expect(await inclusionProof(database.db, workspaceId, records[0]?.id ?? '')).toBeUndefined()
      await sign()
      records.push(...(await append(20)))
      await sign()
      for (const record of records) {
        const shown = (await findRecord(database.db, { workspaceId }, record.id)) as AuditRecord
        const proof = await inclusionProof(database.db, workspaceId, record.id)
        if (!proof) throw new Error('no proof')
        expect(checkInclusion(shown, JSON.parse(JSON.stringify(proof)), keys.publicKey)).toBe(true)
        expect(checkInclusion({ ...shown, status: 201 }, proof, keys.publicKey)).toBe(false)
        expect(checkInclusion({ ...shown, integrity: { ...shown.integrity, sequence: 99 } }, proof, keys.publicKey)).toBe(false)
        expect(checkInclusion(shown, { ...proof, path: proof.path.slice(1) }, keys.publicKey)).toBe(proof.path.length === 0)
        expect(checkInclusion(shown, { ...proof, checkpoint: { ...proof.checkpoint, size: 34 } }, keys.publicKey)).toBe(false)
        const { publicKey } = generateKeyPairSync('ed25519')
        expect(checkInclusion(shown, proof, publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBe(false)
      }
      expect(await inclusionProof(database.db, workspaceId, newId('aud'))).toBeUndefined()
      expect(
        await inclusionProof(database.db, (await seedAuditedWorkspace(database.db)).workspaceId, records[0]?.id ?? ''),
      ).toBeUndefined()
    })

    test('that the log of today is the log of then with records added', async () => {
      await append(5)
      const older = await sign()
      await append(9)
      const newer = await sign()
      const path = (await consistencyProof(database.db, workspaceId, 5, 14)) as string[]
      expect(checkConsistency(older, newer, path, keys.publicKey)).toBe(true)
      expect(checkConsistency(newer, older, path, keys.publicKey)).toBe(false)
      expect(checkConsistency(older, newer, path.slice(1), keys.publicKey)).toBe(false)
      expect(checkConsistency({ ...older, root: newer.root }, newer, path, keys.publicKey)).toBe(false)
      expect(await consistencyProof(database.db, workspaceId, 6, 14)).toBeUndefined()
    })
  })

  describe('and retention', () => {
    const prune = (before: Date) => pruneRecords(database.db, workspaceId, { before, keys, now: later(500 * DAY) })
    /** Ten days of ten records, each signed. */
    const tenDays = async () => {
      const records: AuditRecord[] = []
      for (let day = 0; day < 10; day++) {
        records.push(...(await append(10, later(day * DAY))))
        await sign(later(day * DAY))
      }
      return records
    }

    test('what is removed ends at a checkpoint, and the rest verifies, proves and goes on', async () => {
      const records = await tenDays()
      expect(await prune(later(-DAY))).toBe(0)
      expect(await prune(later(3.5 * DAY))).toBe(40)
      expect(await verify()).toMatchObject({ ok: true, first: 41, records: 61, checkpoints: 6 })
      const proof = await inclusionProof(database.db, workspaceId, records[40]?.id ?? '')
      expect(proof && checkInclusion(records[40] as AuditRecord, proof, keys.publicKey)).toBe(true)
      await append(5)
      await sign(later(11 * DAY))
      expect(await verify()).toMatchObject({ ok: true, first: 41, signedThrough: 106 })
      expect(await findRecord(database.db, { workspaceId }, records[39]?.id ?? '')).toBeUndefined()
    })

    test('that records were removed is recorded', async () => {
      await tenDays()
      await prune(later(2.5 * DAY))
      const { records } = await searchRecords(database.db, workspaceId, { limit: 1 })
      expect(records[0]).toMatchObject({ endpoint: 'admin', change: { action: 'audit.prune', object_id: '1-30' } })
      expect(await prune(later(2.5 * DAY))).toBe(0)
    })

    test('everything may be too old', async () => {
      await tenDays()
      expect(await prune(later(400 * DAY))).toBe(100)
      expect(await verify()).toMatchObject({ ok: true, first: 101, records: 1 })
      expect(await sign(later(401 * DAY))).toMatchObject({ size: 101 })
      expect(await verify()).toMatchObject({ ok: true, signedThrough: 101 })
    })

    test('in batches, each of which leaves a log that verifies', async () => {
      for (let day = 0; day < 5; day++) {
        await append(900, later(day * DAY))
        await sign(later(day * DAY))
      }
      expect(await prune(later(4.5 * DAY))).toBe(4_500)
      expect(await verify()).toMatchObject({ ok: true, first: 4_501, records: 3 })
    })

    test('two nodes may do it at once', async () => {
      await tenDays()
      const removed = await Promise.all([prune(later(4.5 * DAY)), prune(later(4.5 * DAY))])
      expect(removed.reduce((sum, count) => sum + count)).toBe(50)
      expect(await verify()).toMatchObject({ ok: true, first: 51, records: 51 })
    })

    test('evidence of tampering is not removed', async () => {
      await tenDays()
      const chain = uuidOf('ws', workspaceId)
      await database.db
        .updateTable('audit_checkpoint')
        .set({ root: Buffer.alloc(32) })
        .where('workspace_id', '=', chain)
        .execute()
      await expect(prune(later(3.5 * DAY))).rejects.toThrow('altered')
      expect(await verify()).toMatchObject({ ok: false, first: 1 })
    })

    /** Thirty records of three days; then the clock is set back for ten records, and is right again for ten more. */
    const clockSetBack = async (ms: number) => {
      const records: AuditRecord[] = []
      const sealed = async (at: Date) => {
        records.push(...(await append(10, at)))
        await sign(at)
      }
      for (const day of [400, 401, 402]) await sealed(later(day * DAY))
      await sealed(later(402 * DAY - ms))
      await sealed(later(403 * DAY))
      return records
    }

    test('retention: removes no young records when the clock was set back by a year while they were written', async () => {
      await clockSetBack(365 * DAY)
      expect(await prune(later(100 * DAY))).toBe(0)
      expect(await prune(later(400.5 * DAY))).toBe(10)
      expect(await verify()).toMatchObject({ ok: true, first: 11 })
    })

    test('a search by time: finds all records of that time when the clock was set back in between', async () => {
      const records = await clockSetBack(365 * DAY)
      const search = async (from: number, to: number) => {
        const page = await searchRecords(database.db, workspaceId, { from: later(from * DAY), to: later(to * DAY), limit: 100 })
        return page.records.map(({ id }) => id).toReversed()
      }
      const ids = records.map(({ id }) => id)
      expect(await search(30, 50)).toEqual(ids.slice(30, 40))
      expect(await search(401, 404)).toEqual([...ids.slice(10, 30), ...ids.slice(40)])
      expect(await search(390, 402.5)).toEqual(ids.slice(0, 30))
    })

    test('a search by time finds the same with checkpoints as an index as without', async () => {
      const records = await tenDays()
      const page = await searchRecords(database.db, workspaceId, { from: later(3 * DAY), to: later(5 * DAY), limit: 100 })
      expect(page.records.map(({ id }) => id).toReversed()).toEqual(records.slice(30, 50).map(({ id }) => id))
    })
  })

  describe("a Workspace's keys", () => {
    const box = secretBox(TEST_SECRET_KEY, 'workspace')

    test('are its own: they open for it alone, and what it signs its public key checks', async () => {
      const made = createWorkspaceKeys(box, workspaceId)
      const chain = uuidOf('ws', workspaceId)
      const columns = {
        ...{ hash_key: made.hashKey, signing_key: made.signingKey, signing_public_key: made.signingPublicKey },
        audit_seal: made.auditSeal,
      }
      await database.db.updateTable('workspace').set(columns).where('id', '=', chain).execute()
      const loaded = await loadWorkspaceKeys(database.db, box, workspaceId)
      if (!loaded) throw new Error('no keys')
      keys = loaded
      await append(1)
      expect(isGenuine(await sign(), made.signingPublicKey)).toBe(true)
      const other = await seedAuditedWorkspace(database.db)
      expect(loaded.hasher.text('request', 'hello')).not.toBe(other.keys.hasher.text('request', 'hello'))
      expect(() => box.open(made.hashKey, other.workspaceId)).toThrow()
    })

    test('cannot be had when there is none, or when they were destroyed', async () => {
      expect(await loadWorkspaceKeys(database.db, box, newId('ws'))).toBeUndefined()
      const chain = uuidOf('ws', workspaceId)
      await database.db
        .updateTable('workspace')
        .set({ hash_key: Buffer.alloc(0) })
        .where('id', '=', chain)
        .execute()
      await expect(loadWorkspaceKeys(database.db, box, workspaceId)).rejects.toThrow()
    })
  })
})
