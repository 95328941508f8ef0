import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { growth } from './growth.ts'
import { KNOWLEDGE_FUNCTIONS } from './knowledge-functions.ts'
import { OTHER_FUNCTIONS } from './other-functions.ts'
import { POLICY_FUNCTIONS } from './policy-functions.ts'
import { COMMON_SHAPES } from './text-function.ts'

/** 4 is linear, 16 quadratic. */
const MOST = 6
/** `npm test` tries two shapes of text for each function, `npm run test:full` all of them. */
const MOST_SHAPES = inject('isFull') ? Number.POSITIVE_INFINITY : 2

test.each(Object.entries({ ...POLICY_FUNCTIONS, ...OTHER_FUNCTIONS, ...KNOWLEDGE_FUNCTIONS }))(
  'growth: %s takes at most six times as long when the text is four times as long',
  (_, { run, shapes, most, common = COMMON_SHAPES }) => {
    const steep: string[] = []
    for (const [name, shape] of Object.entries({ ...shapes, ...common }).slice(0, MOST_SHAPES)) {
      const ratios = growth(shape, run, MOST, most)
      if (Math.min(...ratios) > MOST) steep.push(`${name}: ${ratios.map((ratio) => ratio.toFixed(1)).join(', ')}`)
    }
    expect(steep).toEqual([])
  },
  300_000,
)

test.runIf(inject('isFull'))('growth: ratio is above the limit only when a function rescans its text', () => {
  const text = (length: number) => 'x'.repeat(length)
  expect(growth(text, (x) => [...x].sort().join(''), MOST).at(-1)).toBeLessThanOrEqual(MOST)
  const rescanned = (x: string) => {
    let left = x
    while (left.length > 0) left = left.split('').slice(0, -4).join('')
  }
  expect(Math.min(...growth(text, rescanned, MOST, 8_192))).toBeGreaterThan(MOST)
})

test('normalize: is the only function that normalizes texts of any length', () => {
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const users = files.filter((name) => readFileSync(join(root, name), 'utf8').includes('.normalize('))
  // The others normalise one character, or letters that hold no run of marks.
  expect(users.toSorted()).toEqual([
    'domains/classification/detectors/injection/fold.ts',
    'platform/lib/normalize.ts',
    'platform/lib/plain-characters.ts',
    'platform/lib/plain-text.ts',
  ])
})
