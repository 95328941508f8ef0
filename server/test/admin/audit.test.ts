import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCheckpoint } from '../../src/domains/audit/checkpoints/sign-checkpoints.ts'
import { verifyExport } from '../../src/domains/audit/verify/export.ts'
import { fromId } from '../../src/platform/lib/id.ts'
import { type EndedRequest, OUTCOMES, outcomeOf } from '../../src/shared/request-outcome.ts'
import { checkInclusion } from '../support/check-inclusion.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { runCommandLine } from '../support/command-line.ts'
import { startGoverned } from '../support/governed.ts'
import { json } from '../support/scripted-provider.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { adminClient, expectError, type Json } from './client.ts'

const governed = await closeAfterAll(startGoverned())
const admin = adminClient(governed.server)
const home = (await admin.get('/workspaces')).data[0].id

const sign = async (workspace = home): Promise<void> => {
  const { db, clock, workspaceKeys } = governed.server.context
  await makeCheckpoint(db, workspace, await workspaceKeys.get(workspace), clock)
}

const search = async (query: string): Promise<Json[]> => (await admin.get(`/audit?limit=100&${query}`)).data

test('audit search: filters by Application, user, verdict, risk, endpoint and status [ADM-API-8]', async () => {
  const user = { id: 'jane.roe@example.org' }
  const sendRequest = (mark: string, app = 0) => governed.sendPrompt(mark, { more: { governance: { user } }, options: { app } })
  const denied = await sendRequest('juniper-deny')
  const risky = await sendRequest('juniper-risk-critical')
  const elsewhere = await sendRequest('', 1)
  const ids = {
    denied: denied.response.headers.get('x-audit-id'),
    risky: risky.response.headers.get('x-audit-id'),
    elsewhere: elsewhere.response.headers.get('x-audit-id'),
  }
  const idsOf = async (query: string): Promise<string[]> => (await search(query)).map(({ id }) => id)
  const [first, second] = governed.demo.applications
  const about = `user=${encodeURIComponent(user.id)}`
  expect(await idsOf(about)).toEqual([ids.elsewhere, ids.risky, ids.denied])
  expect(await idsOf(`${about}&verdict=deny`)).toEqual([ids.denied])
  expect(await idsOf(`${about}&risk_level=critical`)).toEqual([ids.risky])
  expect(await idsOf(`${about}&status=403`)).toEqual([ids.denied])
  expect(await idsOf(`${about}&status=4xx`)).toEqual([ids.denied])
  expect(await idsOf(`${about}&status=5xx`)).toEqual([])
  expect(await idsOf(`${about}&application_id=${second?.id}`)).toEqual([ids.elsewhere])
  expect(await idsOf(`${about}&application_id=${first?.id}&verdict=allow&endpoint=chat`)).toEqual([ids.risky])
  expect(await idsOf(`${about}&endpoint=admin`)).toEqual([])
  expect(await idsOf('user=someone-else')).toEqual([])
})

test('audit search: filters by outcome, with and without other filters, as the outcome of each record is [ADM-API-8]', async () => {
  const user = { id: 'outcomes@example.org' }
  const send = (mark: string, more: object = {}) => governed.sendPrompt(mark, { more: { governance: { user }, ...more } })
  governed.provider.on('marmot-fails', (response) => json(response, 500, { error: { message: 'no' } }))
  await send('')
  await send('juniper-redact jane.roe@example.org')
  await send('juniper-escalate')
  await send('juniper-deny')
  await send('juniper-nowhere')
  await send('juniper-deny', { governance: { user, dry_run: true } })
  expectError((await send('marmot-fails', { model: 'scripted' })).response, 'PROVIDER_ERROR')
  const held = await governed.holdPrompt('juniper-hold', { more: { governance: { user } } })
  await governed.decide(held.id, 'deny')
  expectError(await governed.resubmit(held, { user }), 'POLICY_REVIEW_DENIED')
  const approved = await governed.holdPrompt('juniper-hold', { more: { governance: { user } } })
  await governed.decide(approved.id, 'approve')
  // The second one gets the same completion again.
  for (const _ of [1, 2]) expect((await governed.resubmit(approved, { user })).status).toBe(200)
  const about = `user=${encodeURIComponent(user.id)}`
  const records = await search(about)
  const counts = Object.groupBy(records, (record) => outcomeOf(record as EndedRequest) ?? 'none')
  expect(Object.fromEntries(Object.entries(counts).map(([outcome, of]) => [outcome, of?.length]))).toEqual({
    ...{ allowed: 3, redacted: 1, escalated: 1, held: 2, denied: 3, refused: 1, failed: 1 },
  })
  const idsOf = (found: readonly Json[]) => found.filter(({ id }) => records.some((own) => own.id === id)).map(({ id }) => id)
  const combinations = [...OUTCOMES, 'refused,failed', 'held,denied', 'allowed,failed', 'escalated,canceled', 'held,refused']
  for (const combination of combinations) {
    const expected = records.filter((record) => combination.split(',').includes(outcomeOf(record as EndedRequest) ?? ''))
    const ids = expected.map(({ id }) => id)
    expect([combination, idsOf(await search(`${about}&outcome=${combination}`))]).toEqual([combination, ids])
    expect([combination, idsOf(await search(`outcome=${combination}`))]).toEqual([combination, ids])
  }
  expectError(await admin.send('GET', '/audit?outcome=fine'), 'VALIDATION_ERROR', 'outcome')
})

