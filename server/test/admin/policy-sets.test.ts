import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)

const document = (rules: string): string => `name: demo\nrules:\n${rules}`
const DENY = document(`  - id: no-pelicans
    description: No user may ask about pelicans.
    at: [input]
    when: content.text.contains("pelican")
    verdict: deny
`)

const verdictOn = async (prompt: string): Promise<number> => (await governed.chat(prompt)).status

test('publish: stores YAML or JSON byte for byte, and the version is active from the next request on [GW-POL-1, ADM-API-5]', async () => {
  const before = (await admin.get('/policy-sets')).data[0]
  expect(await verdictOn('a pelican')).toBe(200)
  for (const type of ['application/yaml', 'text/yaml', 'application/x-yaml; charset=utf-8']) {
    const published = await admin.create('/policy-sets', undefined, { raw: DENY, type })
    expect(published).toMatchObject({
      id: expect.stringMatching(/^pol_/),
      object: 'policy_set',
      name: 'demo',
      active: true,
      sha256: createHash('sha256').update(DENY).digest('hex'),
    })
    expect((await admin.get(`/policy-sets/${published.id}`)).source).toBe(DENY)
    expect(await verdictOn('a pelican')).toBe(403)
  }
  const again = await admin.create('/policy-sets', { source: DENY })
  expect(again.version).toBe(before.version + 4)
  const { data } = await admin.get('/policy-sets')
  expect(data.filter(({ active }: Json) => active).map(({ id }: Json) => id)).toEqual([again.id])
})

test('publish: an earlier version is active again at once [GW-POL-2]', async () => {
  const strict = await admin.create('/policy-sets', { source: DENY })
  const lenient = await admin.create('/policy-sets', { source: 'name: demo\nrules: []\n' })
  expect(await verdictOn('a pelican')).toBe(200)
  expect(await admin.post(`/policy-sets/${strict.id}/publish`)).toEqual({ ...strict, active: true })
  expect(await verdictOn('a pelican')).toBe(403)
  expect((await admin.get(`/policy-sets/${lenient.id}`)).active).toBe(false)
})

const UNKNOWN_DIRECTIVE = document('  - id: a\n    at: [input]\n    when: "true"\n    directives: ["fly:away"]\n')

test.each([
  ['not YAML', 'name: demo\nrules: [\n', 3, '', undefined],
  ['an unknown directive', UNKNOWN_DIRECTIVE, 6, 'rules[0].directives[0]', 'a'],
])('publish: %s is 400 with line, rule and field, and the active version stays', async (_, raw, line, field, rule) => {
  await admin.create('/policy-sets', { source: DENY })
  for (const sending of [{ raw, type: 'application/yaml' }, { raw: JSON.stringify({ source: raw }) }]) {
    const response = await admin.send('POST', '/policy-sets', undefined, sending)
    const error = expectError(response, 'VALIDATION_ERROR')
    expect(error.details.errors[0]).toEqual({ line, column: expect.any(Number), field, rule, message: expect.any(String) })
    expect(error.param).toBe(field || null)
    expect(error.message).toContain(`Line ${line}:`)
  }
  expect(await verdictOn('a pelican')).toBe(403)
})

test('publish: the error has all problems of the document', async () => {
  const rule = (id: string) => `  - id: ${id}\n    at: [nowhere]\n    when: "1"\n    verdict: perhaps\n`
  const response = await admin.send('POST', '/policy-sets', { source: document(rule('a') + rule('b')) })
  const { errors } = expectError(response, 'VALIDATION_ERROR').details
  expect(errors.map(({ line }: Json) => line)).toEqual(
    errors.map(({ line }: Json) => line).toSorted((a: number, b: number) => a - b),
  )
  expect(new Set(errors.map(({ field }: Json) => field.slice(0, 8)))).toEqual(new Set(['rules[0]', 'rules[1]']))
})

test('publish: 400 when the document cannot be stored', async () => {
  const bytes = { raw: Buffer.from([0xff]), type: 'application/yaml' }
  expectError(await admin.send('POST', '/policy-sets', undefined, bytes), 'VALIDATION_ERROR')
  for (const source of ['name: "a\\0b"\nrules: []\n', `#${'x'.repeat(300_000)}\nname: a\nrules: []\n`])
    expectError(await admin.send('POST', '/policy-sets', { source }), 'VALIDATION_ERROR')
})

