import { beforeEach, expect, test } from 'vitest'
import { storeMemory } from '../../src/domains/memory/capture.ts'
import type { MemoryDraft } from '../../src/domains/memory/memory.ts'
import { fromId, newId } from '../../src/platform/lib/id.ts'
import { SHARED_SCOPES } from '../../src/shared/memory-words.ts'
import { ANONYMOUS_USER } from '../../src/shared/principal.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError } from './client.ts'

let workspace: string
let applicationId: string
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
beforeEach(async () => {
  workspace = await admin.workspace()
  applicationId = (await admin.create('/applications', { name: 'app' }, { workspace })).id
})

const HASH = /^[0-9a-f]{64}$/

async function remember(user: string, content: string, fields: Partial<MemoryDraft> = {}): Promise<string> {
  const { db, workspaceKeys } = server.context
  const { hasher } = await workspaceKeys.get(workspace)
  const named = { ...ANONYMOUS_USER, id: user, department: 'finance' }
  const ids = { workspaceId: workspace, applicationId, sessionId: 's1' }
  const viewer = { ...ids, ceiling: 'restricted', assertionScopes: SHARED_SCOPES, user: named } as const
  const labels = { classification: 'internal', regulations: [], expiresAt: null, mode: 'active', source: 'capture' } as const
  const draft = { id: newId('mem'), auditId: newId('aud'), scope: 'user', scopeId: null, kind: 'fact', summary: null } as const
  const stored = await db
    .transaction()
    .execute((tx) => storeMemory(tx, viewer, { ...draft, ...labels, content, ...fields }, hasher, new Date()))
  return stored.id
}

const list = async (query = '') => (await admin.get(`/memories${query}`, { workspace })).data
const contents = async (query = '') => (await list(query)).map(({ content }: { content: string }) => content)

test('list: filters by user, scope, Application, mode and history', async () => {
  await remember('alice', 'my favourite tea is Assam')
  await remember('alice', 'my favourite tea is Sencha')
  await remember('alice', 'in a session', { scope: 'session' })
  await remember('alice', 'for auditors', { mode: 'audit_only' })
  await remember('bob', 'of bob')
  await remember('bob', 'of finance', { scope: 'department', scopeId: 'finance' })
  expect(await contents()).toHaveLength(5)
  expect(await contents('?user_id=alice')).toEqual(['for auditors', 'in a session', 'my favourite tea is Sencha'])
  expect(await contents('?user_id=alice&history=true&scope=user&mode=active')).toEqual([
    'my favourite tea is Sencha',
    'my favourite tea is Assam',
  ])
  expect(await contents('?mode=audit_only')).toEqual(['for auditors'])
  expect(await contents('?scope=department&scope_id=finance')).toEqual(['of finance'])
  expect(await contents(`?application_id=${applicationId}`)).toHaveLength(5)
  expect(await contents(`?application_id=${newId('app')}`)).toEqual([])
  const page = await admin.get('/memories?limit=2', { workspace })
  expect(page).toMatchObject({ has_more: true, data: [{ content: 'of finance' }, { content: 'of bob' }] })
  expect(await contents(`?limit=1&cursor=${page.next_cursor}`)).toEqual(['for auditors'])
})

test.each(['scope=planet', 'mode=loud', 'history=yes', 'application_id=x', 'cursor=x', 'limit=0', 'user_id=%00', 'scope_id=%00'])(
  'list: 400 when the filter is %s',
  async (query) => {
    const [param] = query.split('=')
    expectError(await admin.send('GET', `/memories?${query}`, undefined, { workspace }), 'VALIDATION_ERROR', param)
  },
)

test('get: shows every field of a memory', async () => {
  const id = await remember('alice', 'tea at noon', { summary: 'tea', regulations: ['gdpr'] })
  expect(await admin.get(`/memories/${id}`, { workspace })).toEqual({
    id,
    object: 'memory',
    scope: 'user',
    scope_id: 'alice',
    user_id: 'alice',
    application_id: applicationId,
    kind: 'fact',
    content: 'tea at noon',
    summary: 'tea',
    subject: null,
    classification: 'internal',
    regulations: ['gdpr'],
    mode: 'active',
    source: 'capture',
    audit_id: expect.stringMatching(/^aud_/),
    message_id: null,
    created_at: expect.any(String),
    expires_at: null,
    superseded_by: null,
    superseded_at: null,
  })
})

test('expires_at: shown as the latest possible time when it is later', async () => {
  const id = await remember('alice', 'for ever', { expiresAt: new Date('9999-12-31T23:59:59-23:59') })
  expect(await list()).toMatchObject([{ id, expires_at: '9999-12-31T23:59:59.999Z' }])
  expect(await admin.get(`/memories/${id}`, { workspace })).toMatchObject({ expires_at: '9999-12-31T23:59:59.999Z' })
})

test('correct: creates a new version, and the old one is superseded', async () => {
  const id = await remember('alice', 'the traein leaves at 8')
  const corrected = await admin.patch(`/memories/${id}`, { content: 'the train leaves at 8' }, { workspace })
  expect(corrected).toMatchObject({ content: 'the train leaves at 8', source: 'admin', scope_id: 'alice' })
  expect(await contents()).toEqual(['the train leaves at 8'])
  expect(await admin.get(`/memories/${id}`, { workspace })).toMatchObject({ superseded_by: corrected.id })
  expectError(await admin.send('PATCH', `/memories/${id}`, { content: 'again' }, { workspace }), 'CONFLICT')
})

