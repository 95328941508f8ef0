import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'

/** Numbers of tests. A file or a hook that failed by itself counts as one failed test. */
export interface TestCounts {
  passed: number
  failed: number
  skipped: number
}

export interface FileSummary extends TestCounts {
  readonly project: string
  readonly file: string
  /** Full names of the tests that failed, and what failed besides tests. */
  readonly failures: readonly string[]
}

/** The result of a run. */
export interface RunSummary {
  readonly files: readonly FileSummary[]
  /** Number of errors outside of tests, for example of a worker that ended, and 1 for an interrupted run. */
  readonly errors: number
}

function summaryOf(module: TestModule): FileSummary {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    if (state === 'failed') failures.push(test.fullName)
    else if (state !== 'pending') counts[state] += 1
  }
  for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failures.push(`hook of ${suite.fullName}`)
  if (module.errors().length > 0) failures.push('the file or its hook')
  if (failures.length === 0 && !module.ok()) failures.push('the file')
  return { project: module.project.name, file: module.relativeModuleId, ...counts, failed: failures.length, failures }
}

/** Prints the result as one line, `812 passed, 0 failed, 3 skipped`, or writes it to TEST_SUMMARY_FILE as JSON, which scripts/ci-tests.ts reads. */
class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const isInterrupted = reason === 'interrupted'
    const summary: RunSummary = { files: modules.map(summaryOf), errors: errors.length + (isInterrupted ? 1 : 0) }
    const file = process.env.TEST_SUMMARY_FILE
    if (file !== undefined) writeFileSync(file, JSON.stringify(summary))
    else console.log(lineOf(totalOf(summary)))
  }
}

export function totalOf({ files, errors }: RunSummary): TestCounts {
  const sum = (name: keyof TestCounts) => files.reduce((total, file) => total + file[name], 0)
  return { passed: sum('passed'), failed: sum('failed') + errors, skipped: sum('skipped') }
}

export const lineOf = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default SummaryReporter
