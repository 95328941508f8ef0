import { expect, test } from 'vitest'
import { asyncCpuMs, cpuMs } from '../../../test/support/cpu-time.ts'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'
import { ScanThread, scanInThread } from './scan-in-thread.ts'

const PROSE = 'The committee met on Tuesday, together with Anna Smith (anna.smith@example.com), and discussed the budget. '
const long = (characters: number): string[] => [PROSE.repeat(Math.ceil(characters / PROSE.length))]
const BUDGET = { detectors: DETECTORS, budgetMs: 60_000 }

test('scanInThread: same findings as scan when the texts are long', async () => {
  const texts = [...long(300_000), ...long(300_000), 'AKIAQ3EGRWZT5HPLV2NX']
  expect(await scanInThread(texts, BUDGET)).toEqual(scan(texts, BUDGET))
})

test('scanInThread: event loop is free when the texts are long', async () => {
  const texts = long(1_500_000)
  await scanInThread(long(600_000), BUDGET) // the thread has started
  const onThisThread = cpuMs(() => void scan(texts, BUDGET))
  const measureAside = () =>
    asyncCpuMs(async () => {
      expect((await scanInThread(texts, BUDGET)).counts['pii.email']).toBeGreaterThan(1_000)
    })
  // The least of several: work that other files of this worker left behind counts too.
  const aside = Math.min(await measureAside(), await measureAside(), await measureAside())
  expect(aside).toBeLessThan(onThisThread / 2)
})

test('ScanThread: all detectors are reported as failed when the thread is too slow', async () => {
  const found = await new ScanThread(1).run(long(1_000_000), 60_000)
  expect(found.failures).toEqual(DETECTORS.map(({ name }) => name))
})

test('scanInThread: detectors fail when long texts exceed their larger budget', async () => {
  const texts = long(1_000_000)
  expect((await scanInThread(texts, { detectors: DETECTORS, budgetMs: 0.001 })).failures.length).toBeGreaterThan(0)
})