test('audit search: finds by the keyed hash of a user and shows no user id', async () => {
  const user = { id: 'the-hidden-user' }
  await governed.sendPrompt('', { more: { governance: { user } } })
  const response = await admin.send('GET', '/audit?user=the-hidden-user')
  expect(response.body.data).toHaveLength(1)
  expect(response.text).not.toContain('the-hidden-user')
})

test('audit search: filters by an inclusive start and an exclusive end [ADM-API-8]', async () => {
  const { response } = await governed.sendPrompt()
  const { created_at } = await admin.get(`/audit/${response.headers.get('x-audit-id')}`)
  const after = new Date(new Date(created_at).getTime() + 1).toISOString()
  const has = (records: Json[]) => records.some(({ id }) => id === response.headers.get('x-audit-id'))
  expect(has(await search(`from=${created_at}`))).toBe(true)
  expect(has(await search(`from=${after}`))).toBe(false)
  expect(has(await search(`to=${after}`))).toBe(true)
  expect(has(await search(`to=${created_at}`))).toBe(false)
  expect(await search('from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B02:00')).toEqual([])
})

test('audit record: operators see whole records of every Application', async () => {
  const { response } = await governed.sendPrompt('', { options: { app: 1 } })
  const id = response.headers.get('x-audit-id') ?? ''
  expect(await admin.get(`/audit/${id}`)).toEqual(await governed.record(id, 1))
  expectError(await admin.send('GET', '/audit/aud_01h455vb4pex5vsknk084sn02q'), 'NOT_FOUND')
  expectError(await admin.send('GET', '/audit/nonsense'), 'NOT_FOUND')
})

test('audit verify: succeeds, also against a kept checkpoint', async () => {
  await governed.sendPrompt()
  await sign()
  const { data, public_key } = await admin.get('/audit/checkpoints')
  expect(data[0].size).toBeGreaterThan(0)
  expect(public_key).toMatch(/BEGIN PUBLIC KEY/)
  const verified = await admin.post('/audit/verify')
  expect(verified).toMatchObject({ object: 'audit_verification', ok: true, first: 1, first_bad: null })
  expect(verified.signed_through).toBe(data[0].size)
  expect((await admin.post('/audit/verify', { checkpoint: data[0] })).ok).toBe(true)
  const forged = { ...data[0], root: 'ab'.repeat(32) }
  expect((await admin.post('/audit/verify', { checkpoint: forged })).ok).toBe(false)
  const foreign = { ...data[0], workspace_id: 'ws_01h455vb4pex5vsknk084sn02q' }
  expectError(await admin.send('POST', '/audit/verify', { checkpoint: foreign }), 'VALIDATION_ERROR', 'checkpoint.workspace_id')
})

test('checkpoints: are paged, newest first', async () => {
  const workspace = await admin.workspace()
  for (let i = 0; i < 3; i++) {
    await admin.create('/applications', { name: `signed ${i}` }, { workspace })
    await sign(workspace)
  }
  const first = await admin.get('/audit/checkpoints?limit=2', { workspace })
  expect(first.data.map(({ size }: Json) => size)).toEqual([4, 3])
  const second = await admin.get(`/audit/checkpoints?limit=2&cursor=${first.next_cursor}`, { workspace })
  expect(second.data.map(({ size }: Json) => size)).toEqual([2])
  expect(second.has_more).toBe(false)
})

