import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { afterRows } from '../../../../test/support/after-rows.ts'
import { afterSigning, useAuditLog } from '../../../../test/support/audit-log.ts'
import { testDatabases } from '../../../../test/support/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { describeVerification } from '../../../tools/cli/describe-verification.ts'
import { findCheckpointsBetween } from '../checkpoints/checkpoint-store.ts'
import { makeCheckpoint } from '../checkpoints/sign-checkpoints.ts'
import { AuditWatch } from '../checkpoints/watch.ts'
import { chainImported, chainPending } from './chain-pending.ts'
import { readPendingPages, removeForgedPending } from './pending-store.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

describe.each(testDatabases())('pending records on $name', ({ name, open }) => {
  const log = useAuditLog(open, { usesGroups: true, groups: [8], unsigned: true })

  const chain = async (watch = new AuditWatch()) => {
    await chainPending({ ...log().pendingDeps(), auditWatch: watch }, log().workspaceId, 0)
    return log().check(watch)
  }
  /** Leaves the record of a transaction whose node dies after the commit. Returns a function that inserts the same row again. */
  async function leavePending(): Promise<() => Promise<unknown>> {
    const { db } = log()
    const pending = db
      .selectFrom('audit_pending')
      .selectAll()
      .where('id', '=', uuidOf('aud', await log().leavePending()))
    const row = await pending.executeTakeFirstOrThrow()
    return () => db.insertInto('audit_pending').values(row).execute()
  }
  const countPending = async (): Promise<number> => {
    const pending = log().db.selectFrom('audit_pending').select('id').where('workspace_id', '=', log().intruder.workspace)
    return (await pending.execute()).length
  }

  test('chainPending: raises the alarm when the copy of a removed record waits', async () => {
    const insertAgain = await leavePending()
    await chain()
    await log().sign()
    await log().prune(afterSigning(2 * DAY), { now: afterSigning(500 * DAY) })
    await insertAgain()
    expect(await chain()).toMatchObject({ reason: 'pending_altered' })
    expect(await log().intruder.rows()).toHaveLength(1)
  })

  test('chainPending: removes the copy of a record that the log has', async () => {
    const insertAgain = await leavePending()
    await chain()
    await insertAgain()
    expect(await chain()).toBeUndefined()
    expect(await countPending()).toBe(0)
    expect(await log().verify()).toMatchObject({ ok: true, records: 9 })
  })

  test('chainPending: appends a genuine record behind a page of forged ones', async () => {
    await sql`insert into audit_pending (id, workspace_id, before_integrity, after_integrity, seal, created_at)
      select overlay(gen_random_uuid()::text placing '00000000' from 1)::uuid, ${log().intruder.workspace}, '{', '}', sha256('x'), now() - interval '1 hour'
      from generate_series(1, 256)`.execute(log().db)
    await log().leavePending()
    expect(await chain()).toMatchObject({ reason: 'pending_altered' })
    expect(await log().intruder.rows()).toHaveLength(9)
  })

  test('verify: counts the records that have waited for their position for a minute, which are no fault [GW-AUD-7]', async () => {
    await log().leavePending()
    expect(await log().verify()).not.toHaveProperty('waiting')
    const pending = log().db.updateTable('audit_pending').where('workspace_id', '=', log().intruder.workspace)
    await pending.set({ created_at: new Date(Date.now() - HOUR) }).execute()
    const verification = await log().verify()
    expect(verification).toMatchObject({ ok: true, records: 8, waiting: 1 })
    expect(describeVerification(verification)).toMatch(/; 1 record has waited for its place in the log/)
    await chain()
    expect(await log().verify()).toMatchObject({ ok: true, records: 9 })
  })

  test.runIf(name === 'postgresql')('removeForgedPending: keeps a genuine record that is added meanwhile', async () => {
    const insertForged = sql`insert into audit_pending (id, workspace_id, before_integrity, after_integrity, seal)
      values (gen_random_uuid(), ${log().intruder.workspace}, '{', '}', sha256('x'))`
    await insertForged.execute(log().db)
    const db = log().db.withPlugin(
      afterRows(
        (row) => 'before_integrity' in row,
        () => log().leavePending(),
      ),
    )
    await removeForgedPending(db, log().workspaceId, log().keys)
    expect(await countPending()).toBe(1)
    expect(await chain()).toBeUndefined()
  })

  test('chainPending: appends a record whose time is in the future', async () => {
    await log().leavePending()
    await sql`update audit_pending set created_at = 'infinity' where workspace_id = ${log().intruder.workspace}`.execute(log().db)
    await chain()
    expect(await log().intruder.rows()).toHaveLength(9)
  })

  test('append: fails for a record whose id another Workspace has, and goes on with others', async () => {
    const other = await log().createOther()
    const draft = log().draft()
    const copy = { ...(await log().intruder.rowAt(1)), workspace_id: other.intruder.workspace, id: uuidOf('aud', draft.id) }
    await log().db.insertInto('audit_record').values(copy).execute()
    const writer = log().writer()
    await expect(writer.append(log().workspaceId, draft)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await writer.append(log().workspaceId, log().draft())).toMatchObject({ integrity: { sequence: 9 } })
  })

  test('chainImported: gives positions to the pending records of an import', async () => {
    await log().leavePending()
    await log().leavePending()
    const { db, workspaceId, keys } = log()
    await db.transaction().execute((tx) => chainImported(tx, workspaceId, keys))
    expect(await countPending()).toBe(0)
    for await (const page of readPendingPages(db, workspaceId, keys, 0)) expect(page).toBeUndefined()
    expect(await log().verify()).toMatchObject({ ok: true, records: 10 })
  })

  test('makeCheckpoint: signs many records in parts that end with a group, each with its own time', async () => {
    await log().append(4)
    await log().append(4)
    const { db, workspaceId, keys } = log()
    let hours = 0
    const clock = { now: () => afterSigning(HOUR * ++hours) }
    expect(await makeCheckpoint(db, workspaceId, keys, clock, 5)).toMatchObject({ size: 16 })
    const [first, last, ...others] = await findCheckpointsBetween(db, workspaceId, 0, 16)
    expect([first?.size, last?.size, ...others]).toEqual([8, 16])
    expect(Date.parse(last?.created_at ?? '') - Date.parse(first?.created_at ?? '')).toBe(HOUR)
    expect(await log().verify()).toMatchObject({ ok: true, signedThrough: 16 })
  })
})
