import { expect, test } from 'vitest'
import { parseCondition } from './syntax.ts'

test('parseCondition: error when the source has more than 256 blank characters in a row', () => {
  for (const blank of [' ', '\n', '\t', '\r\n']) {
    expect(parseCondition(`a ==${blank.repeat(4_000)}`)).toEqual({
      message: 'must have at most 256 blank characters in a row',
      offset: 4,
    })
  }
  expect(parseCondition(`1 ==${' '.repeat(256)}1`)).toHaveProperty('expr')
})
