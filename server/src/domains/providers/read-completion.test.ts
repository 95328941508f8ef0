import { describe, expect, test } from 'vitest'
import { partsOf, withParts } from '../../shared/completion.ts'
import { collectTexts, replaceTexts } from '../../shared/message.ts'
import { readCompletion, removeToolCalls } from './read-completion.ts'

const defaults = { model: 'asked', newId: () => 'chatcmpl_fresh', created: () => 1_800_000_000 }
const read = (value: unknown) => readCompletion(JSON.parse(JSON.stringify(value)), defaults)
const choice = (message: object, change: object = {}) => ({
  ...{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' },
  ...change,
})
const withMessage = (message: object, change: object = {}) => ({ choices: [choice(message, change)] })
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }

/** Pairs of each name and `reason`. */
const named = (reason: string, names: readonly string[]) => names.map((name) => [name, reason] as const)

describe('valid response', () => {
  test('completion: has defaults when the response has choices only', () =>
    expect(read(withMessage({ content: 'x' }, { index: undefined }))).toEqual({
      id: 'chatcmpl_fresh',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'asked',
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    }))

  test('completion: keeps all choices with their indices', () => {
    const completion = read({
      choices: [choice({ content: 'b' }, { index: 1 }), choice({ content: 'a' }, { index: 0, finish_reason: 'length' })],
    })
    expect(completion?.choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [1, 'stop'],
      [0, 'length'],
    ])
  })

  test('completion: keeps tool calls, refusals, reasoning and logprobs', () => {
    const logprobs = {
      content: [{ token: 'x', logprob: -0.1, bytes: [120], top_logprobs: [{ token: 'y', logprob: -2, bytes: [121] }] }],
    }
    const custom = { id: 'call_2', type: 'custom', custom: { name: 'g', input: 'text' } }
    const message = { content: null, tool_calls: [CALL, custom], refusal: 'no', reasoning_content: 'because' }
    expect(read(withMessage(message, { finish_reason: 'tool_calls', logprobs }))?.choices[0]).toEqual({
      index: 0,
      message: { role: 'assistant', ...message },
      finish_reason: 'tool_calls',
      logprobs,
    })
  })

  test('completion: keeps extra fields of the response, choices, messages, calls and usage', () => {
    const call = { ...CALL, function: { ...CALL.function, more: 'x' }, extra_content: { google: { thought_signature: 'abc' } } }
    const reasoning_details = [{ type: 'reasoning.text', text: 'y' }]
    const message = { content: 'x', tool_calls: [call], reasoning_details, annotations: [] }
    const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const more = { usage: { ...counts, prompt_tokens_details: { cached_tokens: 1 }, cost: 0.5 }, citations: ['u'] }
    const completion = read({ ...withMessage(message, { native_finish_reason: 'eos' }), ...more })
    expect(completion).toMatchObject(more)
    expect(completion?.choices[0]).toEqual({ ...choice(message), native_finish_reason: 'eos' })
  })

  test('completion: drops the field governance', () =>
    expect(read({ ...withMessage({ content: 'x' }), governance: { audit_id: 'aud_forged' } })).not.toHaveProperty('governance'))

  test.each([{ content: null, reasoning_content: 'because' }, { reasoning: 'because' }])(
    'completion: has null content when the reasoning was cut off: %j',
    (message) => expect(read(withMessage(message, { finish_reason: 'length' }))?.choices[0]?.message.content).toBe(null),
  )

  test('parts: texts are replaced in the order in which they are collected', () => {
    const completion = read({ ...withMessage({ content: 'a', extra: 'b' }, { more: 'c' }), usage: { cost_text: 'e' }, top: 'd' })
    if (!completion) throw new Error('not read')
    const texts = collectTexts(partsOf(completion))
    expect(texts).toEqual(['a', 'extra', 'b', 'more', 'c', 'top', 'd', 'cost_text', 'e'])
    const inCapitals = texts.map((text) => text.toUpperCase())
    expect(withParts(completion, replaceTexts(partsOf(completion), inCapitals))).toMatchObject({
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
    [{ content: null }, { finish_reason: 'length' }, ''],
    [{ content: null, tool_calls: [] }, {}, ''],
    [{}, { finish_reason: 'stop' }, ''],
  ])('completion: may have no content: %j', (message, change, content) =>
    expect(read(withMessage(message, change))?.choices[0]?.message.content).toBe(content),
  )

  test.each([
    [{ prompt_tokens: 3 }, { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 }],
    [
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, more: 1 },
      { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, more: 1 },
    ],
    [null, undefined],
  ])('completion: reads usage %j', (usage, expected) =>
    expect(read({ ...withMessage({ content: 'x' }), usage })?.usage).toEqual(expected),
  )

  test.each(['chatcmpl-1', 'AKIAQ3EGRWZT5HPLV2NX', 7])('completion: has an id of the gateway instead of %j', (id) =>
    expect(read({ ...withMessage({ content: 'x' }), id })?.id).toBe('chatcmpl_fresh'),
  )

  test.each(['length', 'tool_calls', 'content_filter', 'function_call'])('completion: keeps finish_reason %s', (finish_reason) =>
    expect(read(withMessage({ content: 'x' }, { finish_reason }))?.choices[0]?.finish_reason).toBe(finish_reason),
  )

  test.each([
    ...named('stop', ['eos', 'STOP', 'end_turn']),
    ...named('length', ['model_length', 'MAX_TOKENS', 'max_tokens', 'Length', 'model_context_window_exceeded']),
    ...named('content_filter', ['sensitive', 'SAFETY', 'content-filter', 'RECITATION']),
    ...named('tool_calls', ['tool_use', 'TOOL_CALLS']),
    // Not known: the completion may not be complete.
    ...named('length', ['OTHER', 'constructor', 'AKIAQ3EGRWZT5HPLV2NX', 'harriet_lowe_has_cancer']),
  ])('completion: finish_reason %s becomes %s', (finish_reason, expected) =>
    expect(read(withMessage({ content: 'x' }, { finish_reason }))?.choices[0]?.finish_reason).toBe(expected),
  )

  test.each(['network_error', 'insufficient_system_resource', 'abort', 'ERROR', 'MALFORMED_FUNCTION_CALL', 'server-timeout'])(
    'completion: undefined for finish_reason %s, because the provider broke it off',
    (finish_reason) => expect(read(withMessage({ content: 'x' }, { finish_reason }))).toBeUndefined(),
  )

  test('tool calls: get different ids when the provider sends none', () => {
    const message = { content: null, tool_calls: [{ ...CALL, id: undefined }, { ...CALL, id: '' }, { ...CALL, id: null }, CALL] }
    let count = 0
    const newId = (prefix: string) => `${prefix}_${count++}`
    const response = JSON.parse(JSON.stringify(withMessage(message, { finish_reason: 'tool_calls' })))
    const completion = readCompletion(response, { ...defaults, newId })
    expect(completion?.choices[0]?.message.tool_calls).toMatchObject(
      ['call_0', 'call_1', 'call_2', 'call_1'].map((id) => ({ id })),
    )
  })

  test('completion: has the current time when created is not a time', () =>
    expect(read({ ...withMessage({ content: 'x' }), created: 4_111_111_111_111_111 })?.created).toBe(1_800_000_000))
})

