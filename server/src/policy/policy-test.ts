import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { Decision, PolicyPoint, Verdict } from '../domain/decision.ts'
import type { FindingCounts } from '../domain/finding.ts'
import { compile } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { PolicyInput } from './input.ts'
import type { PolicySet } from './policy.ts'
import { readPolicyTests } from './policy-test-reader.ts'
import type { PolicyError } from './yaml.ts'

/** What the tests borrow from the detectors, so that a case need only hold a text. */
export interface TestTools {
  detect(text: string): FindingCounts
  /** Where classification and risk start, given what was found (decisions.md §2.4a). */
  assess(findings: FindingCounts): { readonly classification: Classification; readonly risk: RiskLevel }
}

export interface PolicyTest {
  readonly name: string
  /** Line of the case in its file. */
  readonly line: number
  readonly at: PolicyPoint
  readonly input: PolicyInput
  readonly expect: Expectation
}

/** What is not stated is not compared. Lists are compared whole, in order. */
export interface Expectation {
  readonly verdict?: Verdict
  readonly risk?: RiskLevel
  readonly classification?: Classification
  readonly transforms?: readonly string[]
  readonly directives?: readonly string[]
  /** Ids of all rules that matched. */
  readonly rules?: readonly string[]
}

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
  const { tests, errors } = readPolicyTests(testsYaml, tools)
  if (errors.length > 0) return { reports: [], errors }
  const policy = compile(set, { id: 'pol_test', name: set.name, version: 0, sha256: '' })
  const reports = tests.map(({ name, line, at, input, expect }): TestReport => {
    return { name, line, failures: compare(expect, evaluate(policy, at, input)) }
  })
  return { reports, errors }
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
