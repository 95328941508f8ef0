import { expect, test } from 'vitest'
import { parseFree, parseResponse } from './free-json.ts'

test('parseResponse: numbers of the API are numbers, and all others stay as the provider wrote them', () => {
  const json = '{"created":1.0,"usage":{"prompt_tokens":1e3,"cost":1e-05},"choices":[{"index":0.0,"score":1.10,"logprob":-1.0}]}'
  const response = parseResponse(json) as { readonly created: unknown; readonly usage: { readonly prompt_tokens: unknown } }
  expect([response.created, response.usage.prompt_tokens]).toEqual([1, 1_000])
  expect(JSON.stringify(response)).toBe(
    '{"created":1,"usage":{"prompt_tokens":1000,"cost":1e-05},"choices":[{"index":0,"score":1.10,"logprob":-1}]}',
  )
})

test('parseResponse: numbers in the input of a tool stay as they were written, whatever their names', () => {
  const json = '{"content":[{"type":"tool_use","input":{"index":1.10,"max_tokens":2512292042121000001}}]}'
  expect(JSON.stringify(parseResponse(json))).toBe(json)
})

test('parseFree: all numbers stay as they were written', () => {
  const json = '{"index":1.10,"ids":[2512292042121000001,-0,1e3,0.1234567890123456789]}'
  expect(JSON.stringify(parseFree(json))).toBe(json)
})
