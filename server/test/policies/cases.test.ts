import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { parsePolicySet } from '../../src/domains/policy/parse.ts'
import { testPolicyFile } from '../../src/domains/policy/policy-test-file.ts'
import { runTests } from '../../src/domains/policy/run-tests.ts'
import { TEST_TOOLS } from '../support/policy-tools.ts'

const folder = join(import.meta.dirname, 'cases')
const examples = join(import.meta.dirname, '../../../examples/policies')

/** A case file has a `policy` and the `tests` that it must pass, in the format of docs/policies.md. */
describe.each(readdirSync(folder))('%s', async (file) => {
  const document = parseDocument(readFileSync(join(folder, file), 'utf8')).toJS()
  const parsed = parsePolicySet(JSON.stringify({ ...document.policy, tests: document.tests }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors))
  const { results } = await runTests(parsed.set, { files: {}, stored: [] }, TEST_TOOLS, async () => {})

  test.each(results)('$name', ({ failures }) => expect(failures).toEqual([]))
})

const EXAMPLES = [...readdirSync(examples), ...readdirSync(join(examples, 'cookbook')).map((file) => `cookbook/${file}`)]

test.each(EXAMPLES.filter((file) => file.endsWith('.yaml')))('examples/policies/%s passes its own tests', async (file) => {
  const { ok, lines } = await testPolicyFile(join(examples, file), TEST_TOOLS)
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([expect.stringMatching(/ [1-9]\d* passed, 0 failed$/)])
  expect(ok).toBe(true)
})
