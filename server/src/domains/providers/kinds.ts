import { PRESETS, type PresetId } from './presets.ts'

/** `azure-openai`, `gemini`, `vertex`: the OpenAI chat API at Azure and Google. `anthropic`: the Messages API. `stub`: built-in (stub.ts). */
export const PROVIDER_KINDS = ['openai', 'anthropic', 'azure-openai', 'bedrock', 'gemini', 'vertex', 'stub'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** The API in which a provider gets requests for a model: chat completions (for Anthropic: Messages) or Responses. */
export const MODEL_APIS = ['chat', 'responses'] as const
export type ModelApi = (typeof MODEL_APIS)[number]

/** Where a provider was declared. Providers of `environment` and `config` may have private addresses (ADM-ENV-10). */
export const PROVIDER_SOURCES = ['api', 'environment', 'config'] as const
export type ProviderSource = (typeof PROVIDER_SOURCES)[number]

export const DEPLOYMENT_PLACEHOLDER = '{deployment}'
export const REGION_PLACEHOLDER = '{region}'
/** Stands in the path of a `vertex` provider for the project of its service account. */
export const PROJECT_PLACEHOLDER = '{project}'

const CHAT_PATH = '/chat/completions'

const KIND_DEFAULTS: Readonly<Record<ProviderKind, Readonly<{ baseUrl: string | null; path: string }>>> = {
  openai: { baseUrl: null, path: CHAT_PATH },
  anthropic: { baseUrl: 'https://api.anthropic.com', path: '/v1/messages' },
  'azure-openai': { baseUrl: null, path: `/openai/deployments/${DEPLOYMENT_PLACEHOLDER}${CHAT_PATH}?api-version=2024-10-21` },
  bedrock: { baseUrl: `https://bedrock-runtime.${REGION_PLACEHOLDER}.amazonaws.com`, path: `/openai/v1${CHAT_PATH}` },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', path: CHAT_PATH },
  vertex: {
    baseUrl: `https://${REGION_PLACEHOLDER}-aiplatform.googleapis.com`,
    path: `/v1/projects/${PROJECT_PLACEHOLDER}/locations/${REGION_PLACEHOLDER}/endpoints/openapi${CHAT_PATH}`,
  },
  stub: { baseUrl: null, path: CHAT_PATH },
}

/** Base URL and path of a declaration that names neither. */
export const endpointDefaults = (kind: ProviderKind, preset: PresetId | null): (typeof KIND_DEFAULTS)[ProviderKind] =>
  preset === null ? KIND_DEFAULTS[kind] : { ...KIND_DEFAULTS[kind], baseUrl: PRESETS[preset].baseUrl }

/** The paths of the other APIs replace the end of the chat completions path, with the same query. A path of another form is replaced. */
export function siblingPath(chatPath: string, name: string): string {
  const [path = '', ...query] = chatPath.split('?')
  const folder = path.endsWith(CHAT_PATH) ? path.slice(0, -CHAT_PATH.length) : ''
  return [`${folder}${name}`, ...query].join('?')
}
