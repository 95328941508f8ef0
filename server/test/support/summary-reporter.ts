import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Prints the result as one line, `812 passed, 0 failed, 3 skipped`, or appends it to TEST_SUMMARY_FILE, which .ci/run sets. */
class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0 }
    for (const module of modules) {
      if (module.errors().length > 0) count.failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state] += 1
      }
    }
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`
    const file = process.env.TEST_SUMMARY_FILE
    if (file === undefined) console.log(line)
    else appendFileSync(file, `${line}\n`)
  }
}

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default SummaryReporter
