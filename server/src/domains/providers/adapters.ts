import { AwsV4Signer } from 'aws4fetch'
import { bedrockUpstream } from '../../dialects/anthropic-messages/bedrock.ts'
import { anthropicUpstream } from '../../dialects/anthropic-messages/upstream.ts'
import { ChunkCollector } from '../../dialects/openai-chat/collect-chunks.ts'
import { chatBody } from '../../dialects/openai-chat/upstream-body.ts'
import { responsesUpstream } from '../../dialects/openai-responses/upstream.ts'
import { encodeTranslated } from '../../dialects/untranslatable.ts'
import type { EncodedRequest, UpstreamDialect, UpstreamRequest } from '../../dialects/upstream-dialect.ts'
import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { type Authorize, type AuthorizeDeps, bearerAuthorizer } from './access-tokens.ts'
import { type AwsKeys, parseAwsKeys, parseServiceAccount, parseServicePrincipal } from './credentials.ts'
import { DEPLOYMENT_PLACEHOLDER, type ModelApi, type ProviderKind, siblingPath } from './kinds.ts'
import { type PresetId, presetOf, renameParameters } from './presets.ts'
import type { ProviderSettings } from './provider.ts'
import { readCompletion } from './read-completion.ts'
import type { StreamFormat } from './response-reader.ts'

export interface ChatApi {
  readonly dialect: UpstreamDialect
  /** Below the base URL, with the placeholders of kinds.ts. */
  readonly path: string
  readonly streamFormat: StreamFormat
}

export interface UpstreamModel {
  readonly name: string
  readonly api: ModelApi
}

export interface ProviderAdapter {
  chatApi(provider: ProviderSettings, model: UpstreamModel): ChatApi
  readonly hasEmbeddings: boolean
  readonly headers: readonly string[]
  keyHeaders(apiKey: string): readonly string[]
  /** For a key that is never sent itself: signs each request, or exchanges the key for a token. undefined: `keyHeaders` are enough. */
  authorizer?(provider: ProviderSettings, apiKey: string, deps: AuthorizeDeps): Authorize | undefined
  /** Path of the first page of models; undefined: the provider has no list. `base`: path of the base URL. */
  modelsPath(base: string, provider: ProviderSettings): string | undefined
  modelsOrigin?(baseUrl: URL): string
  /** `next`: the query of the next page; absent: this is the last. */
  readModels(page: unknown): { readonly entries: readonly unknown[]; readonly next?: string | undefined } | undefined
}

/** Whether the response is streamed does not depend on the client. All other fields are sent as the client wrote them. */
function encode(request: UpstreamRequest, adapt: (body: Fields) => Fields = (body) => body): EncodedRequest {
  const { stream } = request
  const options = { stream, stream_options: stream ? { include_usage: true } : undefined }
  return encodeTranslated(request, 'openai-chat', () => adapt({ ...chatBody(request), ...options }))
}

/** The chat completions API: https://platform.openai.com/docs/api-reference/chat. */
export const openaiUpstream: UpstreamDialect = {
  encode: (request) => encode(request),
  collect: () => new ChunkCollector(),
  read: readCompletion,
}

/** The path of the Responses API replaces the end of the chat completions path. Azure has none below a deployment: its body names the model. */
const responsesPathOf = (chatPath: string): string =>
  chatPath.includes(DEPLOYMENT_PLACEHOLDER) ? '/openai/v1/responses' : siblingPath(chatPath, '/responses')

function dialectOf(preset: PresetId | null): UpstreamDialect {
  const { renamed = undefined } = preset === null ? {} : presetOf(preset)
  if (!renamed) return openaiUpstream
  return { ...openaiUpstream, encode: (request) => encode(request, (body) => renameParameters(body, renamed)) }
}

const openaiAdapter: ProviderAdapter = {
  chatApi: ({ path, preset }, { api }) => ({
    ...(api === 'responses' ? { dialect: responsesUpstream, path: responsesPathOf(path) } : { dialect: dialectOf(preset), path }),
    streamFormat: 'server-sent-events',
  }),
  hasEmbeddings: true,
  headers: [],
  keyHeaders: (apiKey) => ['authorization', `Bearer ${apiKey}`],
  modelsPath: (base, { preset }) => {
    const { modelsPath = '/models' } = preset === null ? {} : presetOf(preset)
    return modelsPath === null ? undefined : base + modelsPath
  },
  readModels: (page) => {
    // Together sends the list without an object around it.
    const entries = isObject(page) ? page.data : page
    return Array.isArray(entries) ? { entries } : undefined
  },
}

/** With Azure's key header, or with access tokens of a service principal. Azure lists its catalogue, not the deployments. */
const azureOpenaiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: (apiKey) => (parseServicePrincipal(apiKey) ? [] : ['api-key', apiKey]),
  authorizer: (_, apiKey, deps) => {
    const principal = parseServicePrincipal(apiKey)
    return principal && bearerAuthorizer(principal, deps)
  },
  modelsPath: () => undefined,
}

