import type { Problem } from '../../platform/lib/schema.ts'
import { type PolicyTest, readPolicyTests } from './policy-test-reader.ts'
import { readYaml } from './yaml.ts'

/** A test case as JSON, with the names of the YAML form. */
export interface TestDefinition {
  readonly at: string
  readonly input?: Readonly<Record<string, unknown>> | undefined
  readonly expect: Readonly<Record<string, unknown>>
}

export interface NamedDefinition extends TestDefinition {
  readonly name: string
}

export const TEST_LIMITS = {
  cases: 1_000,
  caseLength: 64 * 1_024,
} as const

/** Reads a stored or sent case. JSON is YAML, so that both forms have one reader. */
export function readDefinition(definition: NamedDefinition): { readonly test?: PolicyTest; readonly problem?: Problem } {
  const { name, at, input, expect } = definition
  const json = JSON.stringify({ tests: [{ name, at, ...(input && { input }), expect }] })
  if (json.length > TEST_LIMITS.caseLength) {
    return { problem: { param: 'input', message: `must not have more than ${TEST_LIMITS.caseLength} characters of JSON` } }
  }
  const { tests, errors } = readPolicyTests(json)
  const [first] = errors
  if (first) return { problem: { param: first.field.replace(/^tests\[0\]\.?/, ''), message: first.message } }
  const [test] = tests
  return test ? { test } : { problem: { param: '', message: 'is not a test case' } }
}

/** The cases of a test file as JSON. Call it after `readPolicyTests` found no errors. */
export function definitionsIn(source: string): readonly NamedDefinition[] {
  const { document } = readYaml(source)
  const { tests = [] } = (document.root as { toJSON(): { tests?: NamedDefinition[] } } | null)?.toJSON() ?? {}
  return tests
}
