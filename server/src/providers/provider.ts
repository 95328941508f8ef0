import { CLASSIFICATIONS, type Classification } from '../domain/classification.ts'
import type { Problem } from '../lib/schema.ts'
import { findUrlProblem } from '../lib/url-guard.ts'

/** `openai`: any server that speaks the OpenAI chat API. `stub`: answers by itself (stub.ts). */
export const PROVIDER_KINDS = ['openai', 'stub'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** Who declared a provider; what came from the server's own configuration may be private (ADM-ENV-10). */
export const PROVIDER_SOURCES = ['api', 'environment', 'config'] as const
export type ProviderSource = (typeof PROVIDER_SOURCES)[number]

/** What an operator declares, without the key. */
export interface ProviderSettings {
  /** A slug, unique in the Workspace; shown as `owned_by` in the models list. */
  readonly id: string
  readonly kind: ProviderKind
  /** null for a stub. */
  readonly baseUrl: string | null
  /** Path of chat completions below baseUrl, with a query if the provider needs one (Azure's api-version). */
  readonly path: string
  /** Sent with every call. `{api_key}` in a value stands for the key, which then is not sent as a bearer token. */
  readonly headers: Readonly<Record<string, string>>
  /** Longest time of one attempt, from the first byte sent to the last received. */
  readonly timeoutMs: number
  /** Longest time without a byte: up to the headers, and between bytes of the body. null: the server's setting. */
  readonly idleTimeoutMs: number | null
  /** Further attempts at this provider after the first. */
  readonly maxRetries: number
  readonly maxConcurrency: number
  /** Share of the traffic among providers that are equally able; 0: only when no other is left. */
  readonly weight: number
  readonly region: string | null
  /** The most sensitive content it may see. */
  readonly maxClassification: Classification
  readonly enabled: boolean
}

export const PROVIDER_DEFAULTS = {
  path: '/chat/completions',
  headers: {},
  timeoutMs: 600_000,
  idleTimeoutMs: null,
  maxRetries: 2,
  maxConcurrency: 256,
  weight: 1,
  region: null,
  maxClassification: 'restricted',
  enabled: true,
} as const satisfies Partial<ProviderSettings>

/** Why a provider cannot be called although it is enabled: its address is not allowed, or its key is not to be had. */
export type ProviderProblem = 'url_not_allowed' | 'key_missing' | 'key_unreadable'

/** A provider ready to be called. Holds its key in the clear: never logged, never serialised. */
export interface Provider extends ProviderSettings {
  readonly workspaceId: string
  readonly source: ProviderSource
  readonly apiKey: string | null
  readonly models: readonly ProviderModel[]
  readonly problem?: ProviderProblem
}

export interface ProviderModel {
  /** The name callers use. */
  readonly id: string
  /** The name the provider knows; null: the same. */
  readonly upstreamName: string | null
  /** Per million tokens; null: unknown. */
  readonly inputPrice: number | null
  readonly outputPrice: number | null
  readonly createdAt: Date
}

/** What an operator may point at: `allowPrivateUrls` is GATEHOUSE_ALLOW_PRIVATE_URLS. */
export const isPrivateUrlAllowed = (source: ProviderSource, allowPrivateUrls: boolean): boolean =>
  source !== 'api' || allowPrivateUrls

const PROVIDER_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/
/** `*` is left out because Applications name models by patterns. */
export const MODEL_ID = /^[!-)+-~]{1,200}$/
const PATH = /^\/(?!\/)[!-"$-~]{0,500}$/
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[ -~]{0,4000}$/
const KEY = /^[!-~]{1,4000}$/
export const KEY_PLACEHOLDER = '{api_key}'

/** The adapter's own: a provider's settings cannot change how a message is framed. */
const RESERVED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Headers are stored as they are, keys are sealed: so these may only hold the placeholder. */
const KEY_HEADERS = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'])

const RANGES = {
  timeoutMs: [100, 600_000],
  idleTimeoutMs: [100, 600_000],
  maxRetries: [0, 5],
  maxConcurrency: [1, 10_000],
  weight: [0, 1_000],
} as const

const fieldName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface Credentials {
  readonly apiKey?: string | null
  readonly apiKeyEnv?: string | null
}

export type NewProvider = ProviderSettings & Credentials & { readonly source: ProviderSource }

/** Fields that are absent stay; `apiKey: null` removes the stored key. */
export type ProviderChange = Partial<Omit<ProviderSettings, 'id' | 'kind'>> & Credentials

export const originOf = (baseUrl: string | null): string => (baseUrl === null ? '' : (URL.parse(baseUrl)?.origin ?? ''))

/**
 * A provider after a change, to be checked by findProviderProblem before it is stored. Who points it elsewhere, or names the variable
 * of its key, becomes its source: an operator cannot borrow what only the server's configuration may do.
 */
export function applyProviderChange(
  before: ProviderSettings & { readonly source: ProviderSource; readonly apiKeyEnv?: string | null },
  change: ProviderChange,
  by: ProviderSource,
): NewProvider {
  const after = { ...before, ...(change.apiKey && { apiKeyEnv: null }), ...change }
  const taken = originOf(after.baseUrl) !== originOf(before.baseUrl) || Boolean(change.apiKeyEnv)
  return { ...after, source: taken ? by : before.source }
}

/** The first thing wrong with a declaration, by its name in the admin API; undefined when it is sound. */
export function findProviderProblem(provider: NewProvider, allowPrivateUrls: boolean): Problem | undefined {
  if (!PROVIDER_ID.test(provider.id)) return { param: 'id', message: 'must be lower-case letters, digits, - and _, at most 63' }
  const url = baseUrlProblem(provider, isPrivateUrlAllowed(provider.source, allowPrivateUrls))
  if (url !== undefined) return { param: 'base_url', message: url }
  if (!PATH.test(provider.path)) return { param: 'path', message: 'must start with one / and hold no spaces or fragment' }
  for (const [name, [min, max]] of Object.entries(RANGES) as [keyof typeof RANGES, readonly [number, number]][]) {
    const value = provider[name]
    const sound = value === null || (value >= min && value <= max && (name === 'weight' || Number.isInteger(value)))
    if (!sound) return { param: fieldName(name), message: `must be from ${min} to ${max}` }
  }
  if (!CLASSIFICATIONS.includes(provider.maxClassification)) {
    return { param: 'max_classification', message: `must be one of ${CLASSIFICATIONS.join(', ')}` }
  }
  return headersProblem(provider.headers) ?? credentialsProblem(provider)
}

function baseUrlProblem({ kind, baseUrl }: ProviderSettings, allowPrivate: boolean): string | undefined {
  if (kind === 'stub') return baseUrl === null ? undefined : 'must be absent: a stub calls nobody'
  return baseUrl === null ? 'is required' : findUrlProblem(baseUrl, allowPrivate)
}

function headersProblem(headers: Readonly<Record<string, string>>): Problem | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const param = `headers.${name}`
    const lower = name.toLowerCase()
    if (!HEADER_NAME.test(lower) || !HEADER_VALUE.test(value)) return { param, message: 'is not a valid header' }
    if (RESERVED_HEADERS.has(lower)) return { param, message: 'is set by the gateway' }
    if (KEY_HEADERS.has(lower) && !value.includes(KEY_PLACEHOLDER)) {
      return { param, message: `must hold ${KEY_PLACEHOLDER}; give the key itself as api_key, so that it is encrypted` }
    }
  }
  return undefined
}

