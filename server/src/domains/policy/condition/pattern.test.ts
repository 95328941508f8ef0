import { RE2JS } from '@bufbuild/re2'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { Pattern } from './pattern.ts'
import { compileLiteralTest } from './required-literals.ts'

/** Random expressions of all syntax that required-literals.ts analyses, and texts of the same letters. */
const { pattern } = fc.letrec((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('abc', 'b', 'cab', 'ſk', 'K', ' ', 'a.c', '[ab]', '[^a]', '\\d', '\\s', '\\b', '\\.', '^', '$', 'é', 'bca'),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie('pattern'), fc.constantFrom('?', '*', '+', '{2}', '{0,2}', '{1,}', '??', '+?')).map(([a, q]) => `(?:${a})${q}`),
  ),
}))
const text = fc.array(
  fc.constantFrom('abc', 'a', 'b', 'c', 'B', 'K', '\u212a', 's', 'ſ', ' ', '.', '1', '\n', 'é', '😀', 'bca'),
  { maxLength: 12 },
)

test('Pattern: same matches as another port of RE2 on random expressions and texts', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '(?i)', '(?s)', '(?is)'), pattern as fc.Arbitrary<string>, text, (flags, body, parts) => {
      const source = flags + body
      expect(new Pattern(source).test(parts.join(''))).toBe(RE2JS.compile(source).test(parts.join('')))
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  ['(?i)\\b(wire transfer|legally binding)\\b', /wire transfer|legally binding/iu],
  ['(?i)\\b(wire|bank)\\s+transfer', /transfer/iu],
  ['abc+d', /abc/u],
  ['[A-Z]{2}\\d{6}', undefined],
  ['(foo|ba)', undefined],
  ['abc|', undefined],
  ['a(?i)bcd', undefined],
  ['\\Qabc\\E', undefined],
])('compileLiteralTest: required literals of %s', (source, expected) => expect(compileLiteralTest(source)).toEqual(expected))

describe('Pattern: hostile text', () => {
  const noise = (letters: string, length: number): string => {
    let seed = 7
    const next = (): number => (seed = (seed * 48_271) % 2_147_483_647)
    return Array.from({ length }, () => letters[next() % letters.length]).join('')
  }

  test.each([
    ['(a+)+$', 'a', 'nested repetition, which never ends in a backtracking engine'],
    ['(x+x+)+y', 'x', 'the same, with a literal'],
    ['(?i)\\b(\\w+\\s+){1,100}zz', 'abc defg ', 'word boundaries among many states'],
    ['(\\w{1,10} ?){1,20}[0-9]c', 'abc1  c', 'counted repetition'],
  ])('linear time for 1 MiB and %s (%s)', (source, letters) => {
    const pattern = new Pattern(source)
    const hostile = `${noise(letters, 65_536).repeat(16)}!`
    expect(cpuMs(() => pattern.test(hostile))).toBeLessThan(5_000)
  })

  test('error within seconds when the text needs too many states', () => {
    const pattern = new Pattern('[ab]*a[ab]{900}c')
    const hostile = `${noise('ab', 65_536).repeat(16)}c`
    expect(cpuMs(() => expect(() => pattern.test(hostile)).toThrow('too complex'))).toBeLessThan(5_000)
    expect(pattern.test(`a${'b'.repeat(900)}c`)).toBe(true)
  })
})

test.each(['(', 'a{2000}', '(a?){500}a{500}', 'x'.repeat(1_001), '(?=a)', '\\1'])('Pattern: error for %s', (source) => {
  expect(() => new Pattern(source)).toThrow()
})

test('Pattern: texts that need many states match one after another', () => {
  const pattern = new Pattern('[ab]*a[ab]{60}[cd]')
  for (let turn = 0; turn < 40; turn++) {
    const text = Array.from({ length: 700 }, (_, at) => ((at * 7 + turn * at * at) % 5 < 2 ? 'a' : 'b')).join('')
    expect(pattern.test(text)).toBe(false)
    expect(pattern.test(`${text}a${'b'.repeat(60)}d`)).toBe(true)
  }
})
