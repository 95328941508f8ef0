import type { UpstreamRequest } from '../dialects/upstream-dialect.ts'
import type { ProviderAdapter } from './adapter.ts'
import { readCompletion } from './read-completion.ts'

/** Fields that the gateway carries out itself, and fields that only other adapters read. */
const LEFT_OUT = { stream_options: undefined, governance: undefined, reasoning_included: undefined }

/** Requests no stream, because the gateway validates complete responses. All other fields are sent as the client wrote them. */
const encode = ({ model, messages, parameters }: UpstreamRequest) => ({
  ok: true as const,
  body: JSON.stringify({ ...parameters, ...LEFT_OUT, model, messages, stream: false }),
})

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