test('diff: lists added, removed and changed rules', async () => {
  const from = await admin.create('/policy-sets', { source: DENY })
  const to = await admin.create('/policy-sets', {
    source: DENY.replace('verdict: deny', 'verdict: escalate').concat(
      '  - id: more\n    at: [output]\n    when: "true"\n    risk: low\n',
    ),
  })
  const diff = await admin.get(`/policy-sets/${from.id}/diff?to=${to.id}`)
  expect(diff).toMatchObject({
    object: 'policy_diff',
    from: { id: from.id },
    to: { id: to.id },
    added: ['more'],
    removed: [],
    changed: [{ id: 'no-pelicans', fields: [{ field: 'verdict', before: 'deny', after: 'escalate', weakens: true }] }],
  })
  expect(await admin.get(`/policy-sets/${from.id}/diff`)).toEqual(diff)
  expect(await admin.get(`/policy-sets/${to.id}/diff?to=${from.id}`)).toMatchObject({ added: [], removed: ['more'] })
  const draft = await admin.post(`/policy-sets/${from.id}/diff`, { source: (await admin.get(`/policy-sets/${to.id}`)).source })
  expect(draft).toEqual({ ...diff, to: { ...diff.to, id: null, version: null } })
})

test('publish: 409 with the active version when another one was published since the base', async () => {
  const base = await admin.create('/policy-sets', { source: DENY })
  const concurrent = await admin.create(`/policy-sets?base_version=${base.id}`, { source: DENY.replace('pelican', 'heron') })
  const late = DENY.replace('pelican', 'stork')
  for (const sending of [{ raw: late, type: 'application/yaml' }, { raw: JSON.stringify({ source: late }) }]) {
    const response = await admin.send('POST', `/policy-sets?base_version=${base.id}`, undefined, sending)
    expect(response.status).toBe(409)
    const { details } = expectError(response, 'CONFLICT', 'base_version')
    expect(details).toMatchObject({
      reason: 'base_version_superseded',
      base_version: base.id,
      active_version: { id: concurrent.id },
    })
  }
  expectError(await admin.send('POST', '/policy-sets?base_version=none', { source: late }), 'CONFLICT')
  expectError(await admin.send('POST', `/policy-sets/${base.id}/publish?base_version=${base.id}`), 'CONFLICT')
  expect((await admin.get('/policy-sets')).data[0].id).toBe(concurrent.id)
  const rebased = await admin.create(`/policy-sets?base_version=${concurrent.id}`, { source: late })
  expect(rebased).toMatchObject({ version: concurrent.version + 1, active: true })
})

test('publish: the same document on the same base makes one version when it is sent twice at once', async () => {
  const base = await admin.create('/policy-sets', { source: DENY })
  const source = DENY.replace('pelican', `gull-${base.version}`)
  const path = `/policy-sets?base_version=${base.id}`
  const responses = await Promise.all(Array.from({ length: 4 }, () => admin.send('POST', path, { source })))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201])
  expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
  expect(responses.map(({ body }) => body.version)).toEqual(responses.map(() => base.version + 1))
  // Republishing an earlier version twice is recorded once.
  const again = `/policy-sets/${base.id}/publish?base_version=${responses[0]?.body.id}`
  await admin.post(again)
  const [record] = await admin.records()
  expect(await admin.post(again)).toMatchObject({ id: base.id, active: true })
  expect((await admin.records())[0].id).toBe(record.id)
})

test('publish: the first version needs base_version=none when the Workspace has no policies', async () => {
  const workspace = await admin.workspace()
  const response = await admin.send(
    'POST',
    '/policy-sets?base_version=pol_01h455vb4pex5vsknk084sn02q',
    { source: DENY },
    { workspace },
  )
  expect(expectError(response, 'CONFLICT').details.active_version).toBe(null)
  expect(await admin.create('/policy-sets?base_version=none', { source: DENY }, { workspace })).toMatchObject({ version: 1 })
})

