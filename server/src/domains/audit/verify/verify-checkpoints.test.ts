import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SIGNED_AT, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { type Checkpoint, parseFrontier, signCheckpoint } from '../checkpoints/checkpoint.ts'
import { findCheckpointAt } from '../checkpoints/checkpoint-store.ts'
import { makeCheckpoint } from '../checkpoints/sign-checkpoints.ts'
import type { VerifyOptions } from './verify.ts'

/** Twenty records; checkpoints after the eighth and the sixteenth. The changes are made with the secret key; those of tampering.test.ts are made without it. */
describe.each(testDatabases())('verifyWorkspace: checkpoints on $name', ({ open }) => {
  const log = useAuditLog(open, { groups: [8, 8, 4] })
  const verify = (options?: VerifyOptions) => log().verify(options)
  const idAt = (sequence: number) => log().ids[sequence - 1] as string

  test.each([
    { from: 1, first: 1, through: 8 },
    { from: 4, first: 1, through: 8 },
    { from: 11, first: 9, through: 16 },
  ])('reports the smallest signed subtree when the log was resealed from record $from on', async ({ from, first, through }) => {
    await log().editor.rechain(from)
    expect(await verify()).toMatchObject({
      ok: false,
      firstFault: { sequence: first, through, id: idAt(first), reason: 'not_as_signed' },
    })
  })

  test('names the last covered record when the log was resealed from it on', async () => {
    await log().editor.rechain(8)
    expect(await verify()).toMatchObject({ ok: false, firstFault: { sequence: 8, id: idAt(8), reason: 'replaced' } })
  })

  test('finds resealed records when the last checkpoint was removed', async () => {
    const kept = (await log().sign()) as Checkpoint
    await log().intruder.deleteCheckpoints(19)
    await log().editor.rechain(18)
    const firstFault = { sequence: 17, through: 20, reason: 'not_as_signed' }
    expect(await verify()).toMatchObject({ ok: false, firstFault })
    expect(await verify({ kept: [kept] })).toMatchObject({ firstFault })
  })

  test('finds a checkpoint signed with another key', async () => {
    await log().editor.rechain(17)
    const { privateKey } = generateKeyPairSync('ed25519')
    await makeCheckpoint(
      log().db,
      log().workspaceId,
      { ...log().keys, sign: (text) => sign(null, Buffer.from(text), privateKey) },
      { now: () => SIGNED_AT },
    )
    expect(await verify()).toMatchObject({ ok: false, firstFault: { sequence: 20, id: idAt(20), reason: 'checkpoint_altered' } })
  })

  test.each<[string, object]>([
    ['root', { root: Buffer.alloc(32) }],
    ['head_hash', { head_hash: Buffer.alloc(32) }],
    ['signature', { signature: Buffer.alloc(64) }],
    ['signature (empty)', { signature: Buffer.alloc(0) }],
    ['frontier', { frontier: Buffer.alloc(32) }],
    ['frontier (empty)', { frontier: Buffer.alloc(0) }],
    ['created_at', { created_at: new Date(0) }],
  ])('finds a changed %s of a checkpoint', async (_, columns) => {
    await log().intruder.changeCheckpoint(8, columns)
    expect(await verify()).toMatchObject({ ok: false, firstFault: { sequence: 8, id: idAt(8), reason: 'checkpoint_altered' } })
    await log().intruder.changeCheckpoint(16, columns)
    await expect(log().sign()).rejects.toThrow('altered')
  })

  test('finds a checkpoint with a changed size', async () => {
    await log().intruder.changeCheckpoint(8, { size: 9 })
    expect(await verify()).toMatchObject({ firstFault: { sequence: 9, id: idAt(9), reason: 'checkpoint_altered' } })
  })

  test('checks the signature of kept checkpoints', async () => {
    const good = (await findCheckpointAt(log().db, log().workspaceId, 16)) as Checkpoint
    expect(await verify({ kept: [good] })).toMatchObject({ ok: true })
    const frontier = parseFrontier(good)
    const other = generateKeyPairSync('ed25519')
    const kept =
      frontier && signCheckpoint(good, frontier, (text) => sign(null, Buffer.from(text), other.privateKey), good.previous.hash)
    expect(await verify({ kept: [kept as Checkpoint] })).toMatchObject({
      firstFault: { sequence: 16, reason: 'checkpoint_altered' },
    })
  })
})
