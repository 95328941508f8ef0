import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { MARKER_RULES, type MarkerRule } from '../support/marker-policies.ts'
import { body, envelope, failure, type Input, responsesClient, WEATHER } from '../support/responses-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Stored responses, with the OpenAI client from npm. The scripted provider echoes the last message. */
const governed = await closeAfterAll(sharedGoverned())
const sdk = await responsesClient(governed)
const client = sdk.client({ maxRetries: 0 })

const stored = (input: string | Input, more: object = {}) => client.responses.create(body(input, { store: true, ...more }))
/** Stores the response to `input` and to each of `more`, which continues the one before. */
async function storedChain(input: string, ...more: string[]) {
  const chain = [await stored(input)]
  for (const next of more) chain.push(await stored(next, { previous_response_id: chain.at(-1)?.id }))
  return chain
}
const lastMessages = () => governed.provider.calls.at(-1)?.body.messages
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe('continuation', () => {
  test('three turns with a tool and reasoning: the provider gets the whole conversation [GW-RESP-18]', async () => {
    const [ask, result] = [word(), word()]
    const data = Buffer.from('a state that only its provider can decode, and no other').toString('base64')
    const reasoning_details = [{ type: 'reasoning.encrypted', data, id: 'rs_b' }]
    const call = { id: 'call_weather', type: 'function', function: { name: 'weather', arguments: '{"city":"Łódź"}' } }
    const calling = { role: 'assistant', content: null, reasoning_details, tool_calls: [call] }
    const answering = { role: 'assistant', content: 'It rains.' }
    // The first word that a request contains selects the completion: that of the later turn stands first.
    governed.provider.on(result, (response) =>
      json(response, 200, completion('', { choices: [{ index: 0, finish_reason: 'stop', message: answering }] })),
    )
    governed.provider.on(ask, (response) =>
      json(response, 200, completion('', { choices: [{ index: 0, finish_reason: 'tool_calls', message: calling }] })),
    )
    const more = { tools: [WEATHER], include: ['reasoning.encrypted_content'] }
    const first = await stored(ask, more)
    const output: Input = [{ type: 'function_call_output', call_id: 'call_weather', output: result }]
    const second = await stored(output, { ...more, previous_response_id: first.id })
    expect(second).toMatchObject({ output_text: 'It rains.', previous_response_id: first.id, store: true })
    const third = await stored('Thank you', { ...more, previous_response_id: second.id })
    expect(third.output_text).toBe('It rains.')
    expect(lastMessages()).toEqual([
      user(ask),
      calling,
      { role: 'tool', tool_call_id: 'call_weather', content: result },
      answering,
      user('Thank you'),
    ])
  })
  test('stream: is stored under the id of its events, and can be continued [GW-RESP-17, GW-RESP-18]', async () => {
    const final = await client.responses.stream(body('first', { store: true })).finalResponse()
    expect(final).toMatchObject({ store: true })
    const { output_parsed: _parsed, ...collected } = final
    expect(await client.responses.retrieve(final.id)).toMatchObject({ ...collected, output: [{ type: 'message' }] })
    const next = await client.responses.stream(body('second', { store: true, previous_response_id: final.id })).finalResponse()
    expect(lastMessages()).toEqual([user('first'), assistant('You said: first'), user('second')])
    expect((await client.responses.retrieve(next.id)).previous_response_id).toBe(final.id)
  })
  test('instructions: those of the earlier response are not carried over [GW-RESP-18]', async () => {
    const first = await stored('first', { instructions: 'Be brief.' })
    await stored('second', { previous_response_id: first.id, instructions: 'Be kind.' })
    expect(lastMessages()).toEqual([
      { role: 'system', content: 'Be kind.' },
      user('first'),
      assistant('You said: first'),
      user('second'),
    ])
  })
  test('two continuations at the same time: each has the conversation of its own branch [GW-RESP-18]', async () => {
    const [first] = await storedChain('root')
    const branches = await Promise.all(['left', 'right'].map((each) => stored(each, { previous_response_id: first?.id })))
    expect(new Set(branches.map(({ id }) => id)).size).toBe(2)
    for (const [index, each] of ['left', 'right'].entries()) {
      await stored('leaf', { previous_response_id: branches[index]?.id })
      expect(lastMessages()).toEqual([
        user('root'),
        assistant('You said: root'),
        user(each),
        assistant(`You said: ${each}`),
        user('leaf'),
      ])
    }
  })
  test('a response in mid-chain that is deleted: what follows is readable and cannot be continued [GW-RESP-21]', async () => {
    const [first, second, third] = await storedChain('one', 'two', 'three')
    await client.responses.delete(second?.id ?? '')
    expect(await failure(client.responses.retrieve(second?.id ?? ''))).toBeInstanceOf(OpenAI.NotFoundError)
    expect((await client.responses.retrieve(third?.id ?? '')).output_text).toBe(third?.output_text)
    const error = await failure(stored('four', { previous_response_id: third?.id }))
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', param: 'previous_response_id' })
    expect(envelope(error).details).toEqual({ reason: 'previous_response_not_found' })
    expect((await stored('two again', { previous_response_id: first?.id })).status).toBe('completed')
  })
})