describe('simulation', () => {
  const request = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more })
  const SOURCE = document(`  - id: addresses
    description: Providers get no addresses.
    at: [input]
    when: content.findings["pii.email"] > 0
    transforms: [pseudonymize:pii.email]
    directives: ["max_tokens:9"]
    risk: high
  - id: verified-only
    at: [input]
    when: content.text.contains("payroll") && !user.verified
    verdict: require_approval
  - id: no-promises
    at: [output]
    when: content.text.contains("promise")
    verdict: deny
`)

  test('draft: returns verdict, obligations, marked findings, and the texts for provider and client [ADM-API-6]', async () => {
    const response = 'Sent to <EMAIL_1> and joe@example.org.'
    const body = { source: SOURCE, request: request('write to jane.roe@example.org'), response }
    expect(await admin.post('/policy-sets/simulate', body)).toEqual({
      object: 'policy_simulation',
      policy: { id: null, name: 'demo', version: null, sha256: expect.any(String) },
      point: 'output',
      verdict: 'allow',
      risk_level: 'high',
      classification: 'confidential',
      transforms: ['pseudonymize:pii.email'],
      directives: ['max_tokens:9'],
      rules: [
        {
          id: 'addresses',
          point: 'input',
          verdict: 'allow',
          description: 'Providers get no addresses.',
          transforms: ['pseudonymize:pii.email'],
          directives: ['max_tokens:9'],
        },
      ],
      marks: [
        { message: 0, part: null, parameter: null, type: 'pii.email', start: 9, end: 29 },
        { message: null, part: null, parameter: null, type: 'pii.email', start: 22, end: 37 },
      ],
      findings: { input: { 'pii.email': 1, pii: 1 }, output: { 'pii.email': 2, pii: 2 } },
      failed: [],
      messages: [{ role: 'user', content: 'write to <EMAIL_1>' }],
      response: 'Sent to jane.roe@example.org and joe@example.org.',
    })
  })

  test('verdict: the strictest over input and output, or over the input alone', async () => {
    const body = { source: SOURCE, request: request('hello'), response: 'I promise.' }
    expect(await admin.post('/policy-sets/simulate', body)).toMatchObject({ verdict: 'deny', rules: [{ id: 'no-promises' }] })
    expect(await admin.post('/policy-sets/simulate', { ...body, point: 'input' })).toMatchObject({
      verdict: 'allow',
      response: null,
    })
  })

  test('other points: the texts of the request are a message, a passage or a memory', async () => {
    const source = document(`  - id: no-addresses
    at: [message, remember]
    when: content.findings.pii > 0
    transforms: [redact:pii]
  - id: own-texts
    at: [message]
    when: message.sender == "jane" && request.endpoint == "message"
    verdict: escalate
  - id: new-passages
    at: [retrieve]
    when: hit.classification == "public" && now - hit.updated_at < duration("1h")
    verdict: deny
`)
    const chat = request('write to jane.roe@example.org', { governance: { user: { id: 'jane' } } })
    const at = (point: string) => admin.post('/policy-sets/simulate', { source, request: chat, point })
    expect(await at('message')).toMatchObject({
      verdict: 'escalate',
      rules: [{ id: 'no-addresses', point: 'message' }, { id: 'own-texts' }],
      transforms: ['redact:pii'],
      findings: { message: { 'pii.email': 1 } },
      messages: [{ content: 'write to [EMAIL]' }],
    })
    expect(await at('remember')).toMatchObject({ verdict: 'allow', messages: [{ content: 'write to [EMAIL]' }] })
    expect(await at('retrieve')).toMatchObject({ verdict: 'deny', rules: [{ id: 'new-passages' }] })
    expect(await at('recall')).toMatchObject({ verdict: 'allow', rules: [] })
  })

  test('user and Application: are read by the rules', async () => {
    const user = { id: 'jane', role: 'clerk' }
    const body = { source: SOURCE, request: request('payroll', { governance: { user } }) }
    expect((await admin.post('/policy-sets/simulate', body)).verdict).toBe('require_approval')
    expect((await admin.post('/policy-sets/simulate', { ...body, user_verified: true })).verdict).toBe('allow')
    const application = await admin.create('/applications', {
      name: 'careful',
      settings: { default_classification: 'restricted' },
    })
    const owned = { source: SOURCE, application_id: application.id, request: request('hello') }
    expect((await admin.post('/policy-sets/simulate', owned)).classification).toBe('restricted')
  })

  test('without a draft: uses the active version or the given published one', async () => {
    const strict = await admin.create('/policy-sets', { source: DENY })
    const lenient = await admin.create('/policy-sets', { source: 'name: demo\nrules: []\n' })
    const pelicans = request('a pelican')
    expect(await admin.post('/policy-sets/simulate', { request: pelicans })).toMatchObject({
      verdict: 'allow',
      policy: { id: lenient.id },
    })
    const earlier = await admin.post('/policy-sets/simulate', { request: pelicans, policy_set_id: strict.id })
    expect(earlier).toMatchObject({ verdict: 'deny', policy: { id: strict.id, version: strict.version } })
  })

  test('effects: none on providers, audit log, reviews and versions [ADM-API-6]', async () => {
    const state = async () => ({
      calls: governed.provider.calls.length,
      records: (await admin.get('/audit?limit=1')).data[0].integrity.sequence,
      reviews: (await admin.get('/reviews')).data.length,
      versions: (await admin.get('/policy-sets')).data.length,
    })
    const before = await state()
    const hold = document('  - id: all\n    at: [input, output]\n    when: "true"\n    verdict: require_approval\n')
    const held = await admin.post('/policy-sets/simulate', { source: hold, request: request('anything'), response: 'any' })
    expect(held.verdict).toBe('require_approval')
    expect(await state()).toEqual(before)
    expect(governed.server.logs()).not.toContain('anything')
  })

  test('tools: offered tools and assumed calls are read by the rules', async () => {
    const { id: application_id } = await governed.application({ settings: { extensions: ['tools'] } })
    const source = JSON.stringify({
      name: 'tools',
      rules: [
        { id: 'offered', at: ['input'], when: '"shell" in request.tools', verdict: 'escalate' },
        { id: 'called', at: ['output'], when: 'content.tool_calls.exists(c, c.arguments.amount > 9)', verdict: 'deny' },
      ],
    })
    const tools = [{ type: 'function', function: { name: 'shell' } }]
    const call = (amount: number) => ({ name: 'transfer', arguments: { amount } })
    const simulated = (more: object) =>
      admin.post('/policy-sets/simulate', { source, application_id, request: request('hello', { tools }), ...more })
    expect(await simulated({})).toMatchObject({ point: 'input', verdict: 'escalate' })
    expect(await simulated({ tool_calls: [call(5), call(10)] })).toMatchObject({ point: 'output', verdict: 'deny', response: '' })
    expect(await simulated({ response: 'Done.', tool_calls: [call(5)] })).toMatchObject({
      verdict: 'escalate',
      response: 'Done.',
    })
  })

  test('invalid draft: 400 as in a publication', async () => {
    const response = await admin.send('POST', '/policy-sets/simulate', { source: 'name: x\n', request: request('x') })
    expect(expectError(response, 'VALIDATION_ERROR', 'rules').details.errors).toHaveLength(1)
  })
})

