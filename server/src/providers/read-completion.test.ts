import { describe, expect, test } from 'vitest'
import { partsOf, withParts } from '../domain/completion.ts'
import { collectTexts, replaceTexts } from '../domain/message.ts'
import { readCompletion, withoutTools } from './read-completion.ts'

const defaults = { model: 'asked', newId: () => 'chatcmpl_fresh', created: () => 1_800_000_000 }
const read = (value: unknown) => readCompletion(Buffer.from(JSON.stringify(value)), defaults)
const choice = (message: object, change: object = {}) => ({
  index: 0,
  message: { role: 'assistant', ...message },
  finish_reason: 'stop',
  ...change,
})
const of = (message: object, change: object = {}) => ({ choices: [choice(message, change)] })
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }

describe('a sound answer', () => {
  test('needs no more than its choices; the rest has defaults', () =>
    expect(read(of({ content: 'x' }, { index: undefined }))).toEqual({
      id: 'chatcmpl_fresh',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'asked',
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    }))

  test('keeps all n choices, each with its index', () => {
    const answer = read({
      choices: [choice({ content: 'b' }, { index: 1 }), choice({ content: 'a' }, { index: 0, finish_reason: 'length' })],
    })
    expect(answer?.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [1, 'stop'],
      [0, 'length'],
    ])
  })

  test('keeps tool calls, refusals, reasoning and logprobs', () => {
    const logprobs = {
      content: [{ token: 'x', logprob: -0.1, bytes: [120], top_logprobs: [{ token: 'y', logprob: -2, bytes: null }] }],
    }
    const custom = { id: 'call_2', type: 'custom', custom: { name: 'g', input: 'text' } }
    const message = { content: null, tool_calls: [CALL, custom], refusal: 'no', reasoning_content: 'because' }
    expect(read(of(message, { finish_reason: 'tool_calls', logprobs }))?.choices[0]).toEqual({
      index: 0,
      message: { role: 'assistant', ...message },
      finish_reason: 'tool_calls',
      logprobs,
    })
  })

  test('keeps the provider’s own fields: around the answer, a choice, a message, a call, in usage', () => {
    const call = { ...CALL, function: { ...CALL.function, more: 'x' }, extra_content: { google: { thought_signature: 'abc' } } }
    const message = {
      content: 'x',
      tool_calls: [call],
      reasoning_details: [{ type: 'reasoning.text', text: 'y' }],
      annotations: [],
    }
    const usage = {
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 1 },
      cost: 0.5,
    }
    const answer = read({ ...of(message, { native_finish_reason: 'eos' }), usage, system_fingerprint: 'fp_1', citations: ['u'] })
    expect(answer).toMatchObject({ usage, system_fingerprint: 'fp_1', citations: ['u'] })
    expect(answer?.choices[0]).toEqual({ ...choice(message), native_finish_reason: 'eos' })
  })

  test('keeps nothing in the place of what is the gateway’s own', () =>
    expect(read({ ...of({ content: 'x' }), governance: { audit_id: 'aud_forged' } })).not.toHaveProperty('governance'))

  test.each([{ content: null, reasoning_content: 'because' }, { reasoning: 'because' }])(
    'that was cut off while the model thought has no content: %j',
    (message) => expect(read(of(message, { finish_reason: 'length' }))?.choices[0]?.message.content).toBe(null),
  )

  test('has parts that are put back in their places, in the order in which they are read', () => {
    const answer = read({ ...of({ content: 'a', extra: 'b' }, { more: 'c' }), usage: { cost_text: 'e' }, top: 'd' })
    if (!answer) throw new Error('not read')
    const texts = collectTexts(partsOf(answer))
    expect(texts).toEqual(['a', 'extra', 'b', 'more', 'c', 'top', 'd', 'cost_text', 'e'])
    const upper = withParts(
      answer,
      replaceTexts(
        partsOf(answer),
        texts.map((text) => text.toUpperCase()),
      ),
    )
    expect(upper).toMatchObject({
      choices: [{ index: 0, finish_reason: 'stop', message: { content: 'A', EXTRA: 'B' }, MORE: 'C' }],
      TOP: 'D',
      usage: { prompt_tokens: 0, COST_TEXT: 'E' },
    })
  })

  test.each([
    [{ content: null, refusal: 'no' }, {}, null],
    [{ content: null, function_call: { name: 'f', arguments: '' } }, {}, null],
    [{}, { finish_reason: 'content_filter' }, ''],
    [{ content: '' }, { finish_reason: 'length' }, ''],
  ])('may have no content: %j', (message, change, content) =>
    expect(read(of(message, change))?.choices[0]?.message.content).toBe(content),
  )

  test.each([
    [{ prompt_tokens: 3 }, { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 }],
    [
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 9, more: 1 },
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 9, more: 1 },
    ],
    [null, undefined],
  ])('has usage %j', (usage, expected) => expect(read({ ...of({ content: 'x' }), usage })?.usage).toEqual(expected))

  test.each(['chatcmpl-1', 'AKIAQ3EGRWZT5HPLV2NX', 7])('has an id of its own in place of %j', (id) =>
    expect(read({ ...of({ content: 'x' }), id })?.id).toBe('chatcmpl_fresh'),
  )

  test.each(['length', 'tool_calls', 'content_filter', 'function_call'])('ends with %s', (finish_reason) =>
    expect(read(of({ content: 'x' }, { finish_reason }))?.choices[0]?.finish_reason).toBe(finish_reason),
  )

  test.each(['eos', 'AKIAQ3EGRWZT5HPLV2NX', 'harriet_lowe_has_cancer'])(
    'ends with stop where a provider says %s',
    (finish_reason) => expect(read(of({ content: 'x' }, { finish_reason }))?.choices[0]?.finish_reason).toBe('stop'),
  )

  test('was created at a time', () =>
    expect(read({ ...of({ content: 'x' }), created: 4_111_111_111_111_111 })?.created).toBe(1_800_000_000))
})

