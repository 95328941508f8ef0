import type { Reporter, TestModule } from 'vitest/node'

/** Ends the run with one plain line that any tool can read: `812 passed, 0 failed`. */
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
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
  }
}

// biome-ignore lint/style/noDefaultExport: the tool wants one
export default SummaryReporter
