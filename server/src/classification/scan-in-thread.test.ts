import { expect, test } from 'vitest'
import { asyncCpuMs, cpuMs } from '../../test/support/cpu-time.ts'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'
import { ScanThread, scanInThread } from './scan-in-thread.ts'

const PROSE = 'The committee met on Tuesday, together with Anna Smith (anna.smith@example.com), and discussed the budget. '
const long = (characters: number): string[] => [PROSE.repeat(Math.ceil(characters / PROSE.length))]
const BUDGET = { detectors: DETECTORS, budgetMs: 60_000 }

test('a long set of texts: the same findings as on the event loop', async () => {
  const texts = [...long(300_000), ...long(300_000), 'AKIAQ3EGRWZT5HPLV2NX']
  expect(await scanInThread(texts, BUDGET)).toEqual(scan(texts, BUDGET))
})

test('a long set of texts: others are answered while it is read', async () => {
  const texts = long(1_500_000)
  await scanInThread(long(600_000), BUDGET) // the thread has started
  const onThisThread = cpuMs(() => void scan(texts, BUDGET))
  const aside = await asyncCpuMs(async () => {
    expect((await scanInThread(texts, BUDGET)).counts['pii.email']).toBeGreaterThan(1_000)
  })
  expect(aside).toBeLessThan(onThisThread / 2)
})

test('a thread that does not answer in time: every detector has failed, so that the request is denied', async () => {
  const found = await new ScanThread(1).run(long(1_000_000), 60_000)
  expect(found.failures).toEqual(DETECTORS.map(({ name }) => name))
})

test('the budget grows with the texts, and what overruns it still fails', async () => {
  const texts = long(1_000_000)
  expect((await scanInThread(texts, { detectors: DETECTORS, budgetMs: 0.001 })).failures.length).toBeGreaterThan(0)
})
