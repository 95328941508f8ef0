import { expect, test } from 'vitest'
import { takeOut } from './take-out.ts'

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`field_${index}`, index]))

test('takeOut: takes a field out of its object, and leaves the others', () => {
  expect(takeOut({ a: [{ b: 1, c: 2 }] }, 'a[0].b', undefined)).toEqual({ value: 1, rest: { a: [{ c: 2 }] } })
  expect(takeOut({ a: 1 }, 'b', undefined)).toBeUndefined()
})

test('takeOut: copies no object with thousands of fields, which a request with many unknown fields would repeat for each', () => {
  expect(takeOut(fields(256), 'field_1', undefined)).toMatchObject({ value: 1 })
  expect(takeOut(fields(257), 'field_1', undefined)).toBeUndefined()
  expect(takeOut({ list: [fields(30_000)] }, 'list[0].field_1', undefined)).toBeUndefined()
  expect(takeOut({ list: Array(300).fill({ a: 1 }) }, 'list[299].a', undefined)).toMatchObject({ value: 1 })
})
