import { chatBody } from '../dialects/openai-chat/upstream-body.ts'
import { carriedField, type EncodedRequest, type UpstreamRequest } from '../dialects/upstream-dialect.ts'
import type { ProviderAdapter } from './adapter.ts'
import { readCompletion } from './read-completion.ts'

/** Requests no stream, because the gateway validates complete responses. All other fields are sent as the client wrote them. */
function encode(request: UpstreamRequest): EncodedRequest {
  const param = carriedField(request, 'openai-chat')
  if (param !== undefined) return { ok: false, unsupported: { code: 'unsupported_parameter', param } }
  return { ok: true, body: JSON.stringify({ ...chatBody(request), stream: false }) }
}

/** The chat completions API of OpenAI and of compatible servers. */
export const openaiAdapter: ProviderAdapter = {
  dialect: { encode, read: readCompletion },
  headers: [],
  keyHeaders: (apiKey) => ['authorization', `Bearer ${apiKey}`],
  modelsPath: (base) => `${base}/models`,
  nextModels: () => undefined,
}

/** The same API with Azure's key header. Its path names the deployment (provider.ts, DEPLOYMENT_PLACEHOLDER). */
export const azureOpenaiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: (apiKey) => ['api-key', apiKey],
}
