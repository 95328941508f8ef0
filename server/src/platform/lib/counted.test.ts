import { expect, test } from 'vitest'
import { counted } from './counted.ts'

test('counted: the noun is singular for one only', () => {
  expect([0, 1, 2].map((count) => counted(count, 'record'))).toEqual(['0 records', '1 record', '2 records'])
  expect([1, 3].map((count) => counted(count, 'value was', 'values were'))).toEqual(['1 value was', '3 values were'])
})
