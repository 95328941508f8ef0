import { ConfigError, type Environment } from './environment.ts'

/** A provider that the environment adds to the demo Workspace. Its URL may be private, because it is configured. */
export interface EnvironmentProvider {
  readonly id: string
  readonly kind: 'openai' | 'anthropic'
  readonly baseUrl: string
  /** Name of the variable that holds the key; the key itself stays in the environment. */
  readonly apiKeyEnv: string | null
  /** Null: the provider is asked for its models. */
  readonly models: readonly string[] | null
}

/** Vendors with the prefix of the variables that their own tools use. Without a kind, their API is that of OpenAI. */
const VENDORS = [
  { id: 'openai', prefix: 'OPENAI', baseUrl: 'https://api.openai.com/v1' },
  { id: 'anthropic', prefix: 'ANTHROPIC', baseUrl: 'https://api.anthropic.com', kind: 'anthropic' },
  { id: 'mistral', prefix: 'MISTRAL', baseUrl: 'https://api.mistral.ai/v1' },
  { id: 'groq', prefix: 'GROQ', baseUrl: 'https://api.groq.com/openai/v1' },
  { id: 'openrouter', prefix: 'OPENROUTER', baseUrl: 'https://openrouter.ai/api/v1' },
  { id: 'together', prefix: 'TOGETHER', baseUrl: 'https://api.together.xyz/v1' },
  { id: 'deepseek', prefix: 'DEEPSEEK', baseUrl: 'https://api.deepseek.com/v1' },
] as const satisfies readonly { id: string; prefix: string; baseUrl: string; kind?: EnvironmentProvider['kind'] }[]

/** Every id that a provider from the environment can have. */
export const ENVIRONMENT_PROVIDER_IDS: readonly string[] = [...VENDORS.map(({ id }) => id), 'ollama']

/** Variables that hold the keys of these providers. */
export const PROVIDER_KEY_NAMES: readonly string[] = VENDORS.map(({ prefix }) => `${prefix}_API_KEY`)

const parseList = (text: string | undefined): readonly string[] | null => {
  const names = (text ?? '').split(',').flatMap((name) => name.trim() || [])
  return names.length ? names : null
}

export function readEnvironmentProviders(env: Environment): EnvironmentProvider[] {
  const keyed = VENDORS.filter(({ prefix }) => env[`${prefix}_API_KEY`]).map(({ id, prefix, baseUrl, ...vendor }) => ({
    id,
    kind: 'kind' in vendor ? vendor.kind : ('openai' as const),
    baseUrl: (env[`${prefix}_BASE_URL`] || baseUrl).replace(/\/+$/, ''),
    apiKeyEnv: `${prefix}_API_KEY`,
    models: parseList(env[`${prefix}_MODELS`]),
  }))
  return env.OLLAMA_HOST ? [...keyed, ollamaProvider(env.OLLAMA_HOST, parseList(env.OLLAMA_MODELS))] : keyed
}

/** OLLAMA_HOST as Ollama itself reads it: `host`, `host:port` or a URL; its OpenAI-compatible API is under /v1. */
function ollamaProvider(host: string, models: readonly string[] | null): EnvironmentProvider {
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (!url) throw new ConfigError('OLLAMA_HOST must be a host, host:port or a URL')
  if (!url.port && url.protocol === 'http:') url.port = '11434'
  return { id: 'ollama', kind: 'openai', baseUrl: `${url.origin}/v1`, apiKeyEnv: null, models }
}
