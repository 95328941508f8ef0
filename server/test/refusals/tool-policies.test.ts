import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type Message } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { parseChunks } from '../support/stream-chunks.ts'

const governed = await closeAfterAll(sharedGoverned())
const large = 'content.tool_calls.exists(c, c.name == "transfer" && double(c.arguments.amount) > 1000.0)'
await governed.publish([
  { id: 'no-shell', at: ['input'], when: '"shell" in request.tools', verdict: 'deny' },
  { id: 'database', at: ['input'], when: 'request.tools.exists(t, t.startsWith("db_"))', verdict: 'require_approval' },
  { id: 'no-large-transfers', at: ['output'], when: large, verdict: 'deny' },
  {
    id: 'no-system-files',
    at: ['input', 'output'],
    when: 'content.tool_calls.exists(c, has(c.arguments.path) && c.arguments.path.startsWith("/etc"))',
    verdict: 'deny',
  },
  { id: 'mail', at: ['output'], when: 'content.tool_calls.exists(c, c.name == "send_mail")', verdict: 'require_approval' },
  { id: 'addresses', at: ['input'], when: 'content.findings["pii.email"] > 0', transforms: ['pseudonymize:pii.email'] },
  {
    id: 'no-board',
    at: ['output'],
    when: 'content.tool_calls.exists(c, has(c.arguments.to) && c.arguments.to == "board@example.org")',
    verdict: 'deny',
  },
  { id: 'no-cards', at: ['output'], when: 'content.findings["pii.card"] > 0', transforms: ['redact:pii.card'] },
  { id: 'not-offered', at: ['output'], when: '!content.tool_calls.all(c, c.name in request.tools)', verdict: 'escalate' },
])
const settings = { extensions: ['tools'], knowledge: { enabled: false } }
const app = { token: (await governed.application({ settings })).token }

const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })
const custom = (name: string) => ({ type: 'custom', custom: { name } })
const call = (name: string, given: string, id = 'call_1') => ({ id, type: 'function', function: { name, arguments: given } })
const TOOLS = [tool('transfer'), tool('read_file'), tool('send_mail'), custom('sql')]

/** Sends a prompt whose completion makes these calls, one list for each choice. */
async function chatWithCalls(choices: readonly (readonly object[])[], more: object = {}, text = '') {
  const key = word()
  const all = choices.map((tool_calls, index) => ({
    index,
    message: { role: 'assistant', content: null, tool_calls },
    finish_reason: 'tool_calls',
  }))
  governed.provider.on(key, (response) => json(response, 200, completion('', { choices: all })))
  const prompt = `${key} ${text}`
  const response = await governed.chat(prompt, { tools: TOOLS, n: choices.length, ...more }, app)
  return { response, prompt, key, calls: () => governed.provider.callsWith(key) }
}
const callsIn = (body: { choices: readonly { message: object }[] }) =>
  body.choices.map(({ message }) => 'tool_calls' in message && message.tool_calls)

describe.each([false, true])('stream: %s', (stream) => {
  test.each([
    ['a function', { tools: [...TOOLS, tool('shell')] }],
    ['a strict function', { tools: [tool('shell', { strict: true, parameters: { type: 'object', properties: {} } })] }],
    ['a custom tool', { tools: [custom('shell')] }],
    ['a tool with its name beside the type', { tools: [{ type: 'function', name: 'shell' }] }],
    ['a demanded tool that is not offered', { tools: TOOLS, tool_choice: tool('shell') }],
  ])('offered tool: 403 without a provider call when its name is denied: %s [GW-POL-18]', async (_, more) => {
    const { response, calls } = await chatWithCalls([[call('x', '{}')]], { ...more, stream })
    expectError(response, 'POLICY_DENIED')
    expect(calls()).toHaveLength(0)
  })

  test.each([
    ['its amount', [[call('transfer', '{"amount":5000}')]]],
    ['the amount of the last of parallel calls', [[call('transfer', '{"amount":5}'), call('transfer', '{"amount":5000}', 'b')]]],
    ['the amount in another choice', [[call('transfer', '{"amount":5}')], [call('transfer', '{"amount":5e3}')]]],
    ['a missing amount', [[call('transfer', '')]]],
    ['an amount that is a list', [[call('transfer', '{"amount":[5000]}')]]],
    ['its path, written with escapes', [[call('read_file', '{"p\\u0061th":"\\u002fetc/passwd"}')]]],
    ['its large arguments', [[call('transfer', `{"amount":[${'1,'.repeat(100_000)}1]}`)]]],
  ])('called tool: 403 and no part of the completion when a rule denies %s [GW-POL-19, GW-POL-20]', async (_, choices) => {
    const { response, calls } = await chatWithCalls(choices, { stream })
    expectError(response, 'POLICY_DENIED')
    expect(calls()).toHaveLength(1)
    expect(response.text).not.toContain('passwd')
    expect(response.text).not.toContain('tool_calls')
  })

  test('called tool: held, and released complete after approval [GW-POL-19]', async () => {
    const { response, prompt, calls } = await chatWithCalls([[call('send_mail', '{"to":"a"}', 'id with spaces/+=')]], { stream })
    const { review_item_id: id } = expectError(response, 'POLICY_REVIEW_PENDING')
    expect(response.text).not.toContain('send_mail')
    await governed.decide(id, 'approve')
    const released = await governed.resubmit({ prompt, id }, {}, { tools: TOOLS, n: 1, stream }, app)
    expect(released.status).toBe(200)
    expect(released.text).toContain('send_mail')
    expect(released.text).toContain('id with spaces/+=')
    expect(calls()).toHaveLength(1)
  })
})

