import { describe, expect, test } from 'vitest'
import { startClientFixture } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { foreignRepository } from './support/foreign-repository.ts'
import { openaiSchemas } from './support/openai-schemas.ts'

/** Stored responses and their input items, validated by OpenAI's own description of its API (github.com/openai/openai-openapi). */
const repository = foreignRepository('OPENAI_OPENAPI_GIT')

const WEATHER = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: true }
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Inputs as clients send them, with all kinds of items. */
const INPUTS: readonly (readonly [string, readonly object[]])[] = [
  ['a short message', [{ role: 'user', content: 'Good morning.' }]],
  [
    'messages with parts',
    [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: PIXEL, detail: 'auto' },
        ],
      },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'A dot.', annotations: [], logprobs: [] }],
      },
    ],
  ],
  [
    'reasoning, calls and their results',
    [
      { role: 'user', content: 'How warm is it?' },
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look it up.' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{}', status: 'completed' },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'run', input: 'ls' },
      { type: 'function_call_output', call_id: 'call_1', output: 'warm' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'a.txt' },
    ],
  ],
]

describe.skipIf(!repository)('OpenAI schemas of stored responses', async () => {
  let schemas: ReturnType<typeof openaiSchemas>
  if (repository) schemas = openaiSchemas(repository)
  const fixture = await closeAfterAll(startClientFixture())

  const api = (method: 'GET' | 'DELETE', path: string) => fixture.governed.api(method, path, { token: fixture.token })
  const store = async (input: unknown): Promise<string> => {
    const request = { model: 'scripted', input, tools: [WEATHER, { type: 'custom', name: 'run' }], store: true }
    const response = await fixture.governed.post('/v1/responses', request, { token: fixture.token })
    return `/v1/responses/${expectSuccess(response).id}`
  }
  const problemsOf = async (name: string, path: string) => schemas.problemsOf(name, expectSuccess(await api('GET', path)))

  describe.each([['a text', `Good morning, ${word()}.`], ...INPUTS] as const)('input: %s', (_, input) => {
    test('the stored response is valid', async () => {
      expect(await problemsOf('Response', await store(input))).toEqual([])
    })
    test.each(['', '?order=asc', '?limit=1'])('the list of input items is valid %s', async (query) => {
      expect(await problemsOf('ResponseItemList', `${await store(input)}/input_items${query}`)).toEqual([])
    })
  })

  test('deletion: the confirmation names the response, and the response is gone', async () => {
    const path = await store('Good morning.')
    expect(expectSuccess(await api('DELETE', path))).toEqual({ id: path.split('/').at(-1), object: 'response', deleted: true })
    const gone = await api('GET', path)
    expect(gone.status).toBe(404)
    expect(schemas.problemsOf('ErrorResponse', gone.body)).toEqual([])
  })
})
