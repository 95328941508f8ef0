import { ChunkCollector } from '../../dialects/openai-chat/collect-chunks.ts'
import { chatBody } from '../../dialects/openai-chat/upstream-body.ts'
import { responsesUpstream } from '../../dialects/openai-responses/upstream.ts'
import { encodeTranslated } from '../../dialects/untranslatable.ts'
import type { EncodedRequest, UpstreamDialect, UpstreamRequest } from '../../dialects/upstream-dialect.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { bearerAuthorizer } from './access-tokens.ts'
import type { ProviderAdapter } from './adapter.ts'
import { parseServicePrincipal } from './credentials.ts'
import { DEPLOYMENT_PLACEHOLDER, siblingPath } from './kinds.ts'
import { type PresetId, presetOf, renameParameters } from './presets.ts'
import { readCompletion } from './read-completion.ts'

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

/** The same API with the parameter names of a preset's server. */
function dialectOf(preset: PresetId | null): UpstreamDialect {
  const { renamed = undefined } = preset === null ? {} : presetOf(preset)
  if (!renamed) return openaiUpstream
  return { ...openaiUpstream, encode: (request) => encode(request, (body) => renameParameters(body, renamed)) }
}

/** The chat completions API of OpenAI and of compatible servers. */
export const openaiAdapter: ProviderAdapter = {
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

/**
 * The same API with Azure's key header, or with access tokens of a service principal. Its path names the deployment (kinds.ts). Azure lists
 * its catalogue, not the deployments.
 */
export const azureOpenaiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: (apiKey) => (parseServicePrincipal(apiKey) ? [] : ['api-key', apiKey]),
  authorizer: (_, apiKey, deps) => {
    const principal = parseServicePrincipal(apiKey)
    return principal && bearerAuthorizer(principal, deps)
  },
  modelsPath: () => undefined,
}
