import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { type ProviderCode, readRejection, toClientParam } from './rejection.ts'

const read = (status: number, body: unknown) =>
  readRejection({
    ...({ ok: false, failure: 'status', status } as const),
    ...(body !== undefined && { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
  })
const openai = (message: string, more: object = {}) => {
  return { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } }
}

const plain = (message: unknown, type = 'invalid_request_error', code: unknown = null) => {
  return { object: 'error', message, type, param: null, code }
}

/** Error responses of providers by the code that they get, in the forms of their public documentation. */
const REFUSALS: Partial<
  Record<ProviderCode, readonly (readonly [provider: string, status: number, body: unknown, param?: string])[]>
> = {
  context_length_exceeded: [
    ['OpenAI', 400, openai('x', { code: 'context_length_exceeded', param: 'messages' }), 'messages'],
    [
      ...(['vLLM', 400] as const),
      plain("This model's maximum context length is 4096 tokens. However, you requested 5000.", 'BadRequestError', 400),
    ],
    ['Mistral', 400, plain('Prompt contains 50000 tokens, too large for model with 32768 maximum context length')],
    ['Together', 422, openai('Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. reduce the length')],
    ['OpenRouter', 400, openai('x', { metadata: { raw: JSON.stringify(openai('prompt is too long: 210000 > 200000')) } })],
  ],
  model_not_found: [
    ['OpenAI', 404, openai('The model `gpt-9` does not exist or you do not have access to it.', { code: 'model_not_found' })],
    ['Azure', 404, { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } }],
    ['vLLM', 404, plain('The model `x` does not exist.', 'NotFoundError', 404)],
    ['Groq', 400, openai('The model `x` has been decommissioned.', { code: 'model_decommissioned' })],
    ['DeepSeek', 400, openai('Model Not Exist', { code: 'invalid_request_error' })],
    ['Ollama', 404, { error: 'model "x" not found, try pulling it first' }],
    ['OpenRouter', 404, { error: { code: 404, message: 'No endpoints found for x.' } }],
    ['a server', 404, undefined],
  ],
  unsupported_parameter: [
    [
      ...(['OpenAI', 400] as const),
      openai("Unsupported parameter: 'max_tokens' is not supported.", { code: 'unsupported_parameter', param: 'max_tokens' }),
      'max_tokens',
    ],
    ['Mistral', 422, plain({ detail: [{ type: 'extra_forbidden', loc: ['body', 'user'], msg: 'Extra inputs' }] }), 'user'],
    ['Gemini', 400, [{ error: { code: 400, message: 'Unknown name "x": Cannot find field.', status: 'INVALID_ARGUMENT' } }]],
  ],
  invalid_value: [
    [
      ...(['OpenAI', 400] as const),
      openai("Unsupported value: 'temperature' does not support 0.2.", { code: 'unsupported_value', param: 'temperature' }),
      'temperature',
    ],
  ],
  invalid_tool_schema: [
    [
      ...(['OpenAI', 400] as const),
      openai("Invalid schema for function 'f'.", { code: 'invalid_function_parameters', param: 'tools[0].function.parameters' }),
      'tools[0].function.parameters',
    ],
    ['OpenAI', 400, openai("Invalid schema for response_format 'x'.", { param: 'response_format' }), 'response_format'],
    ['Ollama', 400, { error: { message: 'registry.example/x does not support tools', type: 'api_error' } }],
  ],
  invalid_messages: [
    [
      ...(['OpenAI', 400] as const),
      openai("An assistant message with 'tool_calls' must be followed by tool messages.", { param: 'messages.[3].role' }),
      'messages[3].role',
    ],
    ['Mistral', 400, plain('Unexpected role', 'invalid_request_message_order', '3230')],
  ],
  image_invalid: [
    [
      ...(['OpenAI', 400] as const),
      openai('You uploaded an unsupported image. Please make sure your image is valid.', { code: 'invalid_image' }),
    ],
  ],
  content_filter: [
    ['Azure', 400, openai('x', { param: 'prompt', innererror: { code: 'ResponsibleAIPolicyViolation' } })],
    ['Azure', 400, openai('The response was filtered.', { type: null, param: 'prompt', code: 'content_filter' })],
  ],
  too_large: [
    ['Groq', 413, openai('Request too large for model', { code: 'request_too_large' })],
    ['a proxy', 413, '<html>413 Request Entity Too Large</html>'],
  ],
  invalid_output: [['Groq', 400, openai('Failed to call a function.', { code: 'tool_use_failed', failed_generation: 'x' })]],
  invalid_request: [
    ['DeepSeek', 422, openai('Failed to deserialize the JSON body')],
    ['a server', 400, undefined],
    ['a server', 422, '{"half'],
  ],
}

describe('refusals', () => {
  test.each(Object.entries(REFUSALS))('rejection: %s is the code of refusals of several providers', (code, refusals) => {
    for (const [provider, status, body, param] of refusals)
      expect(read(status, body), `${provider} ${status}`).toEqual({ kind: 'refused', code, param })
  })

  test('rejection: param has only words of the API', () => {
    for (const param of ['secret-of-the-provider', 'messages[0].content.her name', '../../etc', 'x'.repeat(300)]) {
      const rejection = read(400, openai('wrong', { param }))
      expect(['messages[0].content', undefined]).toContain((rejection as { param?: string }).param)
    }
  })

  test('rejection: reads a hostile body in bounded time', () => {
    const body = { error: { message: 'invalid '.repeat(8_000), code: 'model '.repeat(4_000) } }
    const ms = cpuMs(() => {
      for (let i = 0; i < 20; i++) read(400, body)
    })
    expect(ms).toBeLessThan(2_000)
  })
})

describe('failures that the client cannot resolve', () => {
  test.each([
    [401, openai('Incorrect API key provided'), 'key_rejected'],
    [403, undefined, 'key_rejected'],
    [
      400,
      [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
      'key_rejected',
    ],
    [402, openai('Insufficient Balance'), 'quota_exhausted'],
    [
      429,
      openai('You exceeded your current quota.', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      'quota_exhausted',
    ],
    [400, openai('Your credit balance is too low to access the API.'), 'quota_exhausted'],
    [429, openai('Rate limit reached'), 'rate_limited'],
    [500, openai('context_length_exceeded'), undefined],
    [302, undefined, undefined],
  ] as const)('rejection: %i %j is %s', (status, body, kind) => expect(read(status, body)?.kind).toBe(kind))

  test('rejection: a quoted request is not read as a rejected key', () =>
    expect(read(400, openai("Invalid value: 'insufficient_quota, invalid api key'", { code: 'invalid_value' }))).toMatchObject({
      kind: 'refused',
      code: 'invalid_value',
    }))
})

test('param: the index of a message counts the messages of the client only', () => {
  expect(toClientParam('messages[3].content', 2)).toBe('messages[1].content')
  expect(toClientParam('messages[1].content', 2)).toBe(undefined)
  expect(toClientParam('max_tokens', 2)).toBe('max_tokens')
})
