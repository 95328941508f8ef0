import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Lists that a caller or a provider makes long: they are refused by name or taken, and never overflow the stack. */
const governed = await closeAfterAll(sharedGoverned())
const settings = { extensions: ['tools', 'content_parts', 'developer_role'], unknown_fields: 'carry' }
const token = (await governed.application({ default_model: 'scripted', settings })).token

const URL = 'data:,abcd '
const chat = (content: string) => governed.chat(content, {}, { token })

test('data: URLs: 413 when the texts of a request hold too many, and the provider gets nothing [API-BODY-3]', async () => {
  const calls = governed.provider.calls.length
  const error = expectError(await chat(URL.repeat(135_000)), 'PAYLOAD_TOO_LARGE')
  expect(error.message).toMatch(/8192 data: URLs/)
  expect(governed.provider.calls.length).toBe(calls)
  expectSuccess(await chat(URL.repeat(8_000)))
})

test('data: URLs: PROVIDER_ERROR when a completion holds too many', async () => {
  const key = word()
  governed.provider.on(key, (response) => json(response, 200, completion(URL.repeat(135_000))))
  expectError(await chat(key), 'PROVIDER_ERROR')
})

test('wide objects: a request with thousands of unknown fields is refused with the name of one', async () => {
  const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`field_${index}`, index]))
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'scripted', input: 'hi', ...fields })
  const response = await fetch(`${governed.base}/v1/responses`, { method: 'POST', headers, body })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'field_0' } }])
})