describe('not let through is', () => {
  test.each([
    ['sound', of({ content: 'x', audio: { data: 'x' } })],
    ['a picture', of({ content: 'x', images: [{ type: 'image_url' }] })],
    [
      'a key that reaches a prototype',
      JSON.parse('{"choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"a":{"__proto__":1}}'),
    ],
    ['what is too deep', { ...of({ content: 'x' }), deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) }],
    ['what is too much', { ...of({ content: 'x' }), many: Array(40_000).fill(0) }],
  ])('%s', (_, value) => expect(read(value)).toBe(undefined))
})

describe('malformed is', () => {
  test.each([
    ['no object', []],
    ['choices of another type', { choices: {} }],
    ['a choice that is null', { choices: [null] }],
    ['no message', { choices: [{ index: 0, finish_reason: 'stop' }] }],
    ['one bad choice among good ones', { choices: [choice({ content: 'x' }), choice({ content: 7 }, { index: 1 })] }],
    ['an index twice', { choices: [choice({ content: 'x' }), choice({ content: 'y' })] }],
    ['a negative index', of({ content: 'x' }, { index: -1 })],
    ['an index beyond all choices', of({ content: 'x' }, { index: 4_111_111_111_111_111 })],
    ['another role', of({ content: 'x', role: 'user' })],
    ['content as a number', of({ content: 7 })],
    ['content as parts', of({ content: [{ type: 'text', text: 'x' }] })],
    ['no content and nothing in its place', of({})],
    ['null content and no call', of({ content: null, tool_calls: [] })],
    ['finish_reason null', of({ content: 'x' }, { finish_reason: null })],
    ['finish_reason with prose', of({ content: 'x' }, { finish_reason: 'stopped because of you' })],
    ['finish_reason error', of({ content: 'x' }, { finish_reason: 'error' })],
    ['an error beside choices', { ...of({ content: 'x' }), error: { message: 'x' } }],
    ['a refusal that is no text', of({ content: 'x', refusal: {} })],
    ['a tool call without id', of({ content: null, tool_calls: [{ ...CALL, id: undefined }] })],
    ['a tool call of an unknown type', of({ content: null, tool_calls: [{ ...CALL, type: 'x' }] })],
    ['a tool call named after a prototype', of({ content: null, tool_calls: [{ id: '1', type: '__proto__' }] })],
    ['tool arguments as an object', of({ content: null, tool_calls: [{ ...CALL, function: { name: 'f', arguments: {} } }] })],
    ['a broken function call', of({ content: 'x', function_call: 'f' })],
    ['logprobs as text', of({ content: 'x' }, { logprobs: 'x' })],
    ['usage with fractions', { ...of({ content: 'x' }), usage: { prompt_tokens: 1.5 } }],
    ['usage below zero', { ...of({ content: 'x' }), usage: { completion_tokens: -1 } }],
    ['usage beyond any answer', { ...of({ content: 'x' }), usage: { prompt_tokens: 4_000_000_000 } }],
    ['usage beyond any answer in sum', { ...of({ content: 'x' }), usage: { prompt_tokens: 6e8, completion_tokens: 6e8 } }],
    ['a total beyond any answer', { ...of({ content: 'x' }), usage: { total_tokens: 4_000_000_000 } }],
    ['usage as a number', { ...of({ content: 'x' }), usage: 7 }],
  ])('%s', (_, value) => expect(read(value)).toBeUndefined())

  test('logprobs nested deeper than any stack', () => {
    const deep = `{"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop","logprobs":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`
    expect(readCompletion(Buffer.from(deep), defaults)).toBeUndefined()
  })
})

describe('no more than anybody can ask for: reading the rest would keep others waiting', () => {
  const calls = (count: number) => ({ content: null, tool_calls: Array.from({ length: count }, () => CALL) })
  const choices = (count: number) => ({
    choices: Array.from({ length: count }, (_, index) => choice({ content: 'x' }, { index })),
  })
  test('choices', () => {
    expect(read(choices(128))?.choices).toHaveLength(128)
    expect(read(choices(129))).toBeUndefined()
  })
  test('tool calls', () => {
    expect(read(of(calls(128)))).toBeDefined()
    expect(read(of(calls(129)))).toBeUndefined()
  })
})

describe('without the extension tools', () => {
  const plain = (message: object, finish_reason = 'stop') => {
    const answer = read(of(message, { finish_reason }))
    return answer && withoutTools(answer).choices[0]
  }
  test.each([
    [{ content: null, tool_calls: [CALL] }, 'tool_calls'],
    [{ content: null, function_call: { name: 'f', arguments: '{}' } }, 'function_call'],
  ])('nothing is called, and content is a string: %j', (message, finished) =>
    expect(plain(message, finished)).toEqual(choice({ content: '' })),
  )
  test('a refusal has content beside it', () =>
    expect(plain({ content: null, refusal: 'no' })).toEqual(choice({ content: '', refusal: 'no' })))
  test('any other answer is as it was', () => {
    const answer = read(of({ content: 'x' }, { finish_reason: 'length' }))
    expect(answer && withoutTools(answer)).toEqual(answer)
  })
})
