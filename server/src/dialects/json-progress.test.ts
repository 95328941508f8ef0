import { expect, test } from 'vitest'
import { JsonProgress } from './openai-chat/collect-calls.ts'

const isClosedAfter = (...pieces: readonly string[]): boolean => {
  const progress = new JsonProgress()
  for (const piece of pieces) progress.add(piece)
  return progress.isClosed
}

test.each([
  ['{}'],
  ['{"a":', '[1,2]', '} '],
  ['["}', '\\"', ']"]'],
  // Not JSON: the caller parses it once.
  ['{x}'],
])('JSON in pieces: is closed when each bracket is closed: %j', (...pieces) => expect(isClosedAfter(...pieces)).toBe(true))

test.each([[''], ['12'], ['{"a":1'], ['{"a":"}'], ['{"a":"\\"}'], ['{"a":"\\', '"}']])(
  'JSON in pieces: is not closed when a bracket or a string is open: %j',
  (...pieces) => {
    expect(isClosedAfter(...pieces)).toBe(false)
  },
)
