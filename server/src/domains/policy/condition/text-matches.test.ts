import { expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { compileTextMatches } from './text-matches.ts'

const matchesIn = (when: string, text: string, left = 10_000): string[] =>
  compileTextMatches(when)(text, { left }).map(({ start, end }) => text.slice(start, end))

test.each([
  ['content.text.contains("wire")', 'Please wire it. Do wire it.', ['wire', 'wire']],
  ['content.text.contains("wire money")', 'Please wire\nmoney', ['wire\nmoney']],
  ['content.text.matches(r"(?i)\\b(wire|pay)\\b[^.]{0,20}\\d+")', 'Pay Anna 200. Wire 5.', ['Pay Anna 200', 'Wire 5']],
  ['user.role == "x" || (content.plain.startsWith("Pay") && content.text.endsWith("now"))', 'Pay now', ['Pay', 'now']],
  ['["wire", "pay"].exists(word, content.text.contains(word))', 'pay or wire', ['wire', 'pay']],
  ['content.findings.pii > 0 ? content.text.contains("a+b") : false', 'a+b', ['a+b']],
  ['!content.text.contains("approved")', 'approved', []],
  ['!(!content.text.contains("wire"))', 'wire', ['wire']],
  ['user.id.contains("wire")', 'wire', []],
  ['content.text.contains(user.id)', 'wire', []],
  ['content.text.contains("", )(', 'wire', []],
  ['content.text.contains(" ssn ")', 'An ssn here, no lessness', ['ssn']],
  ['content.text.startsWith("  Pay") && content.text.endsWith("now  ")', '  Pay now  ', ['  Pay', 'now  ']],
])('text matches: of %s', (when, text, found) => {
  expect(matchesIn(when, text)).toEqual(found)
})

test('text matches: a pattern that matches everywhere has at most 20, and none is empty', () => {
  expect(matchesIn('content.text.matches("a?")', 'ab'.repeat(100))).toEqual(Array.from({ length: 20 }, () => 'a'))
})

test('text matches: texts beyond the budget are not searched', () => {
  const find = compileTextMatches('content.text.contains("wire")')
  const budget = { left: 10 }
  expect([find('wire it', budget).length, find('wire it', budget).length, budget.left]).toEqual([1, 0, 3])
})

test('text matches: white space at the ends of a literal takes linear time in long runs of it', () => {
  const find = compileTextMatches('content.text.contains(" ssn ")')
  expect(cpuMs(() => find(' '.repeat(100_000), { left: 100_000 }))).toBeLessThan(1_000)
})
