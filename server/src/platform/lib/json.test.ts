import { expect, test } from 'vitest'
import { parseJson, parseJsonKeepingNumbers } from './json.ts'

const bodyOf = (values: number) => Buffer.from(`{"messages":[${Array(values).fill(1).join(',')}]}`)

test('parseJson: refuses numbers above the largest double', () => {
  expect(parseJson(Buffer.from('{"metadata":{"a":[1e999]}}'), 32)).toEqual({ ok: false, problem: 'A number is too large.' })
  expect(parseJson(Buffer.from('{"metadata":{"a":[1e308]}}'), 32)).toMatchObject({ ok: true })
})

test('parseJson: refuses a body with more than 32,768 values [API-BODY-3]', () => {
  expect(parseJson(bodyOf(500_000), 32)).toEqual({ ok: false, problem: 'The body holds more than 32768 values.' })
  expect(parseJson(bodyOf(32_767), 32)).toMatchObject({ ok: false })
  expect(parseJson(bodyOf(32_766), 32)).toMatchObject({ ok: true })
})

/** Parsing such a body takes seconds, and the heap of its values is ten times as large as the body. */
test.each([
  ['numbers that keep their text', `[${'1.10,'.repeat(1_000_000)}1]`, /more than 32768 values/],
  ['empty objects', `[${'{},'.repeat(1_000_000)}1]`, /more than 32768 values/],
  ['containers without commas', `${'[[]'.repeat(40_000)}`, /nested too deeply/],
  ['levels', '['.repeat(1_000_000), /nested too deeply/],
])('parseJson: refuses a large body with too many %s before it is parsed [API-BODY-3]', (_, text, problem) => {
  const { parse } = JSON
  JSON.parse = () => expect.unreachable('the body was parsed')
  try {
    for (const read of [parseJson, parseJsonKeepingNumbers])
      expect(read(Buffer.from(text), 32)).toEqual({ ok: false, problem: expect.stringMatching(problem) })
  } finally {
    JSON.parse = parse
  }
})

test('parseJson: reads punctuation in the strings of a large body as text', () => {
  const text = JSON.stringify({ 'a[,"{\\': '[{,"\\'.repeat(40_000), list: ['}', ']'], number: 1.5 })
  expect(parseJson(Buffer.from(text), 2)).toEqual({ ok: true, value: JSON.parse(text) })
  const escaped = `{"a":"${'\\u005c\\"\\\\'.repeat(20_000)}"}`
  expect(parseJson(Buffer.from(escaped), 1)).toEqual({ ok: true, value: JSON.parse(escaped) })
})
