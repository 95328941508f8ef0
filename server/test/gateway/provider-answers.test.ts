import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { chunk, startProviderAnswers, usageChunk } from '../support/provider-answers.ts'
import { anthropicMessage } from '../support/scripted-anthropic.ts'
import { completion } from '../support/scripted-provider.ts'
import { responseObject } from '../support/scripted-responses.ts'
import type { UpstreamModel } from '../support/three-upstreams.ts'

const answers = await closeAfterAll(startProviderAnswers())

describe('usage', () => {
  const OK = chunk({ role: 'assistant', content: 'ok' })
  const STOP = chunk({}, 'stop')
  const last = (usage: object) => [OK, STOP, usageChunk(usage)]
  const cached = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050, cached_tokens: 800 }
  const hundred = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }
  const xai = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 20_110 }

  test.each<[string, object, object, number]>([
    [
      'xAI: reasoning stands beside the completion',
      last({ ...xai, completion_tokens_details: { reasoning_tokens: 20_000 } }),
      { prompt_tokens: 100, completion_tokens: 20_010, reasoning_tokens: 20_000 },
      100 + 20_010 * 4,
    ],
    [
      'xAI without a stream',
      { ...completion('ok'), usage: { ...xai, completion_tokens_details: { reasoning_tokens: 20_000 } } },
      { prompt_tokens: 100, completion_tokens: 20_010, reasoning_tokens: 20_000 },
      100 + 20_010 * 4,
    ],
    [
      'Gemini: thoughts are in the total only',
      last({ prompt_tokens: 8, completion_tokens: 5, total_tokens: 120 }),
      { prompt_tokens: 8, completion_tokens: 112 },
      8 + 112 * 4,
    ],
    [
      'Moonshot: usage in the choice',
      [OK, chunk({}, 'stop', { usage: cached })],
      { prompt_tokens: 1_000, cache_read_tokens: 800, completion_tokens: 50 },
      200 + 80 + 200,
    ],
    [
      'Moonshot: cached tokens beside the counts',
      last(cached),
      { prompt_tokens: 1_000, cache_read_tokens: 800, completion_tokens: 50 },
      200 + 80 + 200,
    ],
    [
      'Groq: usage in x_groq',
      [OK, { ...STOP, x_groq: { id: 'req_1', usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } } }],
      { prompt_tokens: 20, completion_tokens: 5 },
      20 + 5 * 4,
    ],
    [
      'DeepSeek: hits and misses of the cache',
      last({ ...hundred, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }),
      { prompt_tokens: 100, cache_read_tokens: 60, completion_tokens: 5 },
      40 + 6 + 20,
    ],
    [
      'a proxy of Anthropic: the cache stands beside the prompt',
      last({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 105, cache_read_input_tokens: 90 }),
      { prompt_tokens: 100, cache_read_tokens: 90, completion_tokens: 5 },
      10 + 9 + 20,
    ],
  ])('usage: is charged in full: %s', async (_, value, units, microdollars) => {
    const response = await answers.ask('chat', 'scripted', answers.sends('scripted', value))
    expectSuccess(response)
    const [attempt, ...others] = await answers.attemptsOf(response)
    expect(others).toEqual([])
    expect(attempt).toMatchObject({ outcome: 'ok', ...units })
    expect(attempt?.cost).toBeCloseTo(microdollars / 1e6, 9)
  })

  test('usage: the client gets the counts that are charged', async () => {
    const key = answers.sends('scripted', last({ ...xai, completion_tokens_details: { reasoning_tokens: 20_000 } }))
    const { usage } = expectSuccess(await answers.ask('chat', 'scripted', key))
    expect(usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20_010, total_tokens: 20_110 })
    expect((await answers.ask('messages', 'scripted', key)).body).toMatchObject({
      usage: { input_tokens: 100, output_tokens: 20_010 },
    })
  })
})

