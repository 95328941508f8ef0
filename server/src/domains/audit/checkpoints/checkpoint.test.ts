import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mostRows } from '../../../../test/support/after-rows.ts'
import { AuditLogFixture, afterSigning, SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { checkInclusion } from '../../../../test/support/check-inclusion.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { TEST_SECRET_KEY } from '../../../../test/support/seed.ts'
import { newId } from '../../../platform/lib/id.ts'
import { secretBox } from '../../../platform/lib/secret-box.ts'
import { findRecord, SEALED_PAGE_SIZE } from '../audit-store.ts'
import type { AuditRecord } from '../record/record.ts'
import { searchRecords } from '../search-records.ts'
import { findProofFault } from '../verify/record-proof.ts'
import { createWorkspaceKeys, loadWorkspaceKeys } from '../workspace-keys.ts'
import { type Checkpoint, isGenuine } from './checkpoint.ts'
import { findCheckpointsBetween, findLatestCheckpoint, listCheckpoints } from './checkpoint-store.ts'
import { createInclusionProof } from './proof.ts'
import { findWorkspacesDue, makeCheckpoint } from './sign-checkpoints.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

describe.each(testDatabases())('checkpoints on $name', ({ open }) => {
  const log = useAuditLog(open)
  const append = (count: number, at = SIGNED_AT) => log().append(count, { created_at: at.toISOString() })
  const sign = async (at?: Date) => (await log().sign(at)) as Checkpoint
  const verify = () => log().verify()
  const due = async (at: Date) => (await findWorkspacesDue(log().db, at)).includes(log().workspaceId)

  test('makeCheckpoint: covers all records and signs none twice', async () => {
    expect(await sign()).toBeUndefined()
    const records = await append(5)
    const checkpoint = await sign()
    expect(checkpoint).toMatchObject({ size: 5, hash: records.at(-1)?.integrity.hash, created_at: SIGNED_AT.toISOString() })
    expect(isGenuine(checkpoint, log().keys.publicKey)).toBe(true)
    expect(await findLatestCheckpoint(log().db, log().workspaceId)).toEqual(checkpoint)
    expect(await sign()).toBeUndefined()
  })

  test('makeCheckpoint: continues from the previous checkpoint at any distance', async () => {
    for (const count of [1, 1, 5, 2, 30, 1]) {
      await append(count)
      await sign()
    }
    expect(await verify()).toMatchObject({ ok: true, records: 40, checkpoints: 6, signedThrough: 40 })
    const page = await listCheckpoints(log().db, log().workspaceId, { limit: 2, below: 39 })
    expect(page.data.map(({ size }) => size)).toEqual([9, 7])
    expect(page.hasMore).toBe(true)
    expect((await listCheckpoints(log().db, log().workspaceId, { limit: 6 })).hasMore).toBe(false)
  })

  test('makeCheckpoint: stores one checkpoint when two nodes sign at the same time', async () => {
    await append(10)
    await Promise.all([sign(), sign(afterSigning(1))])
    expect((await listCheckpoints(log().db, log().workspaceId, { limit: 10 })).data).toHaveLength(1)
    expect(await verify()).toMatchObject({ ok: true, signedThrough: 10 })
  })

  test('makeCheckpoint: statements read a page of links at most, and a checkpoint covers about a thousand records', async () => {
    await log().appendUnderLock(1_250)
    const { workspaceId, keys } = log()
    const clock = { now: () => SIGNED_AT }
    expect(await mostRows(log().db, (db) => makeCheckpoint(db, workspaceId, keys, clock))).toBe(SEALED_PAGE_SIZE)
    const sizes = await findCheckpointsBetween(log().db, workspaceId, 0, 2_000)
    expect(sizes.map(({ size }) => size)).toEqual([1_000, 1_250])
  })

  test('makeCheckpoint: throws when a record is missing', async () => {
    await append(3)
    await log().intruder.removeRows(2)
    await expect(sign()).rejects.toThrow('record 2')
  })

  test('findWorkspacesDue: due for the first record, after a minute with new records, and after a thousand records', async () => {
    expect(await due(SIGNED_AT)).toBe(false)
    await append(1)
    expect(await due(SIGNED_AT)).toBe(true)
    await sign()
    expect(await due(afterSigning(DAY))).toBe(false)
    await append(1)
    expect(await due(afterSigning(MINUTE - 1))).toBe(false)
    expect(await due(afterSigning(MINUTE))).toBe(true)
    await append(999)
    expect(await due(SIGNED_AT)).toBe(true)
  })

  describe('proofs', () => {
    test('inclusion: verifies with only the record and the public key', async () => {
      const records = [...(await append(7)), ...(await append(6))]
      expect(await createInclusionProof(log().db, log().workspaceId, records[0]?.id ?? '')).toBeUndefined()
      await sign()
      records.push(...(await append(20)))
      await sign()
      for (const record of records) {
        const shown = (await findRecord(log().db, { workspaceId: log().workspaceId }, record.id)) as AuditRecord
        const proof = await createInclusionProof(log().db, log().workspaceId, record.id)
        if (!proof) throw new Error('no proof')
        const { publicKey } = log().keys
        const isIncluded = (record = shown, changed = proof, key = publicKey) => {
          const isProved = checkInclusion(record, changed, key)
          // The command line agrees with the other implementation.
          expect(findProofFault({ ...changed, record }, key) === undefined).toBe(isProved)
          return isProved
        }
        expect(isIncluded(shown, JSON.parse(JSON.stringify(proof)))).toBe(true)
        expect(isIncluded({ ...shown, status: 201 })).toBe(false)
        expect(isIncluded({ ...shown, integrity: { ...shown.integrity, sequence: 99 } })).toBe(false)
        expect(isIncluded(shown, { ...proof, path: proof.path.slice(1) })).toBe(proof.path.length === 0)
        expect(isIncluded(shown, { ...proof, checkpoint: { ...proof.checkpoint, size: 34 } })).toBe(false)
        const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
        expect(isIncluded(shown, proof, other)).toBe(false)
      }
      expect(await createInclusionProof(log().db, log().workspaceId, newId('aud'))).toBeUndefined()
      const other = await log().createOther()
      expect(await createInclusionProof(log().db, other.workspaceId, records[0]?.id ?? '')).toBeUndefined()
    })
  })

  describe('pruneRecords: retention [GW-AUD-8]', () => {
    const prune = (before: Date) => log().prune(before, { now: afterSigning(500 * DAY) })
    const signed = async (count: number, day: number) => {
      const records = await append(count, afterSigning(day * DAY))
      await sign(afterSigning(day * DAY))
      return records
    }
    /** Ten days of ten records, each signed. */
    const tenDays = async () => {
      const records: AuditRecord[] = []
      for (let day = 0; day < 10; day++) records.push(...(await signed(10, day)))
      return records
    }

    test('removes up to a checkpoint and records it; the rest can be verified, proved and extended', async () => {
      const records = await tenDays()
      expect(await prune(afterSigning(-DAY))).toBe(0)
      expect(await prune(afterSigning(3.5 * DAY))).toBe(40)
      expect(await prune(afterSigning(3.5 * DAY))).toBe(0)
      const { data } = await searchRecords(log().db, log().workspaceId, { limit: 1 })
      expect(data[0]).toMatchObject({ endpoint: 'admin', change: { action: 'audit.prune', object_id: '1-40' } })
      expect(await verify()).toMatchObject({ ok: true, first: 41, records: 61, checkpoints: 6 })
      const proof = await createInclusionProof(log().db, log().workspaceId, records[40]?.id ?? '')
      expect(proof && checkInclusion(records[40] as AuditRecord, proof, log().keys.publicKey)).toBe(true)
      await append(5)
      await sign(afterSigning(11 * DAY))
      expect(await verify()).toMatchObject({ ok: true, first: 41, signedThrough: 106 })
      expect(await findRecord(log().db, { workspaceId: log().workspaceId }, records[39]?.id ?? '')).toBeUndefined()
    })

    test('removes all records when all are older than the limit', async () => {
      await tenDays()
      expect(await prune(afterSigning(400 * DAY))).toBe(100)
      expect(await verify()).toMatchObject({ ok: true, first: 101, records: 1 })
      expect(await sign(afterSigning(401 * DAY))).toMatchObject({ size: 101 })
      expect(await verify()).toMatchObject({ ok: true, signedThrough: 101 })
    })

    test('leaves a log that verifies when it removes several batches', async () => {
      for (let day = 0; day < 5; day++) await signed(900, day)
      expect(await prune(afterSigning(4.5 * DAY))).toBe(4_500)
      expect(await verify()).toMatchObject({ ok: true, first: 4_501, records: 5 })
    })

    test('removes each record once when two nodes prune at the same time', async () => {
      await tenDays()
      const removed = await Promise.all([prune(afterSigning(4.5 * DAY)), prune(afterSigning(4.5 * DAY))])
      expect(removed.reduce((sum, count) => sum + count)).toBe(50)
      expect(await verify()).toMatchObject({ ok: true, first: 51, records: 51 })
    })

    test('removes nothing when the checkpoint was altered', async () => {
      await tenDays()
      await log().intruder.changeCheckpoint(40, { root: Buffer.alloc(32) })
      await expect(prune(afterSigning(3.5 * DAY))).rejects.toThrow('altered')
      expect(await verify()).toMatchObject({ ok: false, first: 1 })
    })

    /** Thirty records of three days; then the clock is set back for ten records, and is right again for ten more. */
    const clockSetBack = async () => {
      const records: AuditRecord[] = []
      for (const day of [400, 401, 402, 402 - 365, 403]) records.push(...(await signed(10, day)))
      return records
    }

    test('removes no recent records when the clock was set back by a year while they were written', async () => {
      await clockSetBack()
      expect(await prune(afterSigning(100 * DAY))).toBe(0)
      expect(await prune(afterSigning(400.5 * DAY))).toBe(10)
      expect(await verify()).toMatchObject({ ok: true, first: 11 })
    })

    /** Ids of the records of some days, oldest first. */
    const search = async (from: number, to: number) => {
      const range = { from: afterSigning(from * DAY), to: afterSigning(to * DAY) }
      const page = await searchRecords(log().db, log().workspaceId, { ...range, limit: 100 })
      return page.data.map(({ id }) => id).toReversed()
    }

    test('searchRecords: finds all records of a time range when the clock was set back', async () => {
      const ids = (await clockSetBack()).map(({ id }) => id)
      expect(await search(30, 50)).toEqual(ids.slice(30, 40))
      expect(await search(401, 404)).toEqual([...ids.slice(10, 30), ...ids.slice(40)])
      expect(await search(390, 402.5)).toEqual(ids.slice(0, 30))
    })

    test('searchRecords: finds all records of a time range when checkpoints narrow it', async () => {
      const records = await tenDays()
      expect(await search(3, 5)).toEqual(records.slice(30, 50).map(({ id }) => id))
    })
  })

  describe('workspace keys', () => {
    const box = secretBox(TEST_SECRET_KEY, 'workspace')

    test('createWorkspaceKeys: can be decrypted only for their Workspace, and the public key verifies its signatures', async () => {
      const made = createWorkspaceKeys(box, log().workspaceId)
      const { hashKey: hash_key, signingKey: signing_key, signingPublicKey: signing_public_key, auditSeal: audit_seal } = made
      const columns = { hash_key, signing_key, signing_public_key, audit_seal }
      await log().db.updateTable('workspace').set(columns).where('id', '=', log().intruder.workspace).execute()
      const loaded = await loadWorkspaceKeys(log().db, box, log().workspaceId)
      if (!loaded) throw new Error('no keys')
      const reloaded = new AuditLogFixture(log().database, log().workspaceId, loaded)
      await reloaded.append(1)
      expect(isGenuine((await reloaded.sign()) as Checkpoint, made.signingPublicKey)).toBe(true)
      const other = await log().createOther()
      expect(loaded.hasher.text('request', 'hello')).not.toBe(other.keys.hasher.text('request', 'hello'))
      expect(() => box.open(made.hashKey, other.workspaceId)).toThrow()
    })

    test('loadWorkspaceKeys: returns undefined for an unknown Workspace and throws when the keys were destroyed', async () => {
      expect(await loadWorkspaceKeys(log().db, box, newId('ws'))).toBeUndefined()
      const destroyed = { hash_key: Buffer.alloc(0) }
      await log().db.updateTable('workspace').set(destroyed).where('id', '=', log().intruder.workspace).execute()
      await expect(loadWorkspaceKeys(log().db, box, log().workspaceId)).rejects.toThrow()
    })
  })
})