test('offered tool: held at input, and the provider gets the tools after approval [GW-POL-18]', async () => {
  const tools = [tool('db_query')]
  const { response, prompt, calls } = await chatWithCalls([[call('db_query', '{}')]], { tools })
  const { review_item_id: id } = expectError(response, 'POLICY_REVIEW_PENDING')
  expect(calls()).toHaveLength(0)
  await governed.decide(id, 'approve')
  expectSuccess(await governed.resubmit({ prompt, id }, {}, { tools, n: 1 }, app))
  expect(calls()[0]?.body.tools).toEqual(tools)
})

describe('tools that no rule denies', () => {
  test.each([
    ['empty arguments', [call('transfer', '{"amount":1}'), call('read_file', '')]],
    ['arguments that are not JSON', [call('read_file', '{"path":')]],
    ['hostile keys', [call('read_file', '{"__proto__":{"path":"/etc"},"constructor":1,"a":1e999,"a":2}')]],
    ['a custom tool', [{ id: 'c', type: 'custom', custom: { name: 'sql', input: 'select 1' } }]],
    ['128 parallel calls', Array.from({ length: 128 }, (_, i) => call('read_file', `{"path":"/tmp/${i}"}`, `call_${i}`))],
    ['ids of every shape', ['1', 'function-call-12', 'x'.repeat(500), 'é 🦊/+=.'].map((id) => call('read_file', '{}', id))],
  ])('completion: reaches the client unchanged when it has %s [GW-POL-19]', async (_, calls) => {
    const { response } = await chatWithCalls([calls])
    expect(callsIn(expectSuccess(response))).toEqual([calls])
    const streamed = await chatWithCalls([calls], { stream: true })
    const chunks = parseChunks(streamed.response.text).flatMap(({ choices }) => choices)
    const deltas = chunks.flatMap(({ delta }) => delta.tool_calls ?? [])
    expect(deltas).toEqual(calls.map((each, index) => ({ ...each, index })))
  })

  test.each([
    'auto',
    'none',
    'required',
    tool('transfer'),
    custom('sql'),
    { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('transfer'), custom('sql')] } },
  ])('tool_choice: reaches the provider unchanged when it is %j', async (tool_choice) => {
    const fields = { tool_choice, parallel_tool_calls: false }
    const { response, calls } = await chatWithCalls([[call('transfer', '{"amount":1}')]], fields)
    expectSuccess(response)
    expect(calls()[0]?.body).toMatchObject({ ...fields, tools: TOOLS })
  })

  test('strict schemas: reach the provider unchanged', async () => {
    const parameters = {
      type: 'object',
      properties: { amount: { type: 'number', exclusiveMinimum: 0 }, to: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      required: ['amount', 'to'],
      additionalProperties: false,
    }
    const tools = [tool('transfer', { strict: true, description: 'Moves money.', parameters })]
    const { response, calls } = await chatWithCalls([[call('transfer', '{"amount":1}')]], { tools })
    expectSuccess(response)
    expect(calls()[0]?.body.tools).toEqual(tools)
  })
})

describe('calls in the history of a conversation', () => {
  const history = (key: string, called: object): Message[] => [
    { role: 'user', content: key },
    { role: 'assistant', content: null, ...called },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ]
  test.each([
    ['a function', { tool_calls: [call('read_file', '{"path":"/etc/passwd"}')] }],
    ['parallel calls', { tool_calls: [call('ping', '{}'), call('read_file', '{"path":"/etc/passwd"}', 'b')] }],
    ['the older form', { content: '', function_call: { name: 'read_file', arguments: '{"path":"/etc/passwd"}' } }],
  ])('403 without a provider call when a rule denies an argument: %s [GW-POL-19]', async (_, called) => {
    const key = word()
    expectError(await governed.chat(history(key, called), {}, app), 'POLICY_DENIED')
    expect(governed.provider.callsWith(key)).toHaveLength(0)
  })
  test('reach the provider unchanged when no rule denies them', async () => {
    const key = word()
    const called = { tool_calls: [call('read_file', '', ''), call('read_file', '{ "path": "/tmp" }', 'é 🦊')] }
    expectSuccess(await governed.chat(history(key, called), {}, app))
    expect(governed.provider.callsWith(key)[0]?.body.messages[1]).toMatchObject(called)
  })
})

describe('arguments and transforms', () => {
  test('output rules read the originals of placeholders, as the client would receive them [GW-POL-19]', async () => {
    const calls = [call('mail', '{"to":"\\u003cEMAIL_1>"}')]
    expectError((await chatWithCalls([calls], {}, 'write to board@example.org')).response, 'POLICY_DENIED')
    const { response } = await chatWithCalls([calls], {}, 'write to jane@example.org')
    expect(JSON.stringify(expectSuccess(response))).toContain('jane@example.org')
  })
  test('redaction changes the arguments that the client receives', async () => {
    const { response } = await chatWithCalls([[call('pay', '{"card":"4111 1111 1111 1111","amount":5}')]])
    expect(callsIn(expectSuccess(response))).toEqual([[call('pay', '{"card":"[CARD]","amount":5}')]])
  })
  test('escalated when the completion calls a tool that was not offered', async () => {
    const verdictOn = async (called: object) =>
      expectSuccess((await chatWithCalls([[called]])).response).governance.decision.verdict
    expect(await verdictOn(call('transfer', '{"amount":1}'))).toBe('allow')
    expect(await verdictOn(call('other', '{}'))).toBe('escalate')
  })
})
