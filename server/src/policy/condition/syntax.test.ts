import { expect, test } from 'vitest'
import { parseCondition } from './syntax.ts'

test('parseCondition: refuses more than 256 blank characters in a row, which the parser would take a second for', () => {
  for (const blank of [' ', '\n', '\t', '\r\n']) {
    expect(parseCondition(`a ==${blank.repeat(4_000)}`)).toEqual({
      message: 'may hold 256 blank characters in a row, and holds more',
      offset: 4,
    })
  }
  expect(parseCondition(`1 ==${' '.repeat(256)}1`)).toHaveProperty('expr')
})
