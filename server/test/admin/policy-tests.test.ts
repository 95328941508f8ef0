import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const workspace = await admin.workspace()

const source = (verdict: string, tests = '[]') =>
  `name: tested\ntests: ${tests}\nrules:\n  - { id: guests, at: [input], when: 'user.role == "guest"', verdict: ${verdict} }\n`
const GUEST = {
  name: 'guests are refused',
  at: 'input',
  input: { user: { role: 'guest' } },
  expect: { verdict: 'deny', rules: ['guests'] },
}

test('policy test: is stored, run against a draft, changed and deleted [ADM-API-15]', async () => {
  const stored = await admin.create('/policy-tests', GUEST, { workspace })
  expect(stored).toMatchObject({ object: 'policy_test', ...GUEST, file: null })
  const run = await admin.post('/policy-sets/test', { source: source('escalate'), stored_tests: true }, { workspace })
  expect(run).toMatchObject({ ok: false, passed: 0, failed: 1 })
  expect(run.results).toEqual([
    { id: stored.id, file: null, name: GUEST.name, line: null, ok: false, failures: ['verdict: expected deny, got escalate'] },
  ])
  await admin.put(`/policy-tests/${stored.id}`, { ...GUEST, expect: { verdict: 'escalate' } }, { workspace })
  const only = { source: source('escalate'), test_ids: [stored.id] }
  expect(await admin.post('/policy-sets/test', only, { workspace })).toMatchObject({ ok: true, passed: 1 })
  await admin.remove(`/policy-tests/${stored.id}`, { workspace })
  expect((await admin.get('/policy-tests', { workspace })).data).toEqual([])
})

test('policy test: the cases of an imported file run when the document names it, and a new import replaces them', async () => {
  const other = await admin.workspace()
  const named = source('deny', '[tests/a.yaml]')
  const run = async (text = named) => admin.post('/policy-sets/test', { source: text, stored_tests: true }, { workspace: other })
  expect(await run()).toMatchObject({ missing: ['tests/a.yaml'], ok: false })
  const file = (names: readonly string[]) => ({
    file: 'tests/a.yaml',
    source: JSON.stringify({ tests: names.map((name) => ({ ...GUEST, name })) }),
  })
  expect(await admin.post('/policy-tests/import', file(['one', 'two']), { workspace: other })).toMatchObject({ cases: 2 })
  expect(await run()).toMatchObject({ ok: true, passed: 2, missing: [] })
  await admin.post('/policy-tests/import', file(['three']), { workspace: other })
  expect((await run()).results).toMatchObject([{ name: 'three', file: 'tests/a.yaml', ok: true }])
  expect((await run(source('deny'))).results).toEqual([])
})

test('policy test: 400 that names the field when the case cannot be run', async () => {
  const refused = async (fields: object, param: string) =>
    expectError(await admin.send('POST', '/policy-tests', { ...GUEST, ...fields }, { workspace }), 'VALIDATION_ERROR', param)
  await refused({ input: { user: { rolle: 'guest' } } }, 'input.user.rolle')
  await refused({ expect: {} }, 'expect')
  await refused({ input: { content: { text: '\u0000' } } }, 'input')
  await refused({ input: { content: { text: 'x'.repeat(70_000) } } }, 'input')
  const broken = { file: 'a.yaml', source: 'tests: [{ name: x, at: nowhere, expect: { verdict: deny } }]' }
  expectError(await admin.send('POST', '/policy-tests/import', broken, { workspace }), 'VALIDATION_ERROR', 'source')
})

test('policy test: another Workspace does not run it', async () => {
  const stored = await admin.create('/policy-tests', GUEST, { workspace })
  const other = { workspace: await admin.workspace() }
  const run = await admin.post('/policy-sets/test', { source: source('deny'), test_ids: [stored.id] }, other)
  expect(run.results).toEqual([])
})

test('publish: with require_tests a failing case or a missing file refuses, and nothing changes [ADM-API-14]', async () => {
  const other = { workspace: await admin.workspace() }
  await admin.create('/policy-tests', GUEST, other)
  const publish = (text: string, query = 'require_tests=true') =>
    admin.send('POST', `/policy-sets?${query}`, { source: text }, other)
  const { details } = expectError(await publish(source('allow')), 'CONFLICT', 'require_tests')
  expect(details).toMatchObject({ reason: 'tests_failed', run: { failed: 1 } })
  expectError(await publish(source('deny', '[gone.yaml]')), 'CONFLICT', 'require_tests')
  expect((await admin.get('/policy-sets', other)).data).toEqual([])
  expect((await publish(source('deny'))).status).toBe(201)
  expect((await publish(source('allow'), '')).status).toBe(201)
})

test('demo: its policy tests are stored, and pass', async () => {
  const active = (await admin.get('/policy-sets?limit=100')).data.find(({ name }: { name: string }) => name === 'demo')
  const { source: demo } = await admin.get(`/policy-sets/${active.id}`)
  const run = await admin.post('/policy-sets/test', { source: demo, stored_tests: true })
  expect(run).toMatchObject({ failed: 0, missing: [], errors: [] })
  expect(run.results.filter(({ file }: { file: string }) => file === 'tests/demo.yaml').length).toBeGreaterThan(20)
})

test('cookbook: has 20 templates with explanations, tests and different rules [ADM-API-16]', async () => {
  const { templates } = await admin.get('/policy-templates')
  expect(templates).toHaveLength(20)
  for (const template of templates) {
    expect(template).toMatchObject({ title: expect.stringMatching(/\w/), what_users_notice: expect.stringMatching(/\.$/) })
    expect(template.tests, template.id).toBeGreaterThanOrEqual(2)
  }
  const ids = templates.flatMap(({ rule_ids }: { rule_ids: string[] }) => rule_ids)
  expect(new Set(ids).size).toBe(ids.length)
})