test('publish: audit record names the version and the earlier one that a roll back restores, without the note [GW-AUD-15]', async () => {
  const workspace = await admin.workspace()
  const publish = (text: string, note?: string) =>
    admin.create('/policy-sets', { source: `name: recorded\ntexts: { manners: ${text} }\nrules: []\n`, note }, { workspace })
  const newest = async () => (await admin.records(1, { workspace }))[0]
  const first = await publish('polite')
  const versionOf = ({ id, name, version, sha256 }: Json) => ({ id, name, version, sha256 })
  expect(await newest()).toMatchObject({ change: { action: 'policy_set.publish', object_id: first.id } })
  expect(await newest()).toMatchObject({ policy_versions: [versionOf(first)] })
  expect((await newest()).change).not.toHaveProperty('restores')
  await publish('brief')
  const third = await publish('polite', 'the brief manners were too brief')
  const record = await newest()
  expect(record).toMatchObject({ policy_versions: [versionOf(third)], change: { restores: { id: first.id, version: 1 } } })
  expect(record.change.fields).toEqual(['source', 'note'])
  expect(JSON.stringify(record)).not.toMatch(/brief|polite/)
  await publish('polite')
  expect((await newest()).change).not.toHaveProperty('restores')
  await admin.post(`/policy-sets/${first.id}/publish`, {}, { workspace })
  expect((await newest()).change).toMatchObject({ fields: ['active'], restores: { id: first.id, version: 1 } })
  expect((await admin.post('/audit/verify', {}, { workspace })).ok).toBe(true)
})
