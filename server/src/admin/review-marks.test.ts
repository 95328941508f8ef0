import { expect, test } from 'vitest'
import { marksOf } from './review-marks.ts'

const SHOUT = { name: 'shout', detect: (text: string) => [{ type: 'pii.person' as const, start: 0, end: text.length }] }
const OPTIONS = { detectors: [SHOUT], budgetMs: 1_000 }

const placesOf = (content: Parameters<typeof marksOf>[0]) =>
  marksOf(content, OPTIONS).map(({ message, part, parameter }) => [message, part, parameter])

test('a mark says which message, part or parameter it is in', () => {
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'user', content: [{ type: 'image_url' }, { type: 'text', text: 'two' }] },
  ]
  const parameters = { seed: 1, stop: ['three'], metadata: { 'a/b~c': 'four', none: null } }
  expect(placesOf({ messages, parameters })).toEqual([
    [0, null, null],
    [1, 1, null],
    [null, null, '/stop/0'],
    [null, null, '/metadata/a~1b~0c'],
  ])
})

test('an item that has no parameters has its marks all the same', () => {
  expect(placesOf({ messages: [{ role: 'user', content: 'one' }] })).toEqual([[0, null, null]])
})
