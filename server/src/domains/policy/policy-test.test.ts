import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { policySet, singleRuleDocument } from '../../../test/support/policies.ts'
import { TEST_TOOLS } from '../../../test/support/policy-tools.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { testPolicyFile } from './policy-test-file.ts'
import { runTests } from './run-tests.ts'

const set = policySet(singleRuleDocument('content.findings["pii.email"] > 0', { verdict: 'escalate', risk: 'high' }))
const runFile = (source: string, policies = set) =>
  runTests({ ...policies, tests: ['file'] }, { files: { file: source }, stored: [] }, TEST_TOOLS, async () => {})
const run = (test: object, policies = set) =>
  runFile(JSON.stringify({ tests: [{ name: 'case', at: 'input', ...test }] }), policies)
const failuresOf = async (...args: Parameters<typeof run>) => (await run(...args)).results[0]?.failures

test('runTests: no failures when the expectations of a case are met', async () => {
  const text = 'write to jane.roe@example.com'
  expect(await run({ input: { content: { text } }, expect: { verdict: 'escalate', risk: 'high', rules: ['rule'] } })).toEqual({
    ok: true,
    passed: 1,
    failed: 0,
    results: [{ id: null, file: 'file', name: 'case', line: 1, ok: true, failures: [] }],
    missing: [],
    errors: [],
  })
})

test('runTests: failures name the expected and the actual value', async () => {
  expect(await failuresOf({ expect: { verdict: 'deny', rules: ['rule', 'other'], transforms: ['redact:pii'] } })).toEqual([
    'verdict: expected deny, got allow',
    'transforms: expected [redact:pii], got []',
    'rules: expected [rule, other], got []',
  ])
})

test('runTests: failures name a rule whose condition failed', async () => {
  const failing = policySet(singleRuleDocument('user.attributes.absent == 1'))
  expect(await failuresOf({ expect: { verdict: 'allow' } }, failing)).toEqual([
    'verdict: expected allow, got deny',
    'rule rule failed: missing_value',
  ])
})

test('runTests: given findings count for their group and replace the detectors', async () => {
  const input = { content: { text: 'jane.roe@example.com', findings: { 'pii.card': 2 } } }
  expect(await failuresOf({ input, expect: { verdict: 'allow', classification: 'confidential', risk: 'medium' } })).toEqual([])
})

describe('runTests: error with line, column and field when the file is not valid', () => {
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
  ])('%j', async (invalidCase, field) => {
    const { results, errors } = await run(invalidCase)
    expect(results).toEqual([])
    expect(errors[0]).toMatchObject({ line: 1, field })
  })

  test('no cases', async () => expect((await runFile('tests: []')).errors[0]?.message).toBe('must have at least one case'))
})
describe('testPolicyFile', () => {
  const folder = temporaryFolder()

  const writeFile = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const writePolicy = (name: string, tests: string): string =>
    writeFile(name, `name: x\ntests: ${tests}\nrules:\n  - { id: all, at: [input], when: true, verdict: deny }\n`)

  test('lines: each case, and the place of each failed case', async () => {
    writeFile('good.yaml', 'tests:\n  - { name: good, at: input, expect: { verdict: deny } }\n')
    writeFile(
      'bad.yaml',
      'tests:\n  - { name: fine, at: input, expect: { verdict: deny } }\n  - { name: bad, at: input, expect: { verdict: allow } }\n',
    )
    const path = writePolicy('both.yaml', '[good.yaml, bad.yaml]')
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
    expect(await testPolicyFile(writePolicy('one.yaml', '[good.yaml]'), TEST_TOOLS)).toMatchObject({ ok: true })
  })

  test('not ok when there are no tests, or a test file is missing or not valid', async () => {
    expect((await testPolicyFile(writePolicy('none.yaml', '[]'), TEST_TOOLS)).ok).toBe(false)
    expect((await testPolicyFile(writePolicy('absent.yaml', '[absent-tests.yaml]'), TEST_TOOLS)).lines[0]).toBe(
      'absent-tests.yaml: cannot be read',
    )
    writeFile('invalid.yaml', 'tests:\n  - { name: x, at: nowhere, expect: { verdict: deny } }\n')
    const { ok, lines } = await testPolicyFile(writePolicy('with-invalid.yaml', '[invalid.yaml]'), TEST_TOOLS)
    expect([ok, lines[0]]).toEqual([false, expect.stringMatching(/^invalid\.yaml:2:20: tests\[0\]\.at: must be one of/)])
    expect((await testPolicyFile(join(folder, 'no-such.yaml'), TEST_TOOLS)).ok).toBe(false)
  })

  test('lines: place of the error when the policy is not valid', async () => {
    const path = writeFile('broken.yaml', 'name: x\nrules:\n  - { id: a, at: [input], when: user.nme == "x", verdict: deny }\n')
    expect(await testPolicyFile(path, TEST_TOOLS)).toEqual({
      ok: false,
      lines: [
        `${path}:3:37: a: user has no field nme; its fields: id, role, department, roles, departments, groups, attributes, verified`,
      ],
    })
  })
})
