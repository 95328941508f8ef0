import { describe, expect, test } from 'vitest'
import { normalizeContent, signatureText } from './duplicate-text.ts'

test.each([
  ['The launch is in May.', '  the  launch is\nin May '],
  ['The launch is near', 'THE LAUNCH IS NEAR!'],
  ['Café', 'Cafe\u0301'],
  ['“Tea, please”', 'tea, please!'],
  ['- item one', 'item one'],
])('normalizeContent: %j equals %j', (a, b) => {
  expect(normalizeContent(a)).toBe(normalizeContent(b))
})

test.each([
  ['The deploy is on the Friday', 'deploy is on Friday.'],
  ['The user prefers dark mode in all the editors', 'User prefers dark mode in all editors'],
  ["It's Bob’s laptop", 'it’s "Bob\'s" laptop'.replaceAll('"', '')],
  ['Please send the report to Eva', 'send report to Eva'],
])('signatureText: %j and %j are near duplicates', (a, b) => {
  expect(signatureText(a)).toBe(signatureText(b))
})

const long = 'The customer wants the goods delivered to the northern warehouse before noon on every working day of the month of'

/** Pairs that differ in a name, a letter, a number, a sign or a negation. */
const DIFFERENT: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'in a name': [
    ['Server A is down', 'The server is down'],
    ['Plan B is cheaper', 'Plan is cheaper'],
    ['Send all invoices to US', 'Send all invoices to us'],
    ['Ask IT for access', 'Ask it for access'],
    ['We pay WHO', 'We pay who'],
    ['She speaks Polish', 'She speaks polish'],
    ['We love Apple', 'We love apple'],
    ['The show is in May', 'The show is in may'],
    ['Alice pays Bob', 'Bob pays Alice'],
    ['My favourite tea is Assam', 'My favourite tea is Darjeeling'],
    ['We invited Ann, Maria and Jo', 'We invited Ann Maria and Jo'],
    ['Der See ist tief', 'Die See ist tief'],
    ['Das Band ist rot', 'Der Band ist rot'],
    ['Ein Kind fehlt', 'Kind fehlt'],
    ['Il a perdu la livre', 'Il a perdu le livre'],
    ['El capital es alto', 'La capital es alto'],
    ['Сервер А не работает', 'Сервер Б не работает'],
    ['山田さんが担当です', '山本さんが担当です'],
    ['김 과장이 담당합니다', '박 과장이 담당합니다'],
  ],
  'in a number': [
    [`${long} May`, `${long} June`],
    ['The budget is 10.5', 'The budget is 105'],
    ['Version 3.5 is out', 'Version 3.6 is out'],
    ['There are 10⁶ users', 'There are 106 users'],
    ['Add ½ cup', 'Add 12 cup'],
    ['The screen is 27"', 'The screen is 27'],
    ["The shelf is 6'", 'The shelf is 6'],
    ['- 5 degrees at night', '5 degrees at night'],
    ['Es kostet 1.000 Euro', 'Es kostet 1,000 Euro'],
    ['No 5 is alive', '№ 5 is alive'],
    ['Just 5 people came', '5 people came'],
    ['一月に行く', '二月に行く'],
  ],
  'in a sign': [
    ['I like C#', 'I like C'],
    ['We use C++', 'We use C#'],
    ['C++ is used', 'C is used'],
    ['-5 degrees', '5 degrees'],
    ['a rise of 10 %', 'a rise of 10'],
    ['.env is used', 'env is used'],
    ['The limit is < 5', 'The limit is > 5'],
    ['!', '?'],
    ['Is it open?', 'It is open'],
  ],
  'in a negation or preposition': [
    ['I like tea', 'I do not like tea'],
    ['I can come', "I can't come"],
    ['before lunch', 'after lunch'],
    ['with sugar', 'without sugar'],
    ['Flights from Rome to Oslo', 'Flights from Oslo to Rome'],
    ['Ich mag kein Fleisch', 'Ich mag Fleisch'],
    ['Je ne viens plus', 'Je viens plus'],
    ['No quiero café', 'Quiero café'],
    ['茶が好き', '茶が嫌い'],
    ['차를 마신다', '차를 안 마신다'],
    ['my budget', 'our budget'],
  ],
}

describe.each(Object.entries(DIFFERENT))('different %s', (_, pairs) => {
  test.each(pairs)('signatureText: %j and %j are not duplicates', (a, b) => {
    expect(normalizeContent(a)).not.toBe(normalizeContent(b))
    expect(signatureText(a)).not.toBe(signatureText(b))
  })
})

test('signatureText: returns a text when it has only filler words', () => {
  expect(signatureText('the')).not.toBe(signatureText('a'))
  expect(signatureText('the please')).not.toBe('')
})