describe('forbidden content', () => {
  test.each([
    ['sound', withMessage({ content: 'x', audio: { data: 'x' } })],
    ['a picture', withMessage({ content: 'x', images: [{ type: 'image_url' }] })],
    [
      'a key that reaches a prototype',
      JSON.parse('{"choices":[{"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}],"a":{"__proto__":1}}'),
    ],
    [
      'a value that is nested too deeply',
      { ...withMessage({ content: 'x' }), deep: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) },
    ],
    ['too many values', { ...withMessage({ content: 'x' }), many: Array(40_000).fill(0) }],
  ])('completion: undefined for %s', (_, value) => expect(read(value)).toBe(undefined))
})

describe('malformed response', () => {
  test.each([
    ['an array', []],
    ['choices of another type', { choices: {} }],
    ['a choice that is null', { choices: [null] }],
    ['no message', { choices: [{ index: 0, finish_reason: 'stop' }] }],
    ['one bad choice among good ones', { choices: [choice({ content: 'x' }), choice({ content: 7 }, { index: 1 })] }],
    ['an index twice', { choices: [choice({ content: 'x' }), choice({ content: 'y' })] }],
    ['a negative index', withMessage({ content: 'x' }, { index: -1 })],
    ['an index that is too large', withMessage({ content: 'x' }, { index: 4_111_111_111_111_111 })],
    ['another role', withMessage({ content: 'x', role: 'user' })],
    ['content as a number', withMessage({ content: 7 })],
    ['a picture as content', withMessage({ content: [{ type: 'image_url', image_url: { url: 'x' } }] })],
    ['a missing call', withMessage({ content: null, tool_calls: [] }, { finish_reason: 'tool_calls' })],
    ['finish_reason null', withMessage({ content: 'x' }, { finish_reason: null })],
    ['a finish_reason with spaces', withMessage({ content: 'x' }, { finish_reason: 'stopped because of you' })],
    ['finish_reason error', withMessage({ content: 'x' }, { finish_reason: 'error' })],
    ['an error beside choices', { ...withMessage({ content: 'x' }), error: { message: 'x' } }],
    ['a refusal that is not a string', withMessage({ content: 'x', refusal: {} })],
    ['a number as the id of a tool call', withMessage({ content: null, tool_calls: [{ ...CALL, id: 7 }] })],
    ['a tool call of an unknown type', withMessage({ content: null, tool_calls: [{ ...CALL, type: 'x' }] })],
    ['a tool call named after a prototype', withMessage({ content: null, tool_calls: [{ id: '1', type: '__proto__' }] })],
    [
      'tool arguments as an object',
      withMessage({ content: null, tool_calls: [{ ...CALL, function: { name: 'f', arguments: {} } }] }),
    ],
    ['a broken function call', withMessage({ content: 'x', function_call: 'f' })],
    ['logprobs as text', withMessage({ content: 'x' }, { logprobs: 'x' })],
    ['usage with fractions', { ...withMessage({ content: 'x' }), usage: { prompt_tokens: 1.5 } }],
    ['usage below zero', { ...withMessage({ content: 'x' }), usage: { completion_tokens: -1 } }],
    ['too many tokens', { ...withMessage({ content: 'x' }), usage: { prompt_tokens: 4_000_000_000 } }],
    ['too many tokens in total', { ...withMessage({ content: 'x' }), usage: { prompt_tokens: 6e8, completion_tokens: 6e8 } }],
    ['a total that is too large', { ...withMessage({ content: 'x' }), usage: { total_tokens: 4_000_000_000 } }],
    ['usage as a number', { ...withMessage({ content: 'x' }), usage: 7 }],
  ])('completion: undefined for %s', (_, value) => expect(read(value)).toBeUndefined())

  test('completion: keeps logprobs: null, which the API has where there are none', () => {
    expect(read(withMessage({ content: 'x' }, { logprobs: null }))?.choices[0]).toHaveProperty('logprobs', null)
    expect(read(withMessage({ content: 'x' }))?.choices[0]).not.toHaveProperty('logprobs')
  })
  test('completion: undefined for logprobs that would overflow the stack', () => {
    const deep = `{"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop","logprobs":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}]}`
    expect(readCompletion(JSON.parse(deep), defaults)).toBeUndefined()
  })
})

