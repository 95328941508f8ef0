import type { Pause } from './evaluation-limiter.ts'
import type { PolicyError } from './parse.ts'
import type { PolicySet } from './policy.ts'
import { type PolicyTest, readPolicyTests, runCases, type TestReport, type TestTools } from './policy-test.ts'
import { readDefinition } from './policy-test-case.ts'
import type { StoredTest } from './policy-test-store.ts'

export interface TestSources {
  /** Test files that the request contains, by name. */
  readonly files: Readonly<Record<string, string>>
  /** Stored cases of the Workspace. */
  readonly stored: readonly StoredTest[]
  /** Runs only the stored cases with these ids. */
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
  const results: TestResult[] = []
  const errors: ({ file: string } & PolicyError)[] = []
  const run = async (tests: readonly PolicyTest[], resultOf: (report: TestReport) => TestResult): Promise<void> => {
    for (const report of runCases(set, tests, tools)) {
      results.push(resultOf(report))
      await pause()
    }
  }
  if (!only) await run(set.cases, (report) => resultAt(null, report))
  for (const name of only ? [] : sent) {
    const read = readPolicyTests(files[name] ?? '')
    errors.push(...read.errors.map((error) => ({ file: name, ...error })))
    await pause()
    if (read.errors.length === 0) await run(read.tests, (report) => resultAt(name, report))
  }
  for (const test of applicable) {
    const { test: readable, problem } = readDefinition(test)
    if (readable) await run([readable], (report) => ({ ...resultAt(test.file, report), id: test.id, line: null }))
    else results.push(unreadable(test, `${problem?.param} ${problem?.message}`))
    await pause()
  }
  const failed = results.filter(({ ok }) => !ok).length
  const ok = failed + missing.length + errors.length === 0 && results.length > 0
  return { ok, passed: results.length - failed, failed, results, missing, errors }
}

const resultAt = (file: string | null, { name, line, failures }: TestReport): TestResult => ({
  id: null,
  file,
  name,
  line,
  ok: failures.length === 0,
  failures: [...failures],
})

/** A case that an older release accepted. */
const unreadable = ({ id, file, name }: StoredTest, problem: string): TestResult => ({
  id,
  file,
  name,
  line: null,
  ok: false,
  failures: [`cannot be read: ${problem}`],
})
