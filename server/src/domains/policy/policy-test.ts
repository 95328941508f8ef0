import type { Decision } from '../../shared/decision.ts'
import { compile } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { PolicySet } from './policy.ts'
import { type Expectation, type PolicyTest, readPolicyTests, type TestTools, toPolicyInput } from './policy-test-reader.ts'
import type { PolicyError } from './yaml.ts'

export { type PolicyTest, readPolicyTests, type TestTools } from './policy-test-reader.ts'

export interface TestReport {
  readonly name: string
  readonly line: number
  /** One line for each failed expectation; empty: passed. */
  readonly failures: readonly string[]
}

/** Runs a file of policy tests against a set. `errors`: the file is invalid, and no case was run. */
export function runPolicyTests(
  set: PolicySet,
  testsYaml: string,
  tools: TestTools,
): { readonly reports: readonly TestReport[]; readonly errors: readonly PolicyError[] } {
  const { tests, errors } = readPolicyTests(testsYaml)
  return { reports: errors.length > 0 ? [] : [...runCases(set, tests, tools)], errors }
}

/** Runs a case for each value that the caller takes, so that the caller can pause between cases. */
export function* runCases(set: PolicySet, tests: readonly PolicyTest[], tools: TestTools): Generator<TestReport> {
  const policy = compile(set, { id: 'pol_test', name: set.name, version: 0, sha256: '' })
  for (const test of tests) {
    const failures = findFailures(test.expect, evaluate(policy, test.at, toPolicyInput(test, tools)))
    yield { name: test.name, line: test.line, failures }
  }
}

function findFailures(expect: Expectation, decision: Decision): readonly string[] {
  const actual = { ...decision, rules: decision.rules.map(({ id }) => id) }
  const ruleErrors = decision.rules.flatMap(({ id, error }) => (error === undefined ? [] : [`rule ${id} failed: ${error}`]))
  const failures = Object.entries(expect).flatMap(([field, value]) => {
    const [wanted, got] = [format(value), format(actual[field as keyof Expectation])]
    return wanted === got ? [] : [`${field}: expected ${wanted}, got ${got}`]
  })
  return failures.length > 0 ? [...failures, ...ruleErrors] : []
}

const format = (value: unknown): string => (Array.isArray(value) ? `[${value.join(', ')}]` : String(value))
