import { beforeEach, describe, expect, test } from 'vitest'
import { downgradeAuditLog } from '../../../test/support/audit.ts'
import { afterSigning, DENIED, SIGNED_AT, useAuditLog } from '../../../test/support/audit-log.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { adoptLog } from './adopt-log.ts'
import { findLatestCheckpoint } from './checkpoint-store.ts'
import { makeCheckpoint } from './sign-checkpoints.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const clockAt = (ms: number) => ({ now: () => afterSigning(ms) })

/** Twenty records; checkpoints after the eighth and the sixteenth, without seals. */
describe.each(testDatabases())('adoptLog on $name', ({ open }) => {
  const log = useAuditLog(open, { groups: [8, 8, 4], change: () => ({ decision: DENIED }) })
  beforeEach(() => downgradeAuditLog(log().db, log().workspaceId))

  test('adopts the log once and seals later records when its checkpoints verify', async () => {
    const adopted: unknown[] = []
    const signed = await makeCheckpoint(log().db, log().workspaceId, log().keys, clockAt(MINUTE), (result) =>
      adopted.push(result),
    )
    expect(adopted).toEqual([{ signedThrough: 16, newer: 4 }])
    expect(signed).toMatchObject({ size: 20 })
    await log().append(2)
    await makeCheckpoint(log().db, log().workspaceId, log().keys, clockAt(2 * MINUTE), (result) => adopted.push(result))
    expect(adopted).toHaveLength(1)
    expect(await log().verify()).toMatchObject({ ok: true, records: 22, signedThrough: 22 })
    await log().intruder.setSeal(null)
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { reason: 'seal_missing' } })
    await expect(log().sign(afterSigning(3 * MINUTE))).rejects.toThrow('seal_missing')
  })

  test('refuses the log when a record covered by a checkpoint was rewritten', async () => {
    await log().intruder.allow(5)
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('not_as_signed')
    expect(await log().intruder.seal()).toBeNull()
  })

  test('refuses the log when no checkpoint covers its records', async () => {
    await log().intruder.deleteCheckpoints()
    await expect(log().sign(afterSigning(MINUTE))).rejects.toThrow('unvouched')
    expect(await findLatestCheckpoint(log().db, log().workspaceId)).toBeUndefined()
  })

  test('accepts unsealed records of older nodes for a day, then requires seals', async () => {
    await log().sign(afterSigning(MINUTE))
    await log().append(2)
    await log().db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', log().intruder.workspace).execute()
    expect(await log().sign(afterSigning(HOUR))).toMatchObject({ size: 22 })
    await log().append(2)
    expect(await log().sign(afterSigning(25 * HOUR))).toMatchObject({ size: 24 })
    await log().append(1)
    await log().db.updateTable('audit_record').set({ seal: null }).where('workspace_id', '=', log().intruder.workspace).execute()
    await expect(log().sign(afterSigning(26 * HOUR))).rejects.toThrow('unsealed')
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 23, reason: 'unsealed' } })
  })

  test('accepts a checkpoint that an older node signed in the meantime', async () => {
    await adoptLog(log().db, log().workspaceId, log().keys, SIGNED_AT)
    await log().append(3)
    await log().sign(afterSigning(MINUTE))
    const seal = await log().intruder.seal()
    await log().append(3)
    await log().sign(afterSigning(2 * MINUTE))
    // As an older node leaves it: the checkpoint without a link, the seal where it was.
    const unchained = { previous: null, previous_signature: null }
    const rows = log().db.updateTable('audit_checkpoint').set(unchained).where('workspace_id', '=', log().intruder.workspace)
    await rows.where('size', '=', 26).execute()
    await log().intruder.setSeal(seal)
    await log().append(1)
    expect(await log().sign(afterSigning(3 * MINUTE))).toMatchObject({ size: 27 })
    expect(await log().verify()).toMatchObject({ ok: true, signedThrough: 27 })
  })

  test('reports the range when one record was removed and the rest rechained without seals', async () => {
    await log().intruder.remove(5)
    expect(await log().verify()).toMatchObject({ ok: false, firstFault: { sequence: 1, through: 8, reason: 'not_as_signed' } })
  })
})
