import { generateKeyPairSync } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { resumeSigning } from '../../src/domains/audit/checkpoints/resume-signing.ts'
import { AuditWatch } from '../../src/domains/audit/checkpoints/watch.ts'
import { LogRereader } from '../../src/domains/audit/verify/reread.ts'
import { verifyWorkspace } from '../../src/domains/audit/verify/verify.ts'
import { type AuditJobDeps, checkAuditLogs, rereadAuditLogs, signCheckpoints } from '../../src/domains/jobs/audit-jobs.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'
import { Intruder } from '../support/intruder.ts'
import { adminClient } from './client.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const clock = adjustableClock()
const governed = await closeAfterAll(startGoverned({}, { clock }))
const admin = adminClient(governed.server)
const home = (await admin.get('/workspaces')).data[0].id
const other = (await admin.create('/workspaces', { name: 'untouched' })).id
const intruder = new Intruder(governed.server.context.db, home)

const context = (): AuditJobDeps => governed.server.context
const latest = async (workspace: string) =>
  (await admin.get('/audit/checkpoints?limit=1', { workspace })).data[0] as { size: number } | undefined
const ready = async () => {
  const response = await fetch(`${governed.server.base}/readyz`)
  const { status, checks } = (await response.json()) as { status: string; checks: { name: string }[] }
  return { http: response.status, status, audit: checks.find(({ name }) => name === 'audit_log') }
}
const metrics = async () => (await fetch(`${governed.server.base}/metrics`)).text()
const errors = () =>
  governed.server
    .logs()
    .split('\n')
    .filter((line) => line.includes('was tampered with'))

/** Signs what was recorded, after the time between two checkpoints. */
const signLater = async () => {
  clock.advance(2 * MINUTE)
  await signCheckpoints(context())
}
/** Records a denied request; returns the sequence of its record. */
const deny = async (): Promise<number> => {
  const { response } = await governed.sendPrompt('juniper-deny')
  const record = await admin.get(`/audit/${response.headers.get('x-audit-id')}`, { workspace: home })
  return record.integrity.sequence
}

/** Gives each test a log that verifies, with a new checkpoint. */
beforeEach(async () => {
  const { db, workspaceKeys } = context()
  await resumeSigning(db, home, await workspaceKeys.get(home), { accept: true, clock })
  await governed.sendPrompt()
  clock.advance(2 * MINUTE)
  await checkAuditLogs(context())
  await signCheckpoints(context())
  expect(await ready()).toMatchObject({ http: 200, status: 'ready', audit: { status: 'ok' } })
})

test('audit alarm: appears in /readyz, metrics, admin API and server log at each check when a log was rewritten', async () => {
  const before = await latest(home)
  const sequence = await deny()
  await intruder.allow(sequence)
  const earlierErrors = errors().length
  await signLater()
  await signCheckpoints(context())
  expect(await latest(home)).toEqual(before)

  expect(errors().length - earlierErrors).toBe(2)
  const [line] = errors().slice(-1)
  expect(JSON.parse(line ?? '')).toMatchObject({ level: 50, workspace_id: home, reason: 'unsealed', sequence })
  const check = { status: 'degraded', message: 'The audit log of 1 Workspace(s) was tampered with.' }
  expect(await ready()).toMatchObject({ http: 200, status: 'ready', audit: check })
  expect(await metrics()).toContain(`gatehouse_audit_tampered{workspace="${home}",reason="unsealed"} 1`)
  const state = await admin.get('/audit/state', { workspace: home })
  expect(state).toMatchObject({ ok: false, first_bad: { sequence, reason: 'unsealed' } })
  const { attention } = await admin.get('/overview', { workspace: home })
  expect(attention[0]).toMatchObject({
    kind: 'audit_tampered',
    link: '/audit',
    text: expect.stringContaining(`record ${sequence}`),
  })

  // The alarm stays until an operator acts, also on a new node.
  await checkAuditLogs(context())
  expect(await ready()).toMatchObject({ audit: check })
  await checkAuditLogs({ ...context(), auditWatch: new AuditWatch() })
  expect((await governed.sendPrompt()).response.status).toBe(200)
  expect(await admin.get('/audit/state', { workspace: other })).toMatchObject({ ok: true, first_bad: null })
  expect(await latest(other)).toBeDefined()
})

test('audit log: raises the alarm without audit verify when an old record was changed and the log is read again', async () => {
  const sequence = await deny()
  await signLater()
  const rereader = new LogRereader()
  await rereadAuditLogs(context(), rereader)
  expect(await ready()).toMatchObject({ audit: { status: 'ok' } })

  await sql`update audit_record set verdict = 'allow', body = replace(body, '"verdict":"deny"', '"verdict":"allow"')
    where workspace_id = ${intruder.workspace} and sequence = ${sequence}`.execute(context().db)
  await checkAuditLogs(context())
  await rereadAuditLogs(context(), rereader)
  expect(await ready()).toMatchObject({ http: 200, audit: { status: 'degraded' } })
  expect(await metrics()).toContain(`gatehouse_audit_tampered{workspace="${home}",reason="altered"} 1`)
  const fault = { ok: false, first_bad: { sequence, reason: 'altered' } }
  expect(await admin.get('/audit/state', { workspace: home })).toMatchObject(fault)

  // Other nodes, and this one after a restart, read the fault from the seal.
  await checkAuditLogs(context())
  const auditWatch = new AuditWatch()
  await checkAuditLogs({ ...context(), auditWatch })
  expect(auditWatch.faults.get(home)).toMatchObject({ sequence, reason: 'altered' })
})