test('audit verify: names the first altered record [GW-AUD-7]', async () => {
  const workspace = await admin.workspace()
  for (let i = 0; i < 6; i++) await admin.create('/applications', { name: `record ${i}` }, { workspace })
  const records = await admin.records(100, { workspace })
  const altered = records.find(({ integrity }) => integrity.sequence === 3)
  const { db } = governed.server.context
  await db
    .updateTable('audit_record')
    .set(({ fn, val, ref }) => ({
      body: fn('replace', [ref('body'), val('application.create'), val('application.update')]) as never,
    }))
    .where('id', '=', fromId('aud', altered.id) ?? '')
    .execute()
  const verified = await admin.post('/audit/verify', {}, { workspace })
  expect(verified).toMatchObject({ ok: false, records: 2, first_bad: { sequence: 3, id: altered.id, reason: 'altered' } })
  expect(verified.first_bad.message).toBeTruthy()
})

test('audit proof: verifies with the record, the proof and the public key alone [GW-AUD-6]', async () => {
  const { response } = await governed.sendPrompt()
  const id = response.headers.get('x-audit-id')
  expectError(await admin.send('GET', `/audit/${id}/proof`), 'CONFLICT')
  await sign()
  const { record, public_key, ...proof } = await admin.get(`/audit/${id}/proof`)
  expect(checkInclusion(record, proof, public_key)).toBe(true)
  expect(checkInclusion({ ...record, status: 500 }, proof, public_key)).toBe(false)
})

