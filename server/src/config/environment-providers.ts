import { ConfigError, type Environment } from './environment.ts'

/** A provider that the environment adds to the demo Workspace. Its URL counts as configured: it may be private. */
export interface EnvironmentProvider {
  readonly id: string
  readonly baseUrl: string
  /** Name of the variable that holds the key; the key itself stays in the environment. */
  readonly apiKeyEnv: string | null
  /** null: ask the provider. */
  readonly models: readonly string[] | null
}

/** Vendors that speak the OpenAI API, by the variables their own tools use. */
const VENDORS = [
  { id: 'openai', prefix: 'OPENAI', baseUrl: 'https://api.openai.com/v1' },
  { id: 'mistral', prefix: 'MISTRAL', baseUrl: 'https://api.mistral.ai/v1' },
  { id: 'groq', prefix: 'GROQ', baseUrl: 'https://api.groq.com/openai/v1' },
  { id: 'openrouter', prefix: 'OPENROUTER', baseUrl: 'https://openrouter.ai/api/v1' },
  { id: 'together', prefix: 'TOGETHER', baseUrl: 'https://api.together.xyz/v1' },
  { id: 'deepseek', prefix: 'DEEPSEEK', baseUrl: 'https://api.deepseek.com/v1' },
] as const

/** Every id that a provider from the environment can have. */
export const ENVIRONMENT_PROVIDER_IDS: readonly string[] = [...VENDORS.map(({ id }) => id), 'ollama']

const list = (text: string | undefined): readonly string[] | null => {
  const names = (text ?? '').split(',').flatMap((name) => name.trim() || [])
  return names.length ? names : null
}

export function environmentProviders(env: Environment): EnvironmentProvider[] {
  const keyed = VENDORS.filter(({ prefix }) => env[`${prefix}_API_KEY`]).map(({ id, prefix, baseUrl }) => ({
    id,
    baseUrl: (env[`${prefix}_BASE_URL`] || baseUrl).replace(/\/+$/, ''),
    apiKeyEnv: `${prefix}_API_KEY`,
    models: list(env[`${prefix}_MODELS`]),
  }))
  return env.OLLAMA_HOST ? [...keyed, ollama(env.OLLAMA_HOST, list(env.OLLAMA_MODELS))] : keyed
}

/** OLLAMA_HOST as Ollama itself reads it: `host`, `host:port` or a URL; its OpenAI door is below /v1. */
function ollama(host: string, models: readonly string[] | null): EnvironmentProvider {
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (!url) throw new ConfigError('OLLAMA_HOST must be a host, host:port or a URL')
  if (!url.port && url.protocol === 'http:') url.port = '11434'
  return { id: 'ollama', baseUrl: `${url.origin}/v1`, apiKeyEnv: null, models }
}
