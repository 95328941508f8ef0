import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { integersIn, keptNumber, parseKeepingNumbers } from './json-numbers.ts'

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('1.0', '-0', '0.10', '1e3', '1E+2', '12345678901234567890', '0.1234567890123456789', '-1.50', '1e-7', '100'),
  fc.constantFrom('1234567890123.1234567', '-0.0', '-12345678.123456789', '0.30685281944005468'),
  fc.bigInt().map(String),
)

describe('parseKeepingNumbers', () => {
  test('written: has every number as it was written', () => {
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 1 }),
        fc.string(),
        fc.constantFrom('', ' ', '\n  ', '\t'),
        (numbers, text, space) => {
          const json = `{"numbers":[${numbers.join(',')}],"text":${JSON.stringify(text)}}`
          const spaced = `{"numbers":[${numbers.map((n) => `${space}${n}${space}`).join(',')}],"text":${JSON.stringify(text)}}`
          expect(JSON.stringify(parseKeepingNumbers(spaced).written)).toBe(json)
        },
      ),
    )
  })

  test('value: has JavaScript numbers, except those that would lose digits', () => {
    const { value } = parseKeepingNumbers('{"a":1.0,"b":12345678901234567890,"c":4111111111111111}')
    const { a, b, c } = value as Record<string, unknown>
    expect([a, keptNumber(b), c]).toEqual([1, '12345678901234567890', 4_111_111_111_111_111])
  })

  test('value: is also the written one when all numbers are usual', () => {
    const { value, written } = parseKeepingNumbers('{"a":1,"b":[0.5,-3,1500000],"c":"it costs 12.50 or 1e3"}')
    expect(written).toBe(value)
  })

  test('value: has the numbers of free objects as they were written', () => {
    const text = '{"a":1.10,"input":{"a":1.10,"b":[{"c":-0}]},"list":[{"input":{"d":1e3}}],"x":{"input":[1.0]}}'
    expect(JSON.stringify(parseKeepingNumbers(text, new Set(['input'])).value)).toBe(
      '{"a":1.1,"input":{"a":1.10,"b":[{"c":-0}]},"list":[{"input":{"d":1e3}}],"x":{"input":[1]}}',
    )
  })
})

test('value: has a number with a long exponent as it was written', () => {
  const { value } = parseKeepingNumbers('{"a":0e4111111111111111,"b":1e-4111111111111111}')
  expect(Object.values(value as object).map(keptNumber)).toEqual(['0e4111111111111111', '1e-4111111111111111'])
})

test.each([
  ['4111111111111111.0', ['4111111111111111']],
  ['-4111111111111111.25', ['4111111111111111']],
  ['4.111111111111111e15', ['4111111111111111']],
  ['4.111111111111111E+0015', ['4111111111111111']],
  ['411111111111111100e-2', ['4111111111111111']],
  ['4111111111111111e-30', ['4111111111111111']],
  ['3.78282246310005e30', ['3782822463100050000000000000000', '378282246310005']],
  ['0e4111111111111111', ['4111111111111111']],
  ['15112345678.000000', ['15112345678']],
  // A card number has no leading zeros, and a fraction is none.
  ['4111111111111111', []],
  ['0.4111111111111111', []],
  ['1.2345678901234567e-07', []],
  ['1234567.891', []],
  ['0.10', []],
  ['1e3', []],
])('integers: of %s', (written, expected) => expect(integersIn(written)).toEqual(expected))

test('integers: a huge exponent costs no memory', () => {
  expect(integersIn(`1e${'9'.repeat(30)}`)).toEqual(['9'.repeat(30)])
  expect(integersIn('1e300')).toEqual([])
})
