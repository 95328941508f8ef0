import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { CHAT, contentOf, expectError, expectSuccess, type Message } from '../../support/gateway-client.ts'
import { completion, json, word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'

const TOOLS = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
const X = [{ role: 'user', content: 'x' }]
const PARTS = [{ type: 'text', text: 'Good morning' }]

/** A response with a choice for each text. */
const saysEach = (...texts: readonly string[]) => {
  const choices = texts.map((content, index) => ({ index, message: { role: 'assistant', content }, finish_reason: 'stop' }))
  return (response: ServerResponse) => json(response, 200, completion('', { choices }))
}

describe('chat', () => {
  test('created: Unix seconds [GW-COMP-1]', async () => {
    const { created } = expectSuccess(await governed.chat('Good morning', { model: 'demo-mini' }))
    expect(Math.abs(created - clock.now().getTime() / 1_000)).toBeLessThan(60)
  })
  test("model: the Application's default is used when the request names none; 422 when there is no default [GW-CHAT-2]", async () => {
    const { id, token } = await governed.application()
    for (const model of [null, undefined]) {
      const sendRequest = () => governed.chat('Good morning', { model }, { token })
      await governed.change(id, { default_model: null })
      expect(expectError(await sendRequest(), 'NO_ELIGIBLE_PROVIDER').param).toBe('model')
      await governed.change(id, { default_model: 'demo-code' })
      expect(expectSuccess(await sendRequest()).model).toBe('demo-code')
    }
  })

  const PASSED_ON = {
    top_p: 0.5,
    stop: ['END'],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: -0.1,
    response_format: { type: 'json_object' },
    max_completion_tokens: 77,
    n: 2,
    logprobs: true,
    top_logprobs: 3,
    user: 'someone',
    metadata: { a: 'b' },
  }
  test('fields: other OpenAI request fields reach the provider [GW-CHAT-7]', async () => {
    const key = word()
    governed.provider.on(key, saysEach('Fine.', 'Fine.'))
    expect(expectSuccess(await governed.chat(key, PASSED_ON)).choices).toHaveLength(2)
    expect(governed.provider.callsWith(key)[0]?.body).toMatchObject(PASSED_ON)
  })
  test.each([
    ...[{ top_p: 'x' }, { stop: 5 }, { seed: 1.5 }, { presence_penalty: 3 }, { response_format: 'json' }, { n: 0 }],
    ...[{ logprobs: 'yes' }, { metadata: 'x' }, { stream_options: 'x' }],
  ])('%j is validated [GW-CHAT-7]', async (fields) => {
    const { param } = expectError(await governed.chat('x', fields), 'VALIDATION_ERROR')
    expect(param).toMatch(new RegExp(`^${Object.keys(fields)}`))
  })
  test('fields: null has the effect of a missing field [GW-CHAT-11]', async () => {
    const nulls = Object.fromEntries(
      [...Object.keys(PASSED_ON), 'temperature', 'max_tokens', 'stream', 'tools', 'governance'].map((name) => [name, null]),
    )
    const key = word()
    expectSuccess(await governed.chat(key, nulls))
    const sent = governed.provider.callsWith(key)[0]?.body ?? {}
    expect(sent).toMatchObject({ temperature: null, stream: true })
    expect(sent).not.toHaveProperty('governance')
  })
  test('fields: governance stays in the gateway, unknown fields reach the provider [GW-CHAT-8]', async () => {
    const key = word()
    expectSuccess(await governed.chat(key, { governance: { user: { id: 'mara' } }, x_unknown: 'kept' }))
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain('mara')
    expect(governed.provider.callsWith(key)[0]?.body).toMatchObject({ x_unknown: 'kept' })
  })
  test("keys: the provider receives its own key and not the Application's", async () => {
    const key = word()
    expectSuccess(await governed.chat(key))
    const { headers } = governed.provider.callsWith(key)[0] ?? {}
    expect(headers?.authorization).toBe('Bearer sk-scripted')
    expect(JSON.stringify(headers)).not.toContain(governed.key())
  })
  test('choices: all n are inspected [GW-CHAT-12]', async () => {
    const key = word()
    governed.provider.on(key, saysEach('Fine.', 'sorrel-deny'))
    expectError(await governed.chat(key, { n: 2 }), 'POLICY_DENIED')
  })

  describe.each([
    ['tools', 'tools', { tools: TOOLS }],
    ['tools', 'tool_choice', { tool_choice: 'auto' }],
    ['tools', 'messages[0].role', { messages: [{ role: 'tool', content: 'x', tool_call_id: 'call_1' }] }],
    ['content_parts', 'messages[0].content', { messages: [{ role: 'user', content: PARTS }] }],
    ['developer_role', 'messages[0].role', { messages: [{ role: 'developer', content: 'x' }] }],
  ])('extension %s (%s) [GW-CHAT-17]', (extension, param, change) => {
    test('off: 400 that names the setting', async () => {
      const error = expectError(await governed.chat('Good morning', change), 'VALIDATION_ERROR')
      expect(error.param).toBe(param)
      expect(error.message).toContain(`extensions: [${extension}]`)
    })
    test('on: accepted, and sent to the provider', async () => {
      const { token } = await governed.application({ settings: { extensions: [extension] } })
      const key = word()
      expectSuccess(await governed.chat('Good morning', { ...change, metadata: { key } }, { token }))
      expect(governed.provider.callsWith(key)[0]?.body).toMatchObject(change)
    })
  })
  test('tools: tool calls are returned and inspected when the extension is on', async () => {
    const { token } = await governed.application({ settings: { extensions: ['tools'] } })
    const calls = (args: string) => [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: args } }]
    const sendRequest = (args: string) => {
      const key = word()
      const message = { role: 'assistant', content: null, tool_calls: calls(args) }
      governed.provider.on(key, (response) =>
        json(response, 200, completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })),
      )
      return governed.chat(key, { tools: TOOLS }, { token })
    }
    expect(expectSuccess(await sendRequest('{"city":"Oslo"}')).choices[0]?.message.tool_calls).toEqual(calls('{"city":"Oslo"}'))
    expectError(await sendRequest('{"city":"sorrel-deny"}'), 'POLICY_DENIED')
  })
  const use = (args: string) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }],
  })
  test.each<[string, readonly Message[], object]>([
    ['tool results', [use('{}'), { role: 'tool', tool_call_id: 'c', content: 'juniper-deny' }], {}],
    ['tool arguments', [use('"juniper-deny"')], {}],
    ['names', [{ role: 'user', name: 'juniper-deny', content: 'x' }], {}],
    ['content parts', [{ role: 'user', content: [{ type: 'text', text: 'juniper-deny' }] }], {}],
    ['tool descriptions', X, { tools: [{ type: 'function', function: { name: 'f', description: 'juniper-deny' } }] }],
    ['response formats', X, { response_format: { type: 'json_schema', json_schema: { name: 'juniper-deny' } } }],
    ['stop words', X, { stop: ['juniper-deny'] }],
    ['metadata', X, { metadata: { a: 'juniper-deny' } }],
    ['user', X, { user: 'juniper-deny' }],
  ])('input policies: read %s [GW-PIPE-9]', async (_, messages, more) => {
    const { token } = await governed.application({ settings: { extensions: ['tools', 'content_parts'] } })
    expectError(await governed.chat(messages, { ...more }, { token }), 'POLICY_DENIED')
  })
  test('holds: an identical request gets the same review_item_id and expires_at while the hold is pending, without a second provider call [GW-RETRY-2, API-ERR-18]', async () => {
    for (const held of [await governed.holdPrompt(), await governed.holdCompletion()]) {
      const calls = governed.countProviderCalls(held)
      const { expires_at } = expectError(held.response, 'POLICY_REVIEW_PENDING')
      expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
      const same = { review_item_id: held.id, expires_at }
      for (let i = 0; i < 3; i++) {
        expect(expectError(await governed.chat(held.prompt), 'POLICY_REVIEW_PENDING')).toMatchObject(same)
      }
      expect(expectError(await governed.resubmit(held), 'POLICY_REVIEW_PENDING')).toMatchObject(same)
      expect(governed.countProviderCalls(held)).toBe(calls)
    }
  })
  test('holds: identical concurrent requests share one hold [GW-RETRY-2]', async () => {
    const prompt = `juniper-hold ${word()}`
    const responses = await Promise.all(Array.from({ length: 8 }, () => governed.chat(prompt)))
    expect(new Set(responses.map((response) => expectError(response, 'POLICY_REVIEW_PENDING').review_item_id)).size).toBe(1)
  })
  test('model: the response names the requested model when the provider names another', async () => {
    const key = word()
    governed.provider.on(key, (response) => json(response, 200, completion('Fine.', { model: 'scripted-2026-01-01' })))
    const response = await governed.chat(key)
    expect(response.body.model).toBe('scripted')
    expect(contentOf(response)).toBe('Fine.')
  })
  test('path: a query string is ignored', async () => {
    expectSuccess(await governed.post(`${CHAT}?api-version=2026-01-01`, { messages: [{ role: 'user', content: 'x' }] }))
  })
})
