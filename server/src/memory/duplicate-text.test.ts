import { expect, test } from 'vitest'
import { normalizeContent, signatureText } from './duplicate-text.ts'

test.each([
  ['The launch is in May.', '  the  LAUNCH is\nin may '],
  ['Café', 'Cafe\u0301'],
  ['ﬁle № 5', 'file No 5'],
  ['“Tea, please”', 'tea, please!'],
  ['- item one', 'item one'],
])('normalizeContent: %j equals %j', (a, b) => {
  expect(normalizeContent(a)).toBe(normalizeContent(b))
})

test.each([
  ['I like C#', 'I like C'],
  ['-5 degrees', '5 degrees'],
  ['a rise of 10 %', 'a rise of 10'],
  ['.env is used', 'env is used'],
  ['!', '?'],
])('signatureText: %j and %j are different memories', (a, b) => {
  expect(normalizeContent(a)).not.toBe(normalizeContent(b))
  expect(signatureText(a)).not.toBe(signatureText(b))
})

test.each([
  ['The deploy is on the Friday', 'deploy is on Friday.'],
  ['User prefers dark mode, in all the editors', 'The user prefers dark mode in all editors'],
  ["It's Bob’s laptop", 'it’s "Bob\'s" laptop'],
  ['Bitte auch das Protokoll an Eva', 'Protokoll an Eva'],
])('signatureText: %j and %j are near duplicates', (a, b) => {
  expect(normalizeContent(a)).not.toBe(normalizeContent(b))
  expect(signatureText(a)).toBe(signatureText(b))
})

const long = 'The customer wants the goods delivered to the northern warehouse before noon on every working day of the month of'

test.each([
  ['I like tea', 'I do not like tea'],
  ['Alice pays Bob', 'Bob pays Alice'],
  ['My favourite tea is Assam', 'My favourite tea is Darjeeling'],
  [`${long} May`, `${long} June`],
  ['The budget is 10.5', 'The budget is 105'],
  ['Version 3.5 is out', 'Version 3.6 is out'],
  ['before lunch', 'after lunch'],
  ['with sugar', 'without sugar'],
  ['C++ is used', 'C is used'],
  ['茶が好き', '茶が嫌い'],
])('signatureText: %j and %j are not near duplicates', (a, b) => {
  expect(signatureText(a)).not.toBe(signatureText(b))
})

test('signatureText: returns the text itself when it has only filler words', () => {
  expect(signatureText('the')).not.toBe(signatureText('a'))
})
