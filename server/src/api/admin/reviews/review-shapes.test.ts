import { expect, test } from 'vitest'
import { findMarks } from './review-shapes.ts'

const findWholeText = (texts: readonly string[]) =>
  texts.map((text) => [{ type: 'pii.person' as const, start: 0, end: text.length }])

const placesOf = (content: Parameters<typeof findMarks>[0]) =>
  findMarks(content, findWholeText).map(({ message, part, parameter }) => [message, part, parameter])

test('marks: each names its message and part, or its parameter', () => {
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

test('marks: findings in messages are marked when the item has no parameters', () => {
  expect(placesOf({ messages: [{ role: 'user', content: 'one' }] })).toEqual([[0, null, null]])
})
