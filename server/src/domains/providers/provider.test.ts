import { describe, expect, test } from 'vitest'
import { declaredProvider as declared } from '../../../test/support/providers.ts'
import type { ProviderKind } from './kinds.ts'
import { NO_PRICES } from './prices.ts'
import { applyProviderChange, findModelProblem, findProviderProblem, type NewProvider, providerDefaults } from './provider.ts'

describe('declaration', () => {
  test.each<[string, Partial<NewProvider>]>([
    ['with defaults', {}],
    ['for Anthropic', { kind: 'anthropic', baseUrl: 'https://api.anthropic.com', path: '/v1/messages' }],
    ['for Azure', { ...providerDefaults('azure-openai'), baseUrl: 'https://acme.openai.azure.com' }],
    ['for a stub', { kind: 'stub', baseUrl: null }],
    ['with the key in its own header', { apiKey: 'k', headers: { 'Api-Key': '{api_key}', authorization: 'Token {api_key}' } }],
    ['with a private address in the configuration', { source: 'config', baseUrl: 'http://ollama.localhost:11434/v1' }],
    ['with a variable in the configuration', { source: 'config', apiKeyEnv: 'OPENAI_API_KEY' }],
    ['with a query in its path', { path: '/chat/completions?api-version=2024-10-21' }],
    ['with a fractional weight', { weight: 0.5 }],
  ])('provider: a declaration %s is valid', (_, change) => expect(findProviderProblem(declared(change), false)).toBeUndefined())

  test.each(
    Object.entries<Partial<NewProvider>[]>({
      id: [{ id: 'Open AI' }, { id: '' }],
      base_url: [
        { baseUrl: null },
        { baseUrl: 'http://10.0.0.1/v1' },
        { baseUrl: 'http://169.254.169.254/', source: 'config' },
        { kind: 'stub' },
        { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1/', path: '/v1/messages' },
        { baseUrl: 'https://{region}.example.com', region: 'a@b' },
      ],
      path: [
        { path: 'chat' },
        { path: '//attacker.example.net/chat' },
        { path: '/chat completions' },
        { path: '/chat\r\nhost: x' },
        { path: '/chat#x' },
      ],
      timeout_ms: [{ timeoutMs: 0 }, { timeoutMs: 1.5e3 + 0.5 }],
      max_retries: [{ maxRetries: 6 }],
      max_concurrency: [{ maxConcurrency: 0 }],
      weight: [{ weight: Number.NaN }, { weight: -1 }],
      max_classification: [{ maxClassification: 'secret' as 'public' }],
      'headers.host': [{ headers: { host: 'x' } }],
      'headers.Content-Length': [{ headers: { 'Content-Length': '1' } }],
      'headers.x': [{ headers: { x: 'a\r\nb: c' } }],
      'headers.x y': [{ headers: { 'x y': 'a' } }],
      'headers.api-key': [{ headers: { 'api-key': 'in-the-clear' } }],
      'headers.Authorization': [{ headers: { Authorization: 'Bearer in-the-clear' } }],
      'headers.x-key': [{ ...providerDefaults('vertex'), region: 'europe-west1', headers: { 'x-key': '{api_key}' } }],
      'headers.authorization': [
        { ...providerDefaults('bedrock'), region: 'eu-central-1', headers: { authorization: '{api_key}' } },
      ],
      region: [{ baseUrl: 'https://{region}.example.com', region: 'attacker.example.net/' }],
      api_key: [{ apiKey: 'two words' }, { apiKey: 'line\n' }, { apiKey: 'a', apiKeyEnv: 'B', source: 'config' }],
      api_key_env: [{ apiKeyEnv: 'GATEHOUSE_SECRET_KEY' }],
    }),
  )('provider: a declaration is refused for its %s', (param, changes) => {
    for (const change of changes) expect(findProviderProblem(declared(change), false)?.param, JSON.stringify(change)).toBe(param)
  })
})

describe('change by an operator', () => {
  const configured = declared({ source: 'config', apiKeyEnv: 'VENDOR_KEY' })
  const findParam = (change: Parameters<typeof applyProviderChange>[1]) =>
    findProviderProblem(applyProviderChange(configured, change, 'api'), false)?.param

  test.each([
    ['can change settings of a configured provider', { timeoutMs: 2_000, enabled: false, path: '/v2/chat' }, undefined],
    ['cannot set another private address', { baseUrl: 'http://127.0.0.1:5432/' }, 'base_url'],
    ['cannot send the configured key to another origin', { baseUrl: 'https://attacker.example.net/' }, 'api_key_env'],
    ['cannot set the variable of the key', { apiKeyEnv: 'GATEHOUSE_SECRET_KEY' }, 'api_key_env'],
    ['can change the origin together with the key', { baseUrl: 'https://api.example.com/', apiKey: 'k' }, undefined],
  ])('provider: an operator %s', (_, change, param) => expect(findParam(change)).toBe(param))
})

test.each([
  ['id', { id: 'a*' }],
  ['id', { id: 'a b' }],
  ['upstream_name', { upstreamName: '' }],
  ['api', { api: 'responses' as const }, 'anthropic' as const],
  [undefined, { api: 'responses' as const }, 'azure-openai' as const],
  ['input_price', { inputPrice: -1 }],
  ['output_price', { outputPrice: Number.POSITIVE_INFINITY }],
  [undefined, { id: 'meta-llama/Llama-3.1:free', inputPrice: 0 }],
] as const)('model: a declaration is refused for its %s: %j', (param, change, kind: ProviderKind = 'openai') =>
  expect(findModelProblem({ id: 'm', upstreamName: null, ...NO_PRICES, ...change }, kind)?.param).toBe(param),
)
