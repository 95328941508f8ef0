import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError } from './client.ts'

const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)

const RULE = '  - { id: emails, at: [input], when: content.findings.pii > 0, verdict: deny }\n'
const document = (tests: string) => `name: draft\ntests:\n${tests}rules:\n${RULE}`
const DENIED =
  '  - { name: an address, at: input, input: { content: { text: "to ann@firma.test" } }, expect: { verdict: deny } }\n'
const WRONG = '  - { name: nothing, at: input, expect: { verdict: deny, rules: [emails] } }\n'

test('check: returns the errors of a publication with line, column and field, and publishes nothing', async () => {
  const before = await admin.get('/policy-sets')
  expect(await admin.post('/policy-sets/check', { source: document(DENIED) })).toEqual({
    object: 'policy_check',
    ok: true,
    name: 'draft',
    rules: 1,
    tests: 1,
    errors: [],
    needs_whole_response: null,
  })
  const bad = await admin.post('/policy-sets/check', { source: document(DENIED).replace('findings.pii', 'findings.pie') })
  expect(bad).toMatchObject({
    ok: false,
    errors: [
      {
        line: 5,
        column: 54,
        field: 'rules[0].when',
        rule: expect.any(String),
        message: 'unknown finding pie. Did you mean pii?',
      },
    ],
  })
  expect(await admin.get('/policy-sets')).toEqual(before)
})

test('test: runs the cases of the document and names their lines', async () => {
  expect(await admin.post('/policy-sets/test', { source: document(DENIED + WRONG) })).toEqual({
    object: 'policy_test_run',
    ok: false,
    passed: 1,
    failed: 1,
    results: [
      { id: null, file: null, name: 'an address', line: 3, ok: true, failures: [] },
      {
        id: null,
        file: null,
        name: 'nothing',
        line: 4,
        ok: false,
        failures: ['verdict: expected deny, got allow', 'rules: expected [emails], got []'],
      },
    ],
    missing: [],
    errors: [],
  })
})

test('test: runs the named files that are sent, and lists the missing ones', async () => {
  const source = document('  - good.yaml\n  - broken.yaml\n  - missing.yaml\n')
  const files = {
    'good.yaml': `tests:\n${DENIED}`,
    'broken.yaml': 'tests:\n  - { name: x, at: nowhere, expect: { verdict: deny } }\n',
    'other.yaml': 'tests: []',
  }
  const run = await admin.post('/policy-sets/test', { source, files })
  expect(run).toMatchObject({ ok: false, passed: 1, failed: 0, missing: ['missing.yaml'] })
  expect(run.results).toMatchObject([{ file: 'good.yaml', line: 2, ok: true }])
  expect(run.errors[0]).toMatchObject({ file: 'broken.yaml', line: 2, field: 'tests[0].at' })
})

test('publish: 400 when a case is invalid', async () => {
  const source = document('  - { name: x, at: nowhere, expect: { verdict: deny } }\n')
  const response = await admin.send('POST', '/policy-sets', { source })
  expect(expectError(response, 'VALIDATION_ERROR').details.errors).toMatchObject([{ line: 3, field: 'tests[0].at' }])
  expectError(await admin.send('POST', '/policy-sets/test', { source }), 'VALIDATION_ERROR')
})

test('test: not ok when the document has no tests', async () => {
  expect(await admin.post('/policy-sets/test', { source: 'name: x\nrules: []\n' })).toMatchObject({ ok: false, results: [] })
})

describe('test: a document whose cases take long', () => {
  const numbers = `[${Array.from({ length: 100 }, (_, i) => i).join(',')}]`
  const when = `${numbers}.all(i, ${numbers}.all(j, request.tokens + i + j >= 0))`
  const run = (length: number) => {
    const rules = Array.from({ length }, (_, i) => ({ id: `r${i}`, at: ['input'], when, risk: 'low' }))
    const tests = Array.from({ length: 5 }, (_, i) => ({ name: `t${i}`, at: 'input', expect: { verdict: 'allow' } }))
    return admin.send('POST', '/policy-sets/test', { source: JSON.stringify({ name: 'long', rules, tests }) })
  }

  test('other requests are served between the cases, and a case is denied when it takes too long', async () => {
    const running = run(40)
    let [ended, served] = [false, 0]
    const ending = running.finally(() => {
      ended = true
    })
    while (!ended) {
      expect((await fetch(`${server.base}/healthz`)).status).toBe(200)
      served += 1
    }
    const { results } = (await ending).body
    expect(results[0].failures).toContain('rule r39 failed: too_complex')
    expect(served).toBeGreaterThan(2)
  })

  test('two run at a time, and a third gets 429 with Retry-After', async () => {
    // Each takes much longer than the arrival of the others.
    const responses = await Promise.all([run(20), run(20), run(20)])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
    const third = responses.find(({ status }) => status === 429)
    if (third) expectError(third, 'RATE_LIMITED')
    expect(third?.headers.get('retry-after')).toBe('5')
    expect((await admin.post('/policy-sets/test', { source: document(DENIED) })).ok).toBe(true)
  })
})