const INVOKE_PATH = `/model/${DEPLOYMENT_PLACEHOLDER}/invoke`
const INVOKE_STREAM_PATH = `${INVOKE_PATH}-with-response-stream`
/** `anthropic.claude-…`, `us.anthropic.claude-…`, and ARNs that name them. */
const ANTHROPIC_MODEL = /(?:^|[./])anthropic\./
const RUNTIME_HOST = /^bedrock-runtime(?=[-.].*\.amazonaws\.com(?:\.cn)?$)/

/** ARNs of application profiles do not name the vendor: a declared path that ends in /invoke says so for all models of the provider. */
const hasMessagesApi = ({ path }: ProviderSettings, model: string): boolean =>
  path.endsWith('/invoke') || ANTHROPIC_MODEL.test(model)

/** Models of Anthropic by InvokeModel, all others by the chat completions API. AWS keys sign every request; a Bedrock API key is sent. */
const bedrockAdapter: ProviderAdapter = {
  chatApi: (provider, { name }) =>
    hasMessagesApi(provider, name)
      ? {
          dialect: bedrockUpstream(provider.headers['anthropic-beta']),
          path: provider.stream ? INVOKE_STREAM_PATH : INVOKE_PATH,
          streamFormat: 'aws-event-stream',
        }
      : { dialect: openaiUpstream, path: provider.path, streamFormat: 'server-sent-events' },
  hasEmbeddings: false,
  headers: [],
  keyHeaders: (apiKey) => (parseAwsKeys(apiKey) ? [] : openaiAdapter.keyHeaders(apiKey)),
  authorizer: ({ region }, apiKey, { origin }) => {
    const keys = parseAwsKeys(apiKey)
    return keys && signer(keys, region ?? '', origin)
  },
  modelsPath: (base) => `${base}/foundation-models`,
  modelsOrigin: ({ protocol, host }) => `${protocol}//${host.replace(RUNTIME_HOST, 'bedrock')}`,
  readModels: (page) => {
    if (!isObject(page) || !Array.isArray(page.modelSummaries)) return undefined
    const texts = page.modelSummaries
      .filter(isObject)
      .filter(({ outputModalities: outputs }) => Array.isArray(outputs) && outputs.includes('TEXT'))
    return { entries: texts.map(({ modelId: id }) => ({ id })) }
  },
}

/** Signature Version 4, for each attempt: it covers the body and the time. */
const signer =
  (keys: AwsKeys, region: string, origin: string): Authorize =>
  async ({ method, path, headers, body, now }) => {
    const datetime = new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
    const pairs = headers.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
    const request = { method, url: origin + path, headers: pairs, body: body ?? '' }
    const signed = await new AwsV4Signer({ ...request, ...keys, region, service: 'bedrock', datetime }).sign()
    return { ok: true, headers: [...signed.headers].flat() }
  }

/** The API of Gemini in the form of OpenAI: https://ai.google.dev/gemini-api/docs/openai. Its list names models `models/…`. */
const geminiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  readModels: (page) => {
    const entries = openaiAdapter.readModels(page)?.entries.filter(isObject)
    return entries && { entries: entries.map(({ id }) => ({ id: textOf(id).replace(/^models\//, '') })) }
  },
}

/** The same API on Vertex AI, without a list of models: https://cloud.google.com/vertex-ai/generative-ai/docs/start/openai. */
const vertexAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: () => [],
  authorizer: (_, apiKey, deps) => bearerAuthorizer(parseServiceAccount(apiKey), deps),
  modelsPath: () => undefined,
}

/** The Messages API of Anthropic: https://platform.claude.com/docs/en/api/overview. */
const anthropicAdapter: ProviderAdapter = {
  chatApi: ({ path }) => ({ dialect: anthropicUpstream, path, streamFormat: 'server-sent-events' }),
  hasEmbeddings: false,
  headers: ['anthropic-version', '2023-06-01'],
  keyHeaders: (apiKey) => ['x-api-key', apiKey],
  modelsPath: (base, { path }) => `${base}${path.replace(/\/messages(?:[?].*)?$/, '')}/models?limit=1000`,
  readModels: (page) => {
    if (!isObject(page) || !Array.isArray(page.data)) return undefined
    const { data: entries, has_more: hasMore, last_id: lastId } = page
    const isLast = hasMore !== true || typeof lastId !== 'string'
    return { entries, next: isLast ? undefined : `&after_id=${encodeURIComponent(lastId)}` }
  },
}

const ADAPTERS: Readonly<Record<Exclude<ProviderKind, 'stub'>, ProviderAdapter>> = {
  openai: openaiAdapter,
  anthropic: anthropicAdapter,
  'azure-openai': azureOpenaiAdapter,
  bedrock: bedrockAdapter,
  gemini: geminiAdapter,
  vertex: vertexAdapter,
}

export const adapterOf = (kind: keyof typeof ADAPTERS): ProviderAdapter => ADAPTERS[kind]
