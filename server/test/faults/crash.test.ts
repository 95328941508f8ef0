import { expect, inject, test } from 'vitest'
import { runCrash } from '../../../bench/support/crash-run.ts'

/** `node bench/crash.ts --seed 20 --times 3` is the same run, told line by line; it takes `--times 100` too. */
test('killed under load, the server keeps every record, every hold and the chain, and calls no provider twice', async () => {
  const report = await runCrash({ times: 3, seed: 20, template: inject('templateDataDir') })
  expect(report.violations).toEqual([])
  expect(report.kills.underLoad).toBe(3)
  expect(report.answers).toBeGreaterThan(50)
  expect(report.released).toBeGreaterThan(0)
}, 300_000)