describe('maximum size', () => {
  const calls = (count: number) => ({ content: null, tool_calls: Array.from({ length: count }, () => CALL) })
  const choices = (count: number) => ({
    choices: Array.from({ length: count }, (_, index) => choice({ content: 'x' }, { index })),
  })
  test('completion: undefined when there are more than 128 choices', () => {
    expect(read(choices(128))?.choices).toHaveLength(128)
    expect(read(choices(129))).toBeUndefined()
  })
  test('completion: undefined when there are more than 128 tool calls', () => {
    expect(read(withMessage(calls(128)))).toBeDefined()
    expect(read(withMessage(calls(129)))).toBeUndefined()
  })
})

describe('removeToolCalls', () => {
  const readWithoutCalls = (message: object, finish_reason = 'stop') => {
    const completion = read(withMessage(message, { finish_reason }))
    return completion && removeToolCalls(completion).choices[0]
  }
  test.each([
    [{ content: null, tool_calls: [CALL] }, 'tool_calls'],
    [{ content: null, function_call: { name: 'f', arguments: '{}' } }, 'function_call'],
  ])('tool calls: are removed, and content is a string: %j', (message, finishReason) =>
    expect(readWithoutCalls(message, finishReason)).toEqual(choice({ content: '' })),
  )
  test.each([null, ''])('tool calls: a refusal has no content when the provider sends %j', (content) =>
    expect(readWithoutCalls({ content, refusal: 'no' })).toEqual(choice({ content: null, refusal: 'no' })),
  )
  test('tool calls: other completions stay unchanged', () => {
    const completion = read(withMessage({ content: 'x' }, { finish_reason: 'length' }))
    expect(completion && removeToolCalls(completion)).toEqual(completion)
  })
})