describe('what is stored', () => {
  const clientOf = async (responses: object) => {
    const { token } = await governed.application({ settings: { responses } })
    return sdk.client({ apiKey: token, maxRetries: 0 })
  }
  const isStored = async (from: OpenAI, more: object) => {
    const response = await from.responses.create(body('hello', more))
    const found = await from.responses.retrieve(response.id).then(
      () => true,
      (error) => !(error instanceof OpenAI.NotFoundError),
    )
    expect(response).toMatchObject({ store: found })
    return found
  }
  test.each([
    ['requested', {}, false],
    ['requested', { store: true }, true],
    ['default', {}, true],
    ['default', { store: false }, false],
    ['off', {}, false],
    ['default', { governance: { dry_run: true } }, false],
  ])('settings.responses.store %s and %j: stored is %s [GW-RESP-17]', async (store, more, expected) => {
    expect(await isStored(await clientOf({ store }), more)).toBe(expected)
  })
  test('settings.responses.store off: refuses store and names the setting [GW-RESP-17]', async () => {
    const error = await failure((await clientOf({ store: 'off' })).responses.create(body('hello', { store: true })))
    expect(error).toMatchObject({ status: 400, param: 'store' })
    expect(error.message).toContain('settings.responses.store')
  })
  test('retrieve: returns the response as it was sent [GW-RESP-19, GW-PATH-10]', async () => {
    const response = await stored('hello', { metadata: { team: 'desk' } })
    expect(await client.responses.retrieve(response.id)).toMatchObject({ ...response, _request_id: expect.any(String) })
  })
  test('input_items: are the own items in pages [GW-RESP-20]', async () => {
    const first = await stored('root')
    const said = (text: string) => ({
      ...({ type: 'message', id: 'msg_same', role: 'assistant', status: 'completed' } as const),
      content: [{ type: 'output_text' as const, text, annotations: [] }],
    })
    const last = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'd' }] }
    const input: Input = [{ role: 'user', content: 'a' }, said('b'), said('c'), last]
    const { id } = await stored(input, { previous_response_id: first.id })
    const listed = await Array.fromAsync(client.responses.inputItems.list(id, { order: 'asc', limit: 1 }))
    expect(listed).toMatchObject([
      { type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_text', text: 'a' }] },
      { id: 'msg_same', content: [{ text: 'b' }] },
      { content: [{ text: 'c' }] },
      { content: [{ type: 'input_text', text: 'd' }] },
    ])
    expect(new Set(listed.map((item) => item.id)).size).toBe(4)
    const newest = await client.responses.inputItems.list(id, { limit: 1, include: ['reasoning.encrypted_content'] })
    expect(newest).toMatchObject({ data: [{ content: [{ text: 'd' }] }], has_more: true })
    expect(await failure(client.responses.inputItems.list(id, { after: 'msg_other' }))).toMatchObject({
      status: 400,
      param: 'after',
    })
    expect(await failure(client.responses.inputItems.list(id, { limit: 101 }))).toMatchObject({ status: 400, param: 'limit' })
  })
  test('input_items: have a status, except for reasoning [GW-RESP-20]', async () => {
    const input: Input = [
      { role: 'user', content: 'a' },
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }] },
      { type: 'custom_tool_call', call_id: 'c1', name: 'run', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'a.txt' },
    ]
    const { id } = await stored(input)
    const { data } = await client.responses.inputItems.list(id, { order: 'asc' })
    const statuses = data.map((item) => [item.type, 'status' in item ? item.status : null])
    expect(statuses).toEqual([
      ['message', 'completed'],
      ['reasoning', null],
      ['custom_tool_call', 'completed'],
      ['custom_tool_call_output', 'completed'],
    ])
  })
  test('redaction: the client reads its own text, and the provider gets it redacted in every turn [GW-RESP-18]', async () => {
    const text = 'juniper-redact write to mara@example.org'
    const first = await stored(text)
    const { data } = await client.responses.inputItems.list(first.id)
    expect(data).toMatchObject([{ content: [{ text }] }])
    await stored('and now', { previous_response_id: first.id })
    expect(JSON.stringify(lastMessages())).not.toContain('mara@example.org')
    expect(lastMessages()).toHaveLength(3)
  })
  test('record: has the ids, the stages and no content [GW-RESP-22, GW-PIPE-15]', async () => {
    const secret = word()
    const first = await stored(secret)
    const second = await stored(secret, { previous_response_id: first.id })
    const recordOf = (response: object) => {
      const { audit_id } = (response as { governance: { audit_id: string } }).governance
      return governed.api('GET', `/v1/audit/${audit_id}`, { token: sdk.token })
    }
    const record = await recordOf(second)
    expect(record.body).toMatchObject({ endpoint: 'chat', stored_response: { continued: first.id, stored: second.id } })
    expect(record.text).not.toContain(secret)
    const deleted = await governed.api('DELETE', `/v1/responses/${first.id}`, { token: sdk.token })
    expect(deleted.body).toEqual({ id: first.id, object: 'response', deleted: true })
    const deletion = await governed.api('GET', `/v1/audit/${deleted.headers.get('x-audit-id')}`, { token: sdk.token })
    expect(deletion.body).toMatchObject({ endpoint: 'stored_responses', stored_response: { deleted: first.id } })
    const read = await governed.api('GET', `/v1/responses/${second.id}`, { token: sdk.token })
    const reading = await governed.api('GET', `/v1/audit/${read.headers.get('x-audit-id')}`, { token: sdk.token })
    expect(reading.body).toMatchObject({ endpoint: 'stored_responses', stored_response: { read: second.id }, status: 200 })
    const stages = reading.body.stages as readonly { readonly name: string; readonly outcome: string }[]
    const used = stages.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name)
    expect(used).toEqual(['authenticate', 'admit', 'identify', 'authorize', 'record'])
  })
})

