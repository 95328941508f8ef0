import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseForm, RepeatedText } from './form-decoder.ts'

const parse = (text: string) => parseForm(Buffer.from(text))
const value = (text: string) => {
  const parsed = parse(text)
  return parsed.ok ? parsed.value : parsed.problem
}

describe('a form', () => {
  test.each([
    ['', {}],
    ['a=1&b=', { a: '1', b: '' }],
    ['a', { a: '' }],
    ['a=x=y&&b=2&', { a: 'x=y', b: '2' }],
    ['m=Hello+%C3%BC+%26+co+%3D+100%25', { m: 'Hello ü & co = 100%' }],
    ['reactions[red_angry_face][]=one&reactions[red_angry_face][]=two', { reactions: { red_angry_face: ['one', 'two'] } }],
    ['reactions%5Bheart%5D%5B%5D=one', { reactions: { heart: ['one'] } }],
    ['a[0][id]=x&a[1][id]=y', { a: { '0': { id: 'x' }, '1': { id: 'y' } } }],
    ['a[]=1', { a: ['1'] }],
    ['a=1&a=2', { a: RepeatedText.of('1', '2') }],
    ['a[b]=1&a[b]=2', { a: { b: RepeatedText.of('1', '2') } }],
    ['toString=1&a[hasOwnProperty]=2', { toString: '1', a: { hasOwnProperty: '2' } }],
  ])('%s', (text, expected) => {
    expect(value(text)).toEqual(expected)
  })

  test.each([
    ['a=1&a[]=2', /more than one form/],
    ['a[]=2&a=1', /more than once/],
    ['a=1&a[b]=2', /more than one form/],
    ['a[]=1&a[b]=2', /more than one form/],
    ['a[][b]=1', /may only end/],
    ['[a]=1', /malformed name/],
    ['=1', /malformed name/],
    ['a[b=1', /malformed name/],
    ['a]b[=1', /malformed name/],
    ['a[b]c=1', /malformed name/],
    ['__proto__=1', /__proto__ is not allowed/],
    ['__proto__[x]=1', /__proto__ is not allowed/],
    ['a[__proto__][x]=1', /__proto__ is not allowed/],
    ['a[constructor][prototype][x]=1', /constructor is not allowed/],
    ['a[%5f%5fproto__][]=1', /__proto__ is not allowed/],
    ['a=%zz', /percent-encoded/],
    ['a=%', /percent-encoded/],
    ['a=%ff', /percent-encoded/],
    ['a=%ed%a0%80', /percent-encoded/],
    [`a${'[b]'.repeat(9)}=1`, /too deeply/],
    [`a${'[b]'.repeat(100_000)}=1`, /too deeply/],
    [Array.from({ length: 10_000 }, (_, i) => `f${i}=1`).join('&'), /more than 2000 fields/],
  ])('%.60s is refused', (text, problem) => {
    expect(value(text)).toMatch(problem)
  })

  test('that is not UTF-8 is refused', () => {
    expect(parseForm(Buffer.from([0x61, 0x3d, 0xff])).ok).toBe(false)
  })

  test('never throws and never reaches a prototype, whatever it is', () => {
    const part = fc.constantFrom('\0', ...'a b 0 1 [ ] [] = & %5B % + __proto__ constructor é'.split(' '))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        parse(parts.join(''))
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })
})
