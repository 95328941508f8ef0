import type { InitOf } from '../../api/operations.ts'
import { type HeaderRow, headersOf, rowsOf } from './header-rows.ts'
import type { Provider } from './provider.ts'

type Created = NonNullable<InitOf<'post', '/admin/v1/providers'>['body']>
type Patch = NonNullable<InitOf<'patch', '/admin/v1/providers/{id}'>['body']>
type PresetId = NonNullable<Provider['preset']>

/** Form values. The API never returns the key. */
export interface Values {
  id: string
  kind: Provider['kind']
  /** Empty: none. */
  preset: PresetId | ''
  base_url: string
  allow_private_addresses: boolean
  api_key: string
  path: string
  headers: HeaderRow[]
  region: string
  weight: number
  timeout_ms: number
  /** Empty: the server's setting. */
  idle_timeout_ms: number | ''
  stream: boolean
  max_retries: number
  max_concurrency: number
  max_classification: Provider['max_classification']
  enabled: boolean
}

/** Without a provider: the defaults of the server. */
export const valuesOf = (provider?: Provider): Values => ({
  id: provider?.id ?? '',
  kind: provider?.kind ?? 'openai',
  preset: provider?.preset ?? '',
  base_url: provider?.base_url ?? '',
  allow_private_addresses: provider?.allow_private_addresses ?? false,
  api_key: '',
  path: provider?.path ?? '/chat/completions',
  headers: rowsOf(provider?.headers ?? {}),
  region: provider?.region ?? '',
  weight: provider?.weight ?? 1,
  timeout_ms: provider?.timeout_ms ?? 3_600_000,
  idle_timeout_ms: provider?.idle_timeout_ms ?? '',
  stream: provider?.stream ?? true,
  max_retries: provider?.max_retries ?? 2,
  max_concurrency: provider?.max_concurrency ?? 256,
  max_classification: provider?.max_classification ?? 'restricted',
  enabled: provider?.enabled ?? true,
})

type KindValues = Pick<Values, 'base_url' | 'path' | 'max_classification'>

/** Services outside of the company get no confidential content until an operator decides so. */
const CLOUD = { max_classification: 'internal' } as const
const OWN = { max_classification: 'restricted' } as const

const KIND_VALUES: Readonly<Record<Values['kind'], KindValues>> = {
  openai: { ...OWN, base_url: '', path: '/chat/completions' },
  anthropic: { ...CLOUD, base_url: 'https://api.anthropic.com', path: '/v1/messages' },
  'azure-openai': { ...CLOUD, base_url: '', path: '/openai/deployments/{deployment}/chat/completions?api-version=2024-10-21' },
  bedrock: { ...CLOUD, base_url: 'https://bedrock-runtime.{region}.amazonaws.com', path: '/openai/v1/chat/completions' },
  gemini: { ...CLOUD, base_url: 'https://generativelanguage.googleapis.com/v1beta/openai', path: '/chat/completions' },
  vertex: {
    ...CLOUD,
    base_url: 'https://{region}-aiplatform.googleapis.com',
    path: '/v1/projects/{project}/locations/{region}/endpoints/openapi/chat/completions',
  },
  stub: { ...OWN, base_url: '', path: '/chat/completions' },
}

/** The values that a new provider of this kind starts with. */
export const valuesOfKind = (kind: Values['kind']): KindValues & Pick<Values, 'kind' | 'preset' | 'allow_private_addresses'> => ({
  kind,
  preset: '',
  allow_private_addresses: false,
  ...KIND_VALUES[kind],
})

/** Request body. An empty key is not sent, so that the stored key is kept. */
export function patchBody({
  id: _,
  kind,
  preset,
  base_url,
  allow_private_addresses,
  api_key,
  path,
  headers,
  region,
  idle_timeout_ms,
  ...rest
}: Values): Patch {
  return {
    ...rest,
    ...(kind === 'openai' && { preset: preset || null }),
    region: region.trim() || null,
    idle_timeout_ms: idle_timeout_ms === '' ? null : idle_timeout_ms,
    ...(kind !== 'stub' && {
      base_url: base_url.trim(),
      path: path.trim(),
      headers: headersOf(headers),
      allow_private_addresses,
      ...(api_key && { api_key }),
    }),
  }
}

export const createBody = (values: Values): Created => ({ ...patchBody(values), id: values.id.trim(), kind: values.kind })