test('correct: raises the classification for findings, and 400 when the text has a secret', async () => {
  const id = await remember('alice', 'write to me')
  const corrected = await admin.patch(`/memories/${id}`, { content: 'write to alice.jones@example.com' }, { workspace })
  expect(corrected.classification).toBe('confidential')
  const secret = { content: 'the key is AKIAQYLPMN5HHHFPZAM2', summary: null }
  const send = (body: object) => admin.send('PATCH', `/memories/${corrected.id}`, body, { workspace })
  expectError(await send(secret), 'VALIDATION_ERROR', 'content')
  expectError(await send({ content: 'a key', summary: secret.content }), 'VALIDATION_ERROR', 'summary')
  expectError(await send({ content: ' ' }), 'VALIDATION_ERROR', 'content')
  expectError(await send({ content: 'x'.repeat(17_000) }), 'VALIDATION_ERROR', 'content')
  expectError(await send({ content: 'x', summary: 'x'.repeat(5_000) }), 'VALIDATION_ERROR', 'summary')
  expectError(await send({}), 'VALIDATION_ERROR', 'content')
  expect(await contents()).toEqual(['write to alice.jones@example.com'])
})

test('erase: one memory, or all memories of a user', async () => {
  const id = await remember('alice/ünï', 'one')
  await remember('alice/ünï', 'two', { scope: 'session' })
  await remember('alice/ünï', 'shared', { scope: 'workspace' })
  await remember('bob', 'of bob')
  await admin.remove(`/memories/${id}`, { workspace })
  expectError(await admin.send('DELETE', `/memories/${id}`, undefined, { workspace }), 'NOT_FOUND')
  expectError(await admin.send('GET', `/memories/${id}`, undefined, { workspace }), 'NOT_FOUND')
  const path = `/users/${encodeURIComponent('alice/ünï')}/memories`
  const eraseAll = async () => (await admin.send('DELETE', path, undefined, { workspace })).body
  expect(await eraseAll()).toEqual({ object: 'memory_erasure', erased: 1, erased_responses: 0 })
  expect(await eraseAll()).toEqual({ object: 'memory_erasure', erased: 0, erased_responses: 0 })
  expect(await contents()).toEqual(['of bob', 'shared'])
})

test('visibility: 404 for memories of another Workspace', async () => {
  const id = await remember('alice', 'tea')
  const foreign = { workspace: await admin.workspace() }
  expect((await admin.get('/memories', foreign)).data).toEqual([])
  expectError(await admin.send('GET', `/memories/${id}`, undefined, foreign), 'NOT_FOUND')
  expectError(await admin.send('PATCH', `/memories/${id}`, { content: 'x' }, foreign), 'NOT_FOUND')
  expectError(await admin.send('DELETE', `/memories/${id}`, undefined, foreign), 'NOT_FOUND')
  const erased = await admin.send('DELETE', '/users/alice/memories', undefined, foreign)
  expect(erased.body.erased).toBe(0)
  expect(await contents()).toEqual(['tea'])
})

test('audit log: reads, corrections and erasures are recorded with the keyed hash of the memory', async () => {
  const id = await remember('alice', 'the zanzibar ledger')
  await admin.get(`/memories/${id}`, { workspace })
  await admin.get('/memories?user_id=alice&history=true', { workspace })
  const corrected = await admin.patch(`/memories/${id}`, { content: 'the zanzibar books' }, { workspace })
  await admin.remove(`/memories/${corrected.id}`, { workspace })
  await admin.send('DELETE', '/users/alice/memories', undefined, { workspace })
  const records = await admin.records(5, { workspace })
  const changes = records.toReversed().map((record) => record.change)
  const change = (action: string, fields: string[]) => ({
    action,
    object_type: 'memory',
    object_id: expect.stringMatching(HASH),
    fields,
  })
  expect(changes).toEqual([
    change('memory.read', ['content']),
    change('memory.list', ['user_id', 'history']),
    change('memory.correct', ['content']),
    change('memory.erase', []),
    change('memory.erase_user', []),
  ])
  const [read, listed, correct, erase, eraseUser] = changes.map(({ object_id }) => object_id)
  expect(read).toBe(correct)
  expect(erase).not.toBe(correct)
  expect(listed).toBe(eraseUser)
  for (const record of records) assertNoContent(record, ['zanzibar', 'alice'])
})

test('audit log: 503 without effect when a read or change cannot be recorded', async () => {
  const id = await remember('alice', 'tea')
  const heads = server.context.db.deleteFrom('audit_head').where('workspace_id', '=', fromId('ws', workspace) ?? '')
  await heads.execute()
  const attempts = [
    ['GET', '/memories'],
    ['GET', `/memories/${id}`],
    ['PATCH', `/memories/${id}`],
    ['DELETE', `/memories/${id}`],
    ['DELETE', '/users/alice/memories'],
  ] as const
  for (const [method, path] of attempts) {
    const body = method === 'PATCH' ? { content: 'coffee' } : undefined
    expectError(await admin.send(method, path, body, { workspace }), 'UNAVAILABLE')
  }
  const rows = server.context.db
    .selectFrom('memory_item')
    .select('content')
    .where('workspace_id', '=', fromId('ws', workspace) ?? '')
  expect(await rows.execute()).toEqual([{ content: 'tea' }])
})
