import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type AuditLogFixture, afterSigning, DENIED, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { type Checkpoint, isGenuine } from '../checkpoints/checkpoint.ts'
import { findCheckpointAt, findLatestCheckpoint } from '../checkpoints/checkpoint-store.ts'
import { AuditWatch } from '../checkpoints/watch.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DENIED_RECORDS = new Set([5, 12, 18])
const denied = { decision: DENIED }

type Harm = (log: AuditLogFixture) => Promise<unknown>
const changeSeal =
  (change: (seal: string) => string | null): Harm =>
  async ({ intruder }) =>
    intruder.setSeal(change((await intruder.seal()) ?? ''))
const removeAllRecords: Harm = async ({ intruder }) => {
  await intruder.removeRows(1, 20)
  await intruder.deleteCheckpoints()
  await intruder.setHead(0, Buffer.alloc(32))
}

/** `record`: the one with the fault's id, by its original sequence. */
interface Fault {
  readonly sequence?: number
  readonly reason?: string
  readonly record?: number
}

/** Attacks, and the faults that verification names. */
const ATTACKS: readonly [string, Harm, Fault][] = [
  ...[5, 12, 18].map((at): [string, Harm, Fault] => [
    `changed the verdict of record ${at}, rechained the log and deleted all checkpoints`,
    async ({ intruder }) => {
      await intruder.allow(at)
      await intruder.deleteCheckpoints()
    },
    { sequence: at, record: at, reason: 'unsealed' },
  ]),
  ...[5, 12, 18].map((at): [string, Harm, Fault] => [
    `changed the verdict of record ${at}, rechained the log and deleted only the later checkpoints`,
    async ({ intruder }) => {
      await intruder.allow(at)
      await intruder.deleteCheckpoints(at - 1)
    },
    { sequence: at, reason: 'unsealed' },
  ]),
  ...[5, 12, 18].map((at): [string, Harm, Fault] => [
    `removed record ${at}, rechained the rest and deleted all checkpoints`,
    async ({ intruder }) => {
      await intruder.remove(at)
      await intruder.deleteCheckpoints()
    },
    { sequence: at, record: at + 1, reason: 'unsealed' },
  ]),
  ...[10, 14].map((at): [string, Harm, Fault] => [
    `cut off the tail after record ${at} and its checkpoints`,
    ({ intruder }) => intruder.cutAfter(at),
    { sequence: at + 1, reason: 'missing' },
  ]),
  [
    'cut off the tail after a checkpoint, and that checkpoint',
    async ({ intruder }) => {
      await intruder.cutAfter(16)
      await intruder.deleteCheckpoints(8)
    },
    { sequence: 16, reason: 'checkpoint_missing' },
  ],
  [
    'rewrote records after the last checkpoint',
    ({ intruder }) => intruder.allow(18),
    { sequence: 18, record: 18, reason: 'unsealed' },
  ],
  [
    'rewrote records and removed all seals of records',
    async ({ intruder }) => {
      await intruder.allow(18)
      for (let sequence = 1; sequence <= 20; sequence++) await intruder.change(sequence, { seal: null })
    },
    { sequence: 1, reason: 'unsealed' },
  ],
  [
    'rewrote records and removed all seals and checkpoints',
    async ({ intruder }) => {
      await intruder.allow(5)
      await intruder.deleteCheckpoints()
      await intruder.removeSeals()
    },
    {},
  ],
  ['removed all records', removeAllRecords, { sequence: 1, reason: 'missing' }],
  [
    'replaced the public key',
    ({ intruder }) =>
      intruder.setPublicKey(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    { sequence: 0, reason: 'public_key_replaced' },
  ],
  ['altered the seal', changeSeal((seal) => seal.replace('"size":16', '"size":8')), { sequence: 0, reason: 'seal_altered' }],
  ['cut the seal short', changeSeal((seal) => seal.slice(0, 20)), { sequence: 0, reason: 'seal_altered' }],
  ['emptied the seal', changeSeal(() => ''), { sequence: 0, reason: 'seal_altered' }],
  ['removed the seal', changeSeal(() => null), { sequence: 0, reason: 'seal_missing' }],
  [
    'copied the seal of another Workspace',
    async (log) => log.intruder.setSeal(await (await log.createOther()).intruder.seal()),
    { sequence: 0, reason: 'seal_altered' },
  ],
  ...Object.entries<Parameters<AuditLogFixture['intruder']['changeCheckpoint']>[1]>({
    time: { created_at: new Date(0) },
    root: { root: Buffer.alloc(32) },
    signature: { signature: Buffer.alloc(64) },
    'name of the one before': { previous: Buffer.alloc(32) },
    link: { previous: null, previous_signature: null },
  }).map(([field, columns]): [string, Harm, Fault] => [
    `changed the ${field} of the last checkpoint`,
    ({ intruder }) => intruder.changeCheckpoint(16, columns),
    { sequence: 16, reason: 'checkpoint_altered' },
  ]),
]

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

  /** Nothing may be signed, now or once more records have come in. */
  async function expectNothingSigned(fault: object): Promise<void> {
    const before = await findLatestCheckpoint(log().db, log().workspaceId)
    await log().expectFault(fault)
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

  test.each(ATTACKS)('found, and nothing is signed, when an attacker %s', async (_, harm, { record, ...fault }) => {
    const id = record === undefined ? undefined : log().ids[record - 1]
    await harm(log())
    await expectNothingSigned({ ...fault, ...(id !== undefined && { id }) })
  })

  test('makeCheckpoint: refuses when an older seal was restored', async () => {
    const before = await log().intruder.seal()
    await log().sign(afterSigning(MINUTE))
    await log().intruder.setSeal(before)
    await expect(log().sign(afterSigning(2 * MINUTE))).rejects.toThrow('rolled_back')
  })

  test('verifyWorkspace: finds a removed checkpoint between two others', async () => {
    await log().sign(afterSigning(MINUTE))
    await log().intruder.deleteCheckpoints(15, 16)
    const firstFault = { sequence: 9, through: 20, reason: 'checkpoint_missing' }
    expect(await log().verify()).toMatchObject({ ok: false, firstFault })
  })

  test('pruneRecords: removes nothing when the log was tampered with', async () => {
    await log().intruder.setSeal(null)
    await expect(log().prune(afterSigning(500 * 24 * HOUR))).rejects.toThrow('seal_missing')
    expect(await log().intruder.rows()).toHaveLength(20)
  })

  test('makeCheckpoint: signs only sealed records in a new Workspace', async () => {
    const fresh = await log().createOther()
    await fresh.append(2, denied)
    expect(await fresh.verify()).toEqual({ ok: true, records: 2, checkpoints: 0, first: 1, signedThrough: 0 })
    await fresh.intruder.allow(1)
    await expect(fresh.sign()).rejects.toThrow('unsealed')
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
      await expectNothingSigned({ sequence: 17, reason: 'rolled_back' })
    })

    test.each([
      ['were cut off', 0, 19],
      ['were replaced by others', 5, 20],
    ])('AuditWatch: finds that records after the last checkpoint %s', async (_, added, sequence) => {
      const watch = new AuditWatch()
      expect(await log().check(watch)).toBeUndefined()
      await log().intruder.cutAfter(18)
      if (added > 0) await log().append(added)
      expect(await log().check(watch)).toMatchObject({ sequence, reason: 'rolled_back' })
    })

    test('AuditWatch: raises no alarm when a log grows, is signed and pruned', async () => {
      const watch = new AuditWatch()
      for (let round = 0; round < 5; round++) {
        await log().append(5)
        await log().sign(afterSigning(round * 24 * HOUR))
        expect(await log().check(watch)).toBeUndefined()
      }
      await log().prune(afterSigning(300 * 24 * HOUR))
      expect(await log().check(watch)).toBeUndefined()
      expect(await log().verify()).toMatchObject({ ok: true })
    })
  })

  test('isGenuine: also checks the link of a checkpoint', async () => {
    const last = (await findCheckpointAt(log().db, log().workspaceId, 16)) as Checkpoint
    const forged = { ...last, previous: { ...last.previous, hash: '0'.repeat(64) } }
    expect([last, forged].map((checkpoint) => isGenuine(checkpoint, log().keys.publicKey))).toEqual([true, false])
  })
})
