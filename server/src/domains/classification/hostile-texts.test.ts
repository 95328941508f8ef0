import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, expect, inject, test } from 'vitest'
import type { Measurement } from '../../../test/support/classification/cost-worker.ts'
import { HOSTILE_UNITS } from '../../../test/support/classification/hostile-texts.ts'

const MEBI = 1 << 20
/** Maximum for a mebibyte of hostile text. */
const LIMIT_MS = 100
/** Maximum for texts that consist of numbers, names or labels alone: each of 70,000 of them is checked. */
const DENSE_LIMIT_MS = 150
const DENSE: ReadonlySet<string> = new Set([
  ...['phone numbers', 'phone labels', 'verbs of calls', 'names of people', 'names of things', 'labelled ids', 'tax labels'],
  ...['East Asian labels', 'card lines', 'card digits apart', 'spaced digits', 'full-width digits', 'IP addresses'],
  ...['digits with wide separators', 'numbers with wide separators', 'look-alike account numbers', 'words of several scripts'],
  ...['selectors and tags', 'commands with passwords', 'reversed keys', 'base64 with its name', 'hexadecimal pairs'],
])

/** `npm test` measures every eighth text. */
const UNITS = Object.entries(HOSTILE_UNITS).filter((_, index) => inject('isFull') || index % 8 === 0)

const worker = new Worker(new URL('../../../test/support/classification/cost-worker.ts', import.meta.url), { execArgv: [] })
afterAll(() => worker.terminate())

/** Measurement by cost-worker.ts of a text of `length` characters. */
async function measure(
  of: Measurement['of'],
  unit: string,
  length: number,
  { enough = LIMIT_MS, tries = 12 } = {},
): Promise<number> {
  const measurement: Measurement = { unit, length, of, enough, tries }
  worker.postMessage(measurement)
  const [result] = await once(worker, 'message')
  return result
}

test.each(UNITS)(
  'detectors: a mebibyte of %s takes under 100 ms, or 150 if it is dense, and time is linear',
  async (name, unit) => {
    const limit = DENSE.has(name) ? DENSE_LIMIT_MS : LIMIT_MS
    const whole = await measure('cost', unit, MEBI, { enough: limit })
    expect(whole).toBeLessThan(limit)
    // A request has at most this size, so at this speed the growth does not matter.
    if (whole < LIMIT_MS / 4) return
    // 1 is linear, 8 quadratic.
    expect(await measure('growth', unit, MEBI / 4, { enough: 2.5 })).toBeLessThan(2.5)
  },
)

test('detectors: a mebibyte of any repeated sequence of trigger characters takes under 100 ms', async () => {
  const words = ['http', 'sk-', 'eyJ', 'BEGIN', 'key', 'pass', 'ignore', 'all']
  const trigger = fc.constantFrom(...'@.:=/-+()[]{}<>|"\'`\\!?#$%&*_ \n\t19aAzZ', ...words)
  const unusual = fc.constantFrom('\u200b', '\u202e', '\ufe0f', '\u{e0041}', '忽略', '이전', 'é', '４', '𝐚', '👍', '\ud835')
  const unit = fc.array(fc.oneof({ weight: 4, arbitrary: trigger }, unusual), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(unit, async (parts) => {
      // On a busy machine most measurements of a dense text exceed the limit. The fastest of up to 100 counts.
      expect(await measure('cost', parts.join(''), MEBI, { tries: 100 })).toBeLessThan(LIMIT_MS)
    }),
    { numRuns: inject('isFull') ? 30 : 4, seed: 1_122, endOnFailure: true },
  )
})