function credentialsProblem({ apiKey, apiKeyEnv, source }: NewProvider): Problem | undefined {
  if (apiKey && apiKeyEnv) return { param: 'api_key', message: 'give either api_key or api_key_env' }
  if (apiKey && !KEY.test(apiKey)) return { param: 'api_key', message: 'must be printable ASCII without spaces' }
  // Else whoever holds an admin token could send any variable of the server, its secret key too, to an address of their own.
  if (apiKeyEnv && source === 'api') return { param: 'api_key_env', message: 'is for the configuration file; give api_key' }
  return undefined
}

/** What is wrong with a model's declaration, by its name in the admin API. */
export function findModelProblem(model: Omit<ProviderModel, 'createdAt'>): Problem | undefined {
  if (!MODEL_ID.test(model.id)) return { param: 'id', message: 'must be printable ASCII without spaces and *, at most 200' }
  if (model.upstreamName !== null && !/^\S.{0,199}$/.test(model.upstreamName)) {
    return { param: 'upstream_name', message: 'must be a name of at most 200 characters' }
  }
  for (const name of ['inputPrice', 'outputPrice'] as const) {
    const price = model[name]
    if (price !== null && !(price >= 0 && Number.isFinite(price))) return { param: fieldName(name), message: 'must be 0 or more' }
  }
  return undefined
}
