import { expect, inject, test } from 'vitest'
import { runMessagingCrash } from '../../../bench/support/messaging-crash-run.ts'

const TIMES = 3

/** `node bench/messaging-crash.ts --seed 20 --times 3` is the same run with a log. */
test('messaging crash: no message or event is lost or sent twice when the server is killed while members write', async () => {
  const report = await runMessagingCrash({ times: TIMES, seed: 20, template: inject('templateDataDir') })
  expect(report.violations).toEqual([])
  expect(report.kills).toBe(TIMES)
  expect(report.acknowledged).toBeGreaterThan(13 * TIMES)
  expect(report.received).toEqual([report.acknowledged, report.acknowledged])
}, 300_000)