describe('verdicts', () => {
  test('a policy that denies now: also denies what it allowed in an earlier turn [GW-RESP-18]', async () => {
    const mark = word()
    const [first] = await storedChain(`look into ${mark}`)
    const rule: MarkerRule = {
      id: mark,
      description: 'new',
      at: ['input'],
      when: `content.text.contains("${mark}")`,
      verdict: 'deny',
    }
    await governed.publish([...MARKER_RULES, rule])
    try {
      const error = await failure(stored('go on', { previous_response_id: first?.id }))
      expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    } finally {
      await governed.publish(MARKER_RULES)
    }
    expect((await stored('go on', { previous_response_id: first?.id })).status).toBe('completed')
  })
  test('a hold: is stored when it is released, once [GW-RESP-17]', async () => {
    const [first] = await storedChain('root')
    const text = `${word()} juniper-hold`
    const send = (governance: object = {}) => stored(text, { previous_response_id: first?.id, governance })
    const error = await failure(send())
    expect(error).toBeInstanceOf(OpenAI.ConflictError)
    const { review_item_id } = envelope(error)
    await governed.decide(String(review_item_id), 'approve')
    const released = await send({ review_item_id })
    const again = await send({ review_item_id })
    expect([again.id, again.output_text]).toEqual([released.id, released.output_text])
    expect((await client.responses.retrieve(released.id)).previous_response_id).toBe(first?.id)
    expect(lastMessages()).toEqual([user('root'), assistant('You said: root'), user(text)])
  })
  test('a response that cannot be stored: 503, and the client gets no response [GW-RESP-17]', async () => {
    const { pool } = governed.server.context.database
    await pool.query('alter table stored_response rename to stored_response_away')
    try {
      const error = await failure(stored('hello'))
      expect(error).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
      expect(await client.responses.create(body('hello'))).toMatchObject({ store: false })
    } finally {
      await pool.query('alter table stored_response_away rename to stored_response')
    }
    expect(await stored('hello')).toMatchObject({ store: true })
  })
})
