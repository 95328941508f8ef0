import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../../platform/lib/canonical-json.ts'
import { canonicalText } from './canonical.ts'

/** Keys that JavaScript orders in its own way or treats as its own, besides any others. */
const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', 'length', '0', '10', '9', '-1', '1e3', '\u{1f600}', '\ufb33', 'é', ''),
)
const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}))

test('canonicalText: equals canonicalJson for any JSON value', () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      expect(canonicalText(value)).toBe(canonicalJson(value))
    }),
    { numRuns: 3_000 },
  )
})

test('canonicalText: equals the examples of RFC 8785 §3.2.2 and §3.2.3', () => {
  const sample = {
    numbers: JSON.parse('[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]'),
    string: '€$\u000F\u000aA\'B"\\\\"/',
    literals: [null, true, false],
  }
  expect(canonicalText(sample)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const sorted = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
  expect(canonicalText(sorted)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
})

test('canonicalText: replaces lone surrogates in values and keys', () => {
  expect(canonicalText({ model: 'gpt\ud800', '\udfff': ['\ud83d'] })).toBe('{"model":"gpt\ufffd","\ufffd":["\ufffd"]}')
  expect(canonicalText({ literal: '\\ud800' })).toBe('{"literal":"\\\\ud800"}')
})

test('canonicalText: writes null for values without a JSON form, like JSON.stringify', () => {
  expect(canonicalText({ b: Number.NaN, a: undefined, c: [undefined, Number.POSITIVE_INFINITY] })).toBe(
    '{"b":null,"c":[null,null]}',
  )
})

test('canonicalText: throws for cycles, BigInt and undefined', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  expect(() => canonicalText(cycle)).toThrow()
  expect(() => canonicalText({ n: 1n })).toThrow()
  expect(() => canonicalText(undefined)).toThrow()
})
