import type { Decision } from '../../shared/decision.ts'
import { compile } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { Pause } from './evaluation-limiter.ts'
import type { PolicySet } from './policy.ts'
import { readDefinition } from './policy-test-case.ts'
import { type Expectation, type PolicyTest, readPolicyTests, type TestTools, toPolicyInput } from './policy-test-reader.ts'
import type { StoredTest } from './policy-test-store.ts'
import type { PolicyError } from './yaml.ts'

export interface TestSources {
  readonly files: Readonly<Record<string, string>>
  readonly stored: readonly StoredTest[]
  readonly only?: ReadonlySet<string> | undefined
}

export interface TestResult {
  /** Id of a stored case; null: a case of the document or of a sent file. */
  readonly id: string | null
  /** null: the document, or a stored case without a file. */
  readonly file: string | null
  readonly name: string
  /** Line in the document or file; null: a stored case. */
  readonly line: number | null
  readonly ok: boolean
  readonly failures: readonly string[]
}

export interface TestRun {
  /** Whether there were cases, no file is missing and all cases passed. */
  readonly ok: boolean
  readonly passed: number
  readonly failed: number
  readonly results: readonly TestResult[]
  readonly missing: readonly string[]
  readonly errors: readonly ({ readonly file: string } & PolicyError)[]
}

/** Runs the cases of the document, of the files that it names, and the stored ones. A sent file replaces the stored cases of its name. */
export async function runTests(
  set: PolicySet,
  { files, stored, only }: TestSources,
  tools: TestTools,
  pause: Pause,
): Promise<TestRun> {
  const sent = set.tests.filter((name) => Object.hasOwn(files, name))
  const applicable = stored.filter(({ id, file }) =>
    only ? only.has(id) : file === null || (set.tests.includes(file) && !sent.includes(file)),
  )
  const known = new Set([...sent, ...stored.map(({ file }) => file)])
  const missing = only ? [] : set.tests.filter((name) => !known.has(name))
  const policy = compile(set, { id: 'pol_test', name: set.name, version: 0, sha256: '' })
  const results: TestResult[] = []
  const errors: ({ file: string } & PolicyError)[] = []
  const run = async (tests: readonly PolicyTest[], place: Pick<TestResult, 'file'> & Partial<TestResult>): Promise<void> => {
    for (const test of tests) {
      const failures = findFailures(test.expect, evaluate(policy, test.at, toPolicyInput(test, tools)))
      results.push({ id: null, name: test.name, line: test.line, ok: failures.length === 0, failures, ...place })
      await pause()
    }
  }
  if (!only) await run(set.cases, { file: null })
  for (const name of only ? [] : sent) {
    const read = readPolicyTests(files[name] ?? '')
    errors.push(...read.errors.map((error) => ({ file: name, ...error })))
    await pause()
    if (read.errors.length === 0) await run(read.tests, { file: name })
  }
  for (const stored of applicable) {
    const { id, file, name } = stored
    const { test, problem } = readDefinition(stored)
    if (test) await run([test], { id, file, line: null })
    // A case that an older release accepted.
    else
      results.push({ id, file, name, line: null, ok: false, failures: [`cannot be read: ${problem?.param} ${problem?.message}`] })
    await pause()
  }
  const failed = results.filter(({ ok }) => !ok).length
  const ok = failed + missing.length + errors.length === 0 && results.length > 0
  return { ok, passed: results.length - failed, failed, results, missing, errors }
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
