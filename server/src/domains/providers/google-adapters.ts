import { isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ProviderAdapter } from './adapter.ts'
import { bearerAuthorizer } from './bearer-authorizer.ts'
import { openaiAdapter } from './openai-adapter.ts'
import { parseServiceAccount, serviceAccountGrant } from './service-account.ts'

const MODEL_FOLDER = /^models\//

/** The API of Gemini in the form of OpenAI: https://ai.google.dev/gemini-api/docs/openai. Its list names models `models/…`. */
export const geminiAdapter: ProviderAdapter = {
  ...openaiAdapter,
  readModels: (page) => {
    const entries = openaiAdapter.readModels(page)?.entries
    return (
      entries && {
        entries: entries.map((entry) => (isObject(entry) ? { ...entry, id: textOf(entry.id).replace(MODEL_FOLDER, '') } : entry)),
      }
    )
  },
}

/**
 * The same API on Vertex AI, which has no list of models in this form. The key is a service account, which is exchanged for an access
 * token: https://cloud.google.com/vertex-ai/generative-ai/docs/start/openai.
 */
export const vertexAdapter: ProviderAdapter = {
  ...openaiAdapter,
  keyHeaders: () => [],
  authorizer: (_, apiKey, deps) => {
    const account = parseServiceAccount(apiKey)
    return bearerAuthorizer(account && serviceAccountGrant(account), deps)
  },
  modelsPath: () => undefined,
}
