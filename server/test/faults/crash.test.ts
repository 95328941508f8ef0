import { expect, inject, test } from 'vitest'
import { runCrash } from '../../../bench/support/crash-run.ts'

const TIMES = 3

/** `node bench/crash.ts --seed 20 --times 3` is the same run with a log. */
test('crash: server keeps every record, every hold and the chain, and repeats no provider call when it is killed under load [GW-PIPE-13]', async () => {
  const report = await runCrash({ times: TIMES, seed: 20, template: inject('templateDataDir') })
  expect(report.violations).toEqual([])
  expect(report.kills.underLoad).toBe(TIMES)
  expect(report.answers).toBeGreaterThan(15 * TIMES)
  expect(report.released).toBeGreaterThan(0)
}, 300_000)
