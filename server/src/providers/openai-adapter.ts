import { ChunkCollector } from '../dialects/openai-chat/collect-chunks.ts'
import type { UpstreamRequest } from '../dialects/upstream-dialect.ts'
import type { ProviderAdapter } from './adapter.ts'
import { readCompletion } from './read-completion.ts'

/** Whether the response is streamed does not depend on the client. All other fields are sent as the client wrote them. */
const encode = ({ model, messages, parameters, stream }: UpstreamRequest) => {
  const options = { stream, stream_options: stream ? { include_usage: true } : undefined }
  return { ok: true as const, body: JSON.stringify({ ...parameters, governance: undefined, model, messages, ...options }) }
}

/** The chat completions API of OpenAI and of compatible servers. */
export const openaiAdapter: ProviderAdapter = {
  dialect: { encode, collect: () => new ChunkCollector(), read: readCompletion },
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
