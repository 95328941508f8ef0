import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

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