test('audit verify-proof: verifies a downloaded proof without the server, and names what was altered [GW-AUD-6]', async () => {
  const { response } = await governed.sendPrompt('', { answer: 'Größe → 5' })
  await sign()
  const { text, body } = await admin.send('GET', `/audit/${response.headers.get('x-request-id')}/proof`)
  const id = response.headers.get('x-audit-id')
  const folder = temporaryFolder()
  const inFolder = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    return join(folder, name)
  }
  const key = inFolder('gatehouse.pub', body.public_key)
  const verify = (...files: string[]) => runCommandLine(['audit', 'verify-proof', ...files, '--public-key', key], {})
  const genuine = inFolder('proof.json', text)
  const { sequence } = body.record.integrity
  expect(await verify(genuine)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${id} of ${body.record.created_at} is record ${sequence}`),
  })
  const altered = inFolder('altered.json', { ...body, record: { ...body.record, status: 201 } })
  expect(await verify(genuine, altered)).toMatchObject({ code: 1, out: expect.stringContaining('the record was altered') })
  const moved = inFolder('moved.json', { ...body, path: body.path.slice(1) })
  expect(await verify(moved)).toMatchObject({ code: 1, out: expect.stringContaining('the checkpoint does not cover the record') })
  const forged = inFolder('forged.json', { ...body, checkpoint: { ...body.checkpoint, created_at: '2026-01-01T00:00:00.000Z' } })
  expect(await verify(forged)).toMatchObject({ code: 1, out: expect.stringContaining('signed with another key') })
  expect(await verify(inFolder('other.json', '{}'))).toMatchObject({ err: expect.stringContaining('is not the proof') })
  expect((await runCommandLine(['audit', 'verify-proof', '--help'], {})).out).toContain('required: file with the public key')
})

test('audit export: contains all records and verifies on its own', async () => {
  const { response } = await governed.sendPrompt()
  const exported = await admin.send('GET', '/audit/export')
  expect(exported.status).toBe(200)
  expect(exported.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
  const lines = exported.text.trimEnd().split('\n')
  const [header, ...rest] = lines.map((line) => JSON.parse(line))
  const [newest] = await admin.records()
  expect(header).toMatchObject({ object: 'audit_export', workspace_id: home, through: newest.integrity.sequence })
  expect(rest.at(-1)).toMatchObject({ object: 'audit_checkpoint', size: newest.integrity.sequence })
  expect(rest.slice(0, -1).map(({ integrity }) => integrity.sequence)).toEqual(rest.slice(0, -1).map((_, index) => index + 1))
  expect(exported.text).toContain(response.headers.get('x-audit-id'))
  const { publicKey } = await governed.server.context.workspaceKeys.get(home)
  expect(await verifyExport(lines, publicKey)).toMatchObject({ ok: true })
})

test('audit export: ends when the client disconnects', async () => {
  const controller = new AbortController()
  const response = await fetch(`${governed.base}/admin/v1/audit/export`, {
    headers: { authorization: `Bearer ${governed.demo.admin_token}` },
    signal: controller.signal,
  })
  await response.body?.getReader().read()
  controller.abort()
  expect((await admin.get('/audit?limit=1')).data).toHaveLength(1)
})

test('audit search: filters by model, provider, rule, several verdicts, latency and cost [ADM-API-8]', async () => {
  const user = { id: 'lists-user' }
  const send = async (mark: string) =>
    (await governed.sendPrompt(mark, { more: { governance: { user } } })).response.headers.get('x-audit-id')
  const [allowed, denied] = [await send(''), await send('juniper-deny')]
  const idsOf = async (query: string): Promise<string[]> => (await search(`user=lists-user&${query}`)).map(({ id }) => id)
  const record = await admin.get(`/audit/${allowed}`)
  const deniedRecord = await admin.get(`/audit/${denied}`)
  const { model, provider } = record.attempts[0]
  expect(await idsOf(`provider=${provider}`)).toEqual([allowed])
  expect(await idsOf(`provider=${provider}x`)).toEqual([])
  expect(await idsOf(`model=${encodeURIComponent(model)}&verdict=allow`)).toEqual([allowed])
  expect(await idsOf(`rule=${deniedRecord.decision.rules[0].id}`)).toEqual([denied])
  expect(await idsOf('verdict=deny,escalate')).toEqual([denied])
  expect(await idsOf('verdict=deny,allow')).toEqual([denied, allowed])
  const { duration_ms: ms } = record
  expect(await idsOf(`latency_from=${Math.floor(ms)}&latency_to=${Math.ceil(ms)}&verdict=allow`)).toEqual([allowed])
  expect(await idsOf(`latency_from=${Math.ceil(ms) + 1}&verdict=allow`)).toEqual([])
  expect(await idsOf('cost_from=1000000')).toEqual([])
  expectError(await admin.send('GET', '/audit?verdict=deny,maybe'), 'VALIDATION_ERROR')
})

test('audit search: a record cannot imitate the provider or rule of another one', async () => {
  const model = 'x","provider":"forged'
  await governed.sendPrompt('', { more: { model } })
  expect(await search('provider=forged')).toEqual([])
})

test('audit search: sorts by latency and tokens in stable pages [ADM-API-8]', async () => {
  for (let number = 0; number < 4; number += 1) await governed.sendPrompt()
  const all = (await search('endpoint=chat&sort=-latency')).map(({ id }) => id)
  // A record that is written between two pages does not move records from one page to another.
  const paged = await admin.all('/audit?endpoint=chat&sort=-latency', { limit: 2, between: () => governed.sendPrompt() })
  expect(paged.map(({ id }) => id)).toEqual(all)
  const tokens = (await search('endpoint=chat&sort=tokens')).map(({ attempts }) =>
    attempts.reduce((sum: number, attempt: Json) => sum + (attempt.prompt_tokens ?? 0) + (attempt.completion_tokens ?? 0), 0),
  )
  expect(tokens).toEqual([...tokens].sort((one, other) => one - other))
  expectError(await admin.send('GET', '/audit?sort=latency&cursor=MQ'), 'VALIDATION_ERROR')
})

test('audit actors: name the operator or token of a change [ADM-API-8]', async () => {
  await admin.create('/applications', { name: 'made by the token' })
  const [record] = await search('endpoint=admin')
  const { data } = await admin.get('/audit/actors')
  const actor = data.find(({ user_id }: Json) => user_id === record?.user.id)
  expect(actor).toMatchObject({ kind: 'admin_token' })
  expect((await search(`user=${actor.id}`))[0]?.id).toBe(record?.id)
})

test('audit CSV: has the filtered records without formulas, and is recorded [ADM-API-8]', async () => {
  await governed.sendPrompt('juniper-deny', { more: { model: '=1+1' } })
  const response = await admin.send('GET', '/audit/csv?verdict=deny')
  expect(response.status).toBe(200)
  const [head, ...lines] = response.text.trimEnd().split('\r\n')
  expect(head).toMatch(/^time,id,event,/)
  expect(lines.length).toBe((await search('verdict=deny')).length)
  expect(response.text).not.toMatch(/(^|,|")=/m)
  expect((await search('endpoint=admin'))[0]?.change).toMatchObject({ action: 'audit.export', fields: ['verdict'] })
})
