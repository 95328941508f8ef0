import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { type ProviderCode, readRejection, toClientParam } from './rejection.ts'

const read = (status: number, body: unknown) =>
  readRejection({
    ok: false,
    failure: 'status',
    status,
    ...(body === undefined ? {} : { body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }),
  })
const openai = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
})

/** Error responses of providers, in the forms of their public documentation. */
const REFUSALS: readonly (readonly [provider: string, status: number, body: unknown, code: ProviderCode, param?: string])[] = [
  [
    'OpenAI',
    400,
    openai("This model's maximum context length is 128000 tokens.", { code: 'context_length_exceeded', param: 'messages' }),
    'context_length_exceeded',
    'messages',
  ],
  [
    'OpenAI',
    404,
    openai('The model `gpt-9` does not exist or you do not have access to it.', { code: 'model_not_found' }),
    'model_not_found',
  ],
  [
    'OpenAI',
    400,
    openai("Unsupported parameter: 'max_tokens' is not supported with this model.", {
      code: 'unsupported_parameter',
      param: 'max_tokens',
    }),
    'unsupported_parameter',
    'max_tokens',
  ],
  [
    'OpenAI',
    400,
    openai("Unsupported value: 'temperature' does not support 0.2 with this model.", {
      code: 'unsupported_value',
      param: 'temperature',
    }),
    'invalid_value',
    'temperature',
  ],
  [
    'OpenAI',
    400,
    openai("Invalid schema for function 'f': schema must be a JSON Schema.", {
      code: 'invalid_function_parameters',
      param: 'tools[0].function.parameters',
    }),
    'invalid_tool_schema',
    'tools[0].function.parameters',
  ],
  [
    'OpenAI',
    400,
    openai("Invalid schema for response_format 'x'.", { param: 'response_format' }),
    'invalid_tool_schema',
    'response_format',
  ],
  [
    'OpenAI',
    400,
    openai("An assistant message with 'tool_calls' must be followed by tool messages.", { param: 'messages.[3].role' }),
    'invalid_messages',
    'messages[3].role',
  ],
  [
    'OpenAI',
    400,
    openai('You uploaded an unsupported image. Please make sure your image is valid.', { code: 'invalid_image_format' }),
    'image_invalid',
  ],
  [
    'Azure',
    400,
    {
      error: {
        message: 'The response was filtered.',
        type: null,
        param: 'prompt',
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
    'content_filter',
  ],
  [
    'Azure',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    'model_not_found',
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    'context_length_exceeded',
  ],
  [
    'vLLM',
    404,
    { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', param: null, code: 404 },
    'model_not_found',
  ],
  [
    'Mistral',
    422,
    {
      object: 'error',
      message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'logit_bias'], msg: 'Extra inputs are not permitted' }] },
      type: 'invalid_request_error',
    },
    'unsupported_parameter',
    'logit_bias',
  ],
  [
    'Mistral',
    400,
    { object: 'error', message: 'Unexpected role', type: 'invalid_request_message_order', param: null, code: '3230' },
    'invalid_messages',
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 50000 tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_invalid_args',
    },
    'context_length_exceeded',
  ],
  ['Groq', 413, openai('Request too large for model', { code: 'request_too_large' }), 'too_large'],
  ['Groq', 400, openai('Failed to call a function.', { code: 'tool_use_failed', failed_generation: 'x' }), 'invalid_output'],
  ['Groq', 400, openai('The model `x` has been decommissioned.', { code: 'model_decommissioned' }), 'model_not_found'],
  [
    'Together',
    422,
    {
      error: {
        message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. reduce the length',
        type: 'invalid_request_error',
      },
    },
    'context_length_exceeded',
  ],
  ['DeepSeek', 400, openai('Model Not Exist', { code: 'invalid_request_error' }), 'model_not_found'],
  ['DeepSeek', 422, openai('Failed to deserialize the JSON body'), 'invalid_request'],
  ['Ollama', 404, { error: 'model "x" not found, try pulling it first' }, 'model_not_found'],
  ['Ollama', 400, { error: { message: 'registry.example/x does not support tools', type: 'api_error' } }, 'invalid_tool_schema'],
  [
    'OpenRouter',
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: { raw: JSON.stringify(openai('prompt is too long: 210000 tokens > 200000 maximum')) },
      },
    },
    'context_length_exceeded',
  ],
  ['OpenRouter', 404, { error: { code: 404, message: 'No endpoints found for x.' } }, 'model_not_found'],
  [
    'Gemini',
    400,
    [{ error: { code: 400, message: 'Unknown name "x": Cannot find field.', status: 'INVALID_ARGUMENT' } }],
    'unsupported_parameter',
  ],
  ['a proxy', 413, '<html>413 Request Entity Too Large</html>', 'too_large'],
  ['a server', 400, undefined, 'invalid_request'],
  ['a server', 422, '{"half', 'invalid_request'],
  ['a server', 404, undefined, 'model_not_found'],
]

describe('refusals', () => {
  test.each(REFUSALS.map(([provider, status, body, code, param]) => [provider, status, body, code, param] as const))(
    'rejection: a refusal of %s with %i has a code of the closed list (%#)',
    (_, status, body, code, param) => expect(read(status, body)).toEqual({ kind: 'refused', code, param }),
  )

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
    [
      400,
      { error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' } },
      'quota_exhausted',
    ],
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