describe('empty completions [GW-PROV-1]', () => {
  const usage = { prompt_tokens: 5_000, completion_tokens: 16, total_tokens: 5_016 }
  const nothing = (finish_reason: string, content?: null) => ({
    ...completion(''),
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
    usage,
  })
  const message = (stop_reason: string) => anthropicMessage([], { stop_reason })
  test.each<[UpstreamModel, string, object, string]>([
    ['scripted', 'null and length', nothing('length', null), 'max_tokens'],
    ['scripted', 'null and stop', nothing('stop', null), 'end_turn'],
    ['scripted', 'no content', nothing('stop'), 'end_turn'],
    ['scripted', 'a stream without text', [chunk({ role: 'assistant' }), chunk({}, 'length'), usageChunk(usage)], 'max_tokens'],
    ['claude', 'end_turn', message('end_turn'), 'end_turn'],
    ['claude', 'max_tokens', message('max_tokens'), 'max_tokens'],
    ['claude', 'stop_sequence', anthropicMessage([], { stop_reason: 'stop_sequence', stop_sequence: 'END' }), 'stop_sequence'],
    [
      'claude',
      'a stream of no block',
      [
        { type: 'message_start', message: anthropicMessage([], { stop_reason: null }) },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ],
      'end_turn',
    ],
    ['gpt', 'no output', responseObject([]), 'end_turn'],
  ])('empty: %s with %s is a complete answer, and is charged after one request', async (model, _, value, stop_reason) => {
    const key = answers.sends(model, value)
    const response = await answers.ask('messages', model, key)
    expect(response.body).toMatchObject({ content: [], stop_reason })
    expect(answers.callsWith(model, key)).toHaveLength(1)
    const [attempt] = await answers.attemptsOf(response)
    expect(attempt).toMatchObject({ outcome: 'ok', cost: expect.any(Number) })
    const chat = expectSuccess(await answers.ask('chat', model, key)).choices[0]
    expect(chat?.message.content).toBe('')
    expect((await answers.ask('responses', model, key)).body).toMatchObject({ object: 'response' })
  })
})

describe('finish reasons', () => {
  const said = (reason: string) => [chunk({ role: 'assistant', content: 'cut o' }), chunk({}, reason)]
  const whole = (finish_reason: string) => ({
    ...completion(''),
    choices: [{ index: 0, message: { role: 'assistant', content: 'cut o' }, finish_reason }],
  })
  const message = (stop_reason: string) => anthropicMessage([{ type: 'text', text: 'cut o' }], { stop_reason })
  const SENDERS = [
    ['scripted', said],
    ['scripted', whole],
    ['claude', message],
  ] as const
  const LENGTH = ['length', 'max_tokens', 'incomplete'] as const
  const FILTERED = ['content_filter', 'refusal', 'incomplete'] as const

  test.each([
    ...['model_length', 'model_context_window_exceeded', 'max_tokens', 'MAX_TOKENS', 'something_new'].map(
      (reason) => [reason, LENGTH] as const,
    ),
    ...['sensitive', 'SAFETY'].map((reason) => [reason, FILTERED] as const),
  ])('finish reason: %s is never a complete answer', async (reason, [finish_reason, stop_reason, status]) => {
    for (const [model, of] of SENDERS) {
      const key = answers.sends(model, of(reason))
      expect(expectSuccess(await answers.ask('chat', model, key)).choices[0]).toMatchObject({ finish_reason })
      expect((await answers.ask('messages', model, key)).body).toMatchObject({ stop_reason })
      expect((await answers.ask('responses', model, key)).body).toMatchObject({ status })
    }
  })

  test.each(['network_error', 'insufficient_system_resource', 'abort'])(
    'finish reason: %s is an error, because the provider broke the answer off [GW-PROV-6]',
    async (reason) => {
      for (const [model, of] of SENDERS) {
        const response = await answers.ask('messages', model, answers.sends(model, of(reason)))
        expect(response.status, response.text).toBe(502)
      }
    },
  )

  test('finish reason: a call of a tool ends with it for clients of the Messages API, also where the provider says stop', async () => {
    const calls = [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }]
    const key = answers.sends('scripted', [chunk({ role: 'assistant', tool_calls: calls }), chunk({}, 'stop')])
    expect((await answers.ask('messages', 'scripted', key)).body).toMatchObject({ stop_reason: 'tool_use' })
  })

  test('finish reason: an empty one after the reason does not replace it', async () => {
    const key = answers.sends('scripted', [chunk({ content: 'ok' }, ''), chunk({}, 'stop'), chunk({}, '')])
    expect(expectSuccess(await answers.ask('chat', 'scripted', key)).choices[0]).toMatchObject({ finish_reason: 'stop' })
  })
})
