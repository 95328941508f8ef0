import type { Decision } from '../domain/decision.ts'
import { compile } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { PolicySet } from './policy.ts'
import { type Expectation, inputOf, type PolicyTest, readPolicyTests, type TestTools } from './policy-test-reader.ts'
import type { PolicyError } from './yaml.ts'

export { type PolicyTest, readPolicyTests, type TestTools } from './policy-test-reader.ts'

export interface TestReport {
  readonly name: string
  readonly line: number
  /** One line for each expectation that was not met; empty: passed. */
  readonly failures: readonly string[]
}

/** Runs a file of policy tests against a set. `errors`: the file itself is wrong, and nothing was run. */
export function runPolicyTests(
  set: PolicySet,
  testsYaml: string,
  tools: TestTools,
): { readonly reports: readonly TestReport[]; readonly errors: readonly PolicyError[] } {
  const { tests, errors } = readPolicyTests(testsYaml)
  return { reports: errors.length > 0 ? [] : [...runCases(set, tests, tools)], errors }
}

/** Runs the cases that stand in the document itself. */
export const runOwnTests = (set: PolicySet, tools: TestTools): readonly TestReport[] => [...runCases(set, set.cases, tools)]

/** One case after the other, as they are asked for: each takes as long as all rules of its point. */
export function* runCases(set: PolicySet, tests: readonly PolicyTest[], tools: TestTools): Generator<TestReport> {
  const policy = compile(set, { id: 'pol_test', name: set.name, version: 0, sha256: '' })
  for (const test of tests) {
    const failures = compare(test.expect, evaluate(policy, test.at, inputOf(test, tools)))
    yield { name: test.name, line: test.line, failures }
  }
}

function compare(expect: Expectation, decision: Decision): readonly string[] {
  const got = { ...decision, rules: decision.rules.map(({ id }) => id) }
  const broken = decision.rules.flatMap(({ id, error }) => (error === undefined ? [] : [`rule ${id} broke: ${error}`]))
  const missed = Object.entries(expect).flatMap(([field, wanted]) => {
    const actual = got[field as keyof Expectation]
    return shown(wanted) === shown(actual) ? [] : [`${field}: expected ${shown(wanted)}, got ${shown(actual)}`]
  })
  return missed.length > 0 ? [...missed, ...broken] : []
}

const shown = (value: unknown): string => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value))