test('audit resume: ends the alarm, and verification reports the acceptance', async () => {
  await intruder.setSeal(null)
  await checkAuditLogs(context())
  expect(await metrics()).toContain(`reason="seal_missing"} 1`)
  const { db, workspaceKeys } = context()
  const resumed = await resumeSigning(db, home, await workspaceKeys.get(home), { accept: true, clock })
  expect(resumed.done).toBe('accepted')
  await checkAuditLogs(context())
  expect(await ready()).toMatchObject({ audit: { status: 'ok' } })
  expect(await metrics()).not.toContain('gatehouse_audit_tampered{')
  const verified = await admin.send('POST', '/audit/verify', {}, { workspace: home })
  expect(verified.body).toMatchObject({ ok: true, first_bad: null })
  expect(verified.body.accepted_through).toBeGreaterThan(0)
})

test('audit verify: reports a replaced public key as a fault', async () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  await intruder.setPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())
  const verified = await admin.send('POST', '/audit/verify', {}, { workspace: home })
  expect(verified.status).toBe(200)
  expect(verified.body).toMatchObject({ ok: false, first_bad: { sequence: 0, reason: 'public_key_replaced' } })
  expect(await ready()).toMatchObject({ audit: { status: 'degraded' } })
})

test('audit alarm: stays when a removed Workspace is restored', async () => {
  const { db } = context()
  const removed = (await admin.create('/workspaces', { name: 'removed' })).id
  const [uuid, temporaryUuid] = [fromId('ws', removed) ?? '', '00000000-0000-7000-8000-000000000001']
  const move = async (from: string, to: string): Promise<void> => {
    await db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ table: string; name: string }>`
        select conrelid::regclass::text as table, conname as name from pg_constraint
        where contype = 'f' and confrelid in ('workspace'::regclass, 'audit_head'::regclass) and not condeferrable`.execute(tx)
      for (const { table, name } of rows) await sql.raw(`alter table ${table} alter constraint ${name} deferrable`).execute(tx)
      await sql`set constraints all deferred`.execute(tx)
      for (const table of ['audit_head', 'audit_record', 'audit_checkpoint', 'applied_declaration'])
        await sql.raw(`update ${table} set workspace_id = '${to}' where workspace_id = '${from}'`).execute(tx)
      await sql`update workspace set id = ${to} where id = ${from}`.execute(tx)
    })
  }
  // A separate AuditWatch: the server's own must not observe the temporary id.
  const deps = { ...context(), auditWatch: new AuditWatch() }
  const faultReason = () => deps.auditWatch.faults.get(removed)?.reason
  await checkAuditLogs(deps)
  await move(uuid, temporaryUuid)
  await checkAuditLogs(deps)
  expect(faultReason()).toBe('workspace_missing')
  await move(temporaryUuid, uuid)
  await checkAuditLogs(deps)
  expect(faultReason()).toBe('workspace_missing')
  const { workspaceKeys } = context()
  expect(await resumeSigning(db, removed, await workspaceKeys.get(removed), { accept: false, clock })).toMatchObject({
    done: 'resumed',
  })
  await checkAuditLogs(deps)
  expect(faultReason()).toBeUndefined()
})

test('audit verify: stops signing when it finds a fault', async () => {
  const { db, workspaceKeys } = context()
  const { records } = await verifyWorkspace(db, home, await workspaceKeys.get(home))
  expect(records).toBeGreaterThan(0)
  await db
    .updateTable('audit_record')
    .set({ status: 201 })
    .where('workspace_id', '=', fromId('ws', home) ?? '')
    .where('sequence', '=', (await latest(home))?.size ?? 0)
    .execute()
  await checkAuditLogs(context())
  expect(await ready()).toMatchObject({ audit: { status: 'ok' } })
  const verified = await admin.send('POST', '/audit/verify', {}, { workspace: home })
  expect(verified.body).toMatchObject({ ok: false, first_bad: { reason: 'altered' } })
  await checkAuditLogs(context())
  expect(await ready()).toMatchObject({ audit: { status: 'degraded' } })
  const before = await latest(home)
  await governed.sendPrompt()
  await signLater()
  expect(await latest(home)).toEqual(before)
})

test('audit log: nothing is signed when its seals and checkpoints were removed, until an operator accepts it', async () => {
  const { db, workspaceKeys, auditWatch } = context()
  const keys = await workspaceKeys.get(home)
  await intruder.removeSeals()
  await intruder.deleteCheckpoints()
  await governed.sendPrompt()
  await signLater()
  expect(await latest(home)).toBeUndefined()
  expect(auditWatch.faults.get(home)).toMatchObject({ reason: 'seal_missing' })
  expect(await resumeSigning(db, home, keys, { accept: true, clock })).toMatchObject({ done: 'accepted' })
  await signCheckpoints(context())
  await governed.sendPrompt()
  await signLater()
  expect(await latest(home)).toBeDefined()
  expect(await ready()).toMatchObject({ audit: { status: 'ok' } })
})

test.each([
  ['an hour', HOUR],
  ['a year', 365 * 24 * HOUR],
])('checkpoints: continue at once and then every minute when the clock is set back by %s', async (_, offset) => {
  const sign = async () => {
    await governed.sendPrompt()
    await signCheckpoints(context())
    return (await latest(home))?.size ?? 0
  }
  const before = (await latest(home))?.size ?? 0
  clock.advance(-offset)
  const first = await sign()
  expect(first).toBeGreaterThan(before)
  expect(await sign()).toBe(first)
  clock.advance(2 * MINUTE)
  expect(await sign()).toBeGreaterThan(first)
  clock.advance(offset)
})
