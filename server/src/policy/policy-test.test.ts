import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { policySet, singleRuleDocument } from '../../test/support/policies.ts'
import { TEST_TOOLS } from '../../test/support/policy-tools.ts'
import { runPolicyTests } from './policy-test.ts'
import { testPolicyFile } from './policy-test-file.ts'

const set = policySet(singleRuleDocument('content.findings["pii.email"] > 0', { verdict: 'escalate', risk: 'high' }))
const run = (test: object) => runPolicyTests(set, JSON.stringify({ tests: [{ name: 'case', at: 'input', ...test }] }), TEST_TOOLS)

test('a case that meets its expectations has no failures', () => {
  const text = 'write to jane.roe@example.com'
  expect(run({ input: { content: { text } }, expect: { verdict: 'escalate', risk: 'high', rules: ['rule'] } })).toEqual({
    reports: [{ name: 'case', line: 1, failures: [] }],
    errors: [],
  })
})

test('a case that does not says what was expected and what came', () => {
  expect(run({ expect: { verdict: 'deny', rules: ['rule', 'other'], transforms: ['redact:pii'] } }).reports[0]?.failures).toEqual(
    ['verdict: expected deny, got allow', 'transforms: expected [redact:pii], got []', 'rules: expected [rule, other], got []'],
  )
})

test('a rule that broke is named', () => {
  const broken = policySet(singleRuleDocument('user.attributes.absent == 1'))
  const tests = JSON.stringify({ tests: [{ name: 'case', at: 'input', expect: { verdict: 'allow' } }] })
  expect(runPolicyTests(broken, tests, TEST_TOOLS).reports[0]?.failures).toEqual([
    'verdict: expected allow, got deny',
    'rule rule broke: missing_value',
  ])
})

test('findings may be given: a type counts for its group, and the detectors are not asked', () => {
  const input = { content: { text: 'jane.roe@example.com', findings: { 'pii.card': 2 } } }
  expect(
    run({ input, expect: { verdict: 'allow', classification: 'confidential', risk: 'medium' } }).reports[0]?.failures,
  ).toEqual([])
})

describe('a test file that is wrong runs nothing, and the error names line, column and field', () => {
  test.each([
    [{ at: 'inputs', expect: { verdict: 'deny' } }, 'tests[0].at'],
    [{ expect: { verdict: 'no' } }, 'tests[0].expect.verdict'],
    [{ expect: {} }, 'tests[0].expect'],
    [{}, 'tests[0].expect'],
    [{ expect: { verdict: 'deny' }, input: { usr: {} } }, 'tests[0].input.usr'],
    [{ expect: { verdict: 'deny' }, input: { user: { nme: 'x' } } }, 'tests[0].input.user.nme'],
    [{ expect: { verdict: 'deny' }, input: { user: { verified: 'yes' } } }, 'tests[0].input.user.verified'],
    [{ expect: { verdict: 'deny' }, input: { request: { tokens: 1.5 } } }, 'tests[0].input.request.tokens'],
    [{ expect: { verdict: 'deny' }, input: { request: { endpoint: 'chats' } } }, 'tests[0].input.request.endpoint'],
    [{ expect: { verdict: 'deny' }, input: { content: { findings: { email: 1 } } } }, 'tests[0].input.content.findings.email'],
    [{ expect: { verdict: 'deny' }, input: { now: 'noon' } }, 'tests[0].input.now'],
  ])('%j', (wrong, field) => {
    const { reports, errors } = run(wrong)
    expect(reports).toEqual([])
    expect(errors[0]).toMatchObject({ line: 1, field })
  })

  test('no cases', () => expect(runPolicyTests(set, 'tests: []', TEST_TOOLS).errors[0]?.message).toBe('has no cases'))
})

describe('testing a policy file', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-policy-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const policy = (name: string, tests: string): string =>
    file(name, `name: x\ntests: ${tests}\nrules:\n  - { id: all, at: [input], when: true, verdict: deny }\n`)

  test('prints each case, and the place of those that fail', async () => {
    file('good.yaml', 'tests:\n  - { name: good, at: input, expect: { verdict: deny } }\n')
    file(
      'bad.yaml',
      'tests:\n  - { name: fine, at: input, expect: { verdict: deny } }\n  - { name: bad, at: input, expect: { verdict: allow } }\n',
    )
    const path = policy('both.yaml', '[good.yaml, bad.yaml]')
    expect(await testPolicyFile(path, TEST_TOOLS)).toEqual({
      ok: false,
      lines: [
        'ok    good',
        'ok    fine',
        'FAIL  bad (bad.yaml:3)',
        '      verdict: expected allow, got deny',
        `${path}: 2 passed, 1 failed`,
      ],
    })
    expect(await testPolicyFile(policy('one.yaml', '[good.yaml]'), TEST_TOOLS)).toMatchObject({ ok: true })
  })

  test('is not passed by a policy without tests, a test file that is not there or that is wrong', async () => {
    expect((await testPolicyFile(policy('none.yaml', '[]'), TEST_TOOLS)).ok).toBe(false)
    expect((await testPolicyFile(policy('absent.yaml', '[absent-tests.yaml]'), TEST_TOOLS)).lines[0]).toBe(
      'absent-tests.yaml: cannot be read',
    )
    file('wrong.yaml', 'tests:\n  - { name: x, at: nowhere, expect: { verdict: deny } }\n')
    const { ok, lines } = await testPolicyFile(policy('wrongly.yaml', '[wrong.yaml]'), TEST_TOOLS)
    expect([ok, lines[0]]).toEqual([false, expect.stringMatching(/^wrong\.yaml:2:20: tests\[0\]\.at: must be one of/)])
    expect((await testPolicyFile(join(folder, 'no-such.yaml'), TEST_TOOLS)).ok).toBe(false)
  })

  test('names the place of what is wrong in the policy itself', async () => {
    const path = file('broken.yaml', 'name: x\nrules:\n  - { id: a, at: [input], when: user.nme == "x", verdict: deny }\n')
    expect(await testPolicyFile(path, TEST_TOOLS)).toEqual({
      ok: false,
      lines: [`${path}:3:37: rules[0].when: user has no field nme; it has id, role, department, attributes, verified`],
    })
  })
})
