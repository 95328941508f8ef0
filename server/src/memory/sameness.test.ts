import { expect, test } from 'vitest'
import { normalised, skeleton } from './sameness.ts'

test.each([
  ['The launch is in May.', '  the  LAUNCH is\nin may '],
  ['Café', 'Cafe\u0301'],
  ['ﬁle № 5', 'file No 5'],
  ['“Tea, please”', 'tea, please!'],
  ['- item one', 'item one'],
])('%j and %j are the same memory', (a, b) => {
  expect(normalised(a)).toBe(normalised(b))
})

test.each([
  ['I like C#', 'I like C'],
  ['-5 degrees', '5 degrees'],
  ['a rise of 10 %', 'a rise of 10'],
  ['.env is used', 'env is used'],
  ['!', '?'],
])('%j and %j are neither the same nor near', (a, b) => {
  expect(normalised(a)).not.toBe(normalised(b))
  expect(skeleton(a)).not.toBe(skeleton(b))
})

test.each([
  ['The deploy is on the Friday', 'deploy is on Friday.'],
  ['User prefers dark mode, in all the editors', 'The user prefers dark mode in all editors'],
  ["It's Bob’s laptop", 'it’s "Bob\'s" laptop'],
  ['Bitte auch das Protokoll an Eva', 'Protokoll an Eva'],
])('%j and %j are near', (a, b) => {
  expect(normalised(a)).not.toBe(normalised(b))
  expect(skeleton(a)).toBe(skeleton(b))
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
])('%j and %j are not near', (a, b) => {
  expect(skeleton(a)).not.toBe(skeleton(b))
})

test('a text of nothing but empty words is its own skeleton', () => {
  expect(skeleton('the')).not.toBe(skeleton('a'))
})
