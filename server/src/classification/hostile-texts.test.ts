import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Measurement } from '../../test/support/classification/cost-worker.ts'
import { HOSTILE_UNITS } from '../../test/support/classification/hostile-texts.ts'

const MEBI = 1 << 20
/** Issue 2, Deliver 6: “a megabyte of hostile text takes under 100 ms”. */
const LIMIT_MS = 100

const worker = new Worker(new URL('../../test/support/classification/cost-worker.ts', import.meta.url), { execArgv: [] })
afterAll(() => worker.terminate())

/** What all detectors together take, in milliseconds of their thread; the least of some tries, or the first under `enough`. */
async function cost(unit: string, length: number, { times = 1, enough = LIMIT_MS, tries = 12 } = {}): Promise<number> {
  const question: Measurement = { unit, length, times, enough, tries }
  worker.postMessage(question)
  const [answer] = await once(worker, 'message')
  return answer
}

test.each(Object.entries(HOSTILE_UNITS))('a mebibyte of %s: under 100 ms, and linear', async (_, unit) => {
  const whole = await cost(unit, MEBI)
  expect(whole).toBeLessThan(LIMIT_MS)
  // At the largest size that a request may have, this cannot be far from linear.
  if (whole < LIMIT_MS / 4) return
  const inPieces = await cost(unit, MEBI / 32, { times: 8, enough: 0, tries: 2 })
  // In one piece: linear takes as long, quadratic eight times. Ten milliseconds are a grain of the clock.
  const bar = 2.5 * inPieces + 10
  expect(await cost(unit, MEBI / 4, { enough: bar })).toBeLessThan(bar)
})

test('anything made of what detectors look for, over and over, takes no longer', async () => {
  const sign = fc.constantFrom(
    ...'@.:=/-+()[]{}<>|"\'`\\!?#$%&*_ \n\t19aAzZ',
    'http',
    'sk-',
    'eyJ',
    'BEGIN',
    'key',
    'pass',
    'ignore',
    'all',
  )
  const odd = fc.constantFrom('\u200b', '\u202e', '\ufe0f', '\u{e0041}', '忽略', '이전', 'é', '４', '𝐚', '👍', '\ud835')
  const unit = fc.array(fc.oneof({ weight: 4, arbitrary: sign }, odd), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(unit, async (parts) => {
      expect(await cost(parts.join(''), MEBI)).toBeLessThan(LIMIT_MS)
    }),
    { numRuns: 30, seed: 1_122, endOnFailure: true },
  )
})
