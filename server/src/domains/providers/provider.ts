import type { Entity } from '../../platform/db/from-row.ts'
import { camelCase } from '../../platform/lib/camel-case.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { CLASSIFICATIONS } from '../../shared/classification.ts'
import { findApiKeyProblem } from './credentials.ts'
import { endpointDefaults, type ModelApi, type ProviderKind, type ProviderSource, REGION_PLACEHOLDER } from './kinds.ts'
import { isPresetId, PRESET_IDS, type PresetId } from './presets.ts'
import { findPriceProblem, type Prices } from './prices.ts'

const KINDS_WITH_RESPONSES: ReadonlySet<ProviderKind> = new Set(['openai', 'azure-openai'])

export const SETTING_COLUMNS = [
  ...([
    'id',
    'kind',
    'preset',
    'base_url',
    'path',
    'headers',
    'allow_private_addresses',
    'timeout_ms',
    'idle_timeout_ms',
    'stream',
  ] as const),
  ...(['max_retries', 'max_concurrency', 'weight', 'region', 'max_classification', 'enabled'] as const),
] as const
export type ProviderSettings = Entity<'provider', (typeof SETTING_COLUMNS)[number]>

export const providerDefaults = (kind: ProviderKind, preset: PresetId | null = null) => ({
  ...PROVIDER_DEFAULTS,
  ...endpointDefaults(kind, preset),
  kind,
  preset,
})

export const resolvedBaseUrl = ({ baseUrl, region }: Pick<ProviderSettings, 'baseUrl' | 'region'>): string =>
  (baseUrl ?? '').replaceAll(REGION_PLACEHOLDER, region ?? '')

const PROVIDER_DEFAULTS = {
  headers: {},
  allowPrivateAddresses: false,
  timeoutMs: 3_600_000,
  idleTimeoutMs: null,
  stream: true,
  maxRetries: 2,
  maxConcurrency: 256,
  weight: 1,
  region: null,
  maxClassification: 'restricted',
  enabled: true,
} as const satisfies Partial<ProviderSettings>

/** Why an enabled provider cannot be used: its address is not allowed, or its key is missing, cannot be decrypted or has the wrong form. */
export type ProviderProblem = 'url_not_allowed' | 'key_missing' | 'key_unreadable' | 'key_invalid'

/** A provider as the pipeline uses it. It holds the key in plain text: never log or serialise it. */
export interface Provider extends ProviderSettings {
  readonly workspaceId: string
  readonly source: ProviderSource
  readonly apiKey: string | null
  readonly models: readonly ProviderModel[]
  readonly problem?: ProviderProblem
  /** Operators were told that it fails, and no request has succeeded since. */
  readonly failingSince?: Date | null
}

export interface ProviderModel extends Prices {
  readonly id: string
  readonly upstreamName: string | null
  /** Absent: chat. */
  readonly api?: ModelApi
  /** Absent: 0, the first. */
  readonly fallbackOrder?: number
  readonly createdAt: Date
}

export const upstreamNameOf = ({ upstreamName, id }: Pick<ProviderModel, 'upstreamName' | 'id'>): string => upstreamName ?? id

export const isPrivateUrlAllowed = (
  { source, allowPrivateAddresses }: Pick<Provider, 'source' | 'allowPrivateAddresses'>,
  allowPrivateUrls: boolean,
): boolean => source !== 'api' || allowPrivateAddresses || allowPrivateUrls

const DECIDING: readonly (keyof ProviderChange)[] = ['baseUrl', 'region', 'path', 'headers', 'apiKey', 'allowPrivateAddresses']

/** Whether the change may send requests to private addresses that they were not sent to, so that only an owner of all Workspaces may make it. */
export const opensPrivateAddresses = (
  { allowPrivateAddresses }: Pick<ProviderSettings, 'allowPrivateAddresses'>,
  change: ProviderChange,
): boolean => allowPrivateAddresses && DECIDING.some((field) => change[field] !== undefined)

const PROVIDER_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/
/** Without `*`, because Applications name models by patterns. */
export const MODEL_ID = /^[!-)+-~]{1,200}$/
const PATH = /^\/(?!\/)[!-"$-~]{0,500}$/
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const HEADER_VALUE = /^[ -~]{0,4000}$/
const CLOUD_REGION = /^[a-z0-9-]{1,40}$/
export const KEY_PLACEHOLDER = '{api_key}'

/** Set by the gateway. Settings must not change the framing of requests. */
const RESERVED_HEADERS = new Set(
  `accept accept-encoding connection content-encoding content-length content-type cookie expect host keep-alive proxy-authorization te
  trailer transfer-encoding upgrade`.split(/\s+/),
)
/** Headers are stored unencrypted, so these must hold the placeholder instead of the key. */
const KEY_HEADERS = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'])
const SIGNING_KINDS: ReadonlySet<ProviderKind> = new Set(['bedrock', 'vertex'])

const RANGES = [
  ['timeout_ms', 100, 3_600_000],
  ['idle_timeout_ms', 100, 600_000],
  ['max_retries', 0, 5],
  ['max_concurrency', 1, 10_000],
  ['weight', 0, 1_000],
] as const

interface Credentials {
  readonly apiKey?: string | null
  readonly apiKeyEnv?: string | null
}

export type NewProvider = ProviderSettings & Credentials & { readonly source: ProviderSource }

/** Missing fields stay unchanged; `apiKey: null` removes the stored key. */
export type ProviderChange = Partial<Omit<ProviderSettings, 'id' | 'kind'>> & Credentials

export const originOf = (baseUrl: string | null): string => (baseUrl === null ? '' : (URL.parse(baseUrl)?.origin ?? ''))

/** A change of the origin or of the key's variable changes the source to `by`: operators get no privileges of the configuration. */
export function applyProviderChange(
  before: ProviderSettings & { readonly source: ProviderSource; readonly apiKeyEnv?: string | null },
  change: ProviderChange,
  by: ProviderSource,
): NewProvider {
  const after = { ...before, ...(change.apiKey && { apiKeyEnv: null }), ...change }
  const changesSource = originOf(after.baseUrl) !== originOf(before.baseUrl) || Boolean(change.apiKeyEnv)
  return { ...after, source: changesSource ? by : before.source }
}

export function findProviderProblem(provider: NewProvider, allowPrivateUrls: boolean): Problem | undefined {
  if (!PROVIDER_ID.test(provider.id)) return { param: 'id', message: 'must be lowercase letters, digits, - and _ (at most 63)' }
  if (provider.preset !== null && (provider.kind !== 'openai' || !isPresetId(provider.preset)))
    return { param: 'preset', message: `is for the kind openai and must be one of ${PRESET_IDS.join(', ')}` }
  const url = findBaseUrlProblem(provider, isPrivateUrlAllowed(provider, allowPrivateUrls))
  if (url !== undefined) return { param: 'base_url', message: url }
  if (needsRegion(provider) && !CLOUD_REGION.test(provider.region ?? ''))
    return { param: 'region', message: 'must be the name of a region of the cloud, for example eu-central-1' }
  if (!PATH.test(provider.path))
    return { param: 'path', message: 'must start with one / and must not contain spaces or a fragment' }
  for (const [param, min, max] of RANGES) {
    const value = provider[camelCase(param)]
    const isValid = value === null || (value >= min && value <= max && (param === 'weight' || Number.isInteger(value)))
    if (!isValid) return { param, message: `must be from ${min} to ${max}` }
  }
  if (!CLASSIFICATIONS.includes(provider.maxClassification)) {
    return { param: 'max_classification', message: `must be one of ${CLASSIFICATIONS.join(', ')}` }
  }
  return findHeadersProblem(provider) ?? findCredentialsProblem(provider, allowPrivateUrls)
}

/** Signatures of AWS name the region. */
const needsRegion = ({ kind, baseUrl, path }: ProviderSettings): boolean =>
  kind === 'bedrock' || `${baseUrl}${path}`.includes(REGION_PLACEHOLDER)

function findBaseUrlProblem(provider: ProviderSettings, allowPrivate: boolean): string | undefined {
  const { kind, baseUrl, path } = provider
  if (kind === 'stub') return baseUrl === null ? undefined : 'must be absent, because a stub sends no requests'
  // The base URL of other kinds ends in /v1, so this mistake is likely.
  if (kind === 'anthropic' && /\/v1\/*$/.test(baseUrl ?? '') && path.startsWith('/v1/'))
    return 'must not end in /v1, which the path adds'
  const region = provider.region ?? 'region'
  if (baseUrl === null) return 'is required'
  const url = resolvedBaseUrl({ baseUrl, region })
  const problem = findUrlProblem(url, allowPrivate)
  return problem !== undefined && findUrlProblem(url, true) === undefined ? PRIVATE_ADDRESS : problem
}

const PRIVATE_ADDRESS =
  'must not be a private address. An owner of all Workspaces can turn on “Allow private addresses” for this provider. To allow them for all providers, set GATEHOUSE_ALLOW_PRIVATE_URLS=1 on the server'

function findHeadersProblem({ kind, headers }: ProviderSettings): Problem | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const param = `headers.${name}`
    const lower = name.toLowerCase()
    if (!HEADER_NAME.test(lower) || !HEADER_VALUE.test(value)) return { param, message: 'is not a valid header' }
    if (RESERVED_HEADERS.has(lower)) return { param, message: 'is set by the gateway' }
    if (SIGNING_KINDS.has(kind) && (KEY_HEADERS.has(lower) || value.includes(KEY_PLACEHOLDER)))
      return { param, message: 'must not send the key, because the gateway authorizes the requests to this kind of provider' }
    if (KEY_HEADERS.has(lower) && !value.includes(KEY_PLACEHOLDER)) {
      return { param, message: `must contain ${KEY_PLACEHOLDER}; set the key as api_key, which is stored encrypted` }
    }
  }
  return undefined
}

function findCredentialsProblem(provider: NewProvider, allowPrivateUrls: boolean) {
  const { kind, apiKey, apiKeyEnv, source } = provider
  if (apiKey && apiKeyEnv) return { param: 'api_key', message: 'must not be set together with api_key_env' }
  const problem = apiKey && findApiKeyProblem(kind, apiKey, isPrivateUrlAllowed(provider, allowPrivateUrls))
  if (problem) return problem
  // Otherwise an admin token would be enough to send any variable of the server, its secret key included, to any address.
  if (apiKeyEnv && source === 'api')
    return { param: 'api_key_env', message: 'can only be set in the configuration file; set api_key instead' }
  return undefined
}

const MAX_FALLBACK_ORDER = 100

export function findModelProblem(model: Omit<ProviderModel, 'createdAt'>, kind: ProviderKind): Problem | undefined {
  if (!MODEL_ID.test(model.id)) return { param: 'id', message: 'must be printable ASCII without spaces and *, at most 200' }
  if (model.upstreamName !== null && !/^\S.{0,199}$/.test(model.upstreamName)) {
    return { param: 'upstream_name', message: 'must be a name of at most 200 characters' }
  }
  if (model.api === 'responses' && !KINDS_WITH_RESPONSES.has(kind)) {
    return { param: 'api', message: `must be chat, because providers of the kind ${kind} have no Responses API` }
  }
  const { fallbackOrder = 0 } = model
  if (!Number.isInteger(fallbackOrder) || fallbackOrder < 0 || fallbackOrder > MAX_FALLBACK_ORDER)
    return { param: 'fallback_order', message: `must be from 0 to ${MAX_FALLBACK_ORDER}` }
  return findPriceProblem(model)
}
