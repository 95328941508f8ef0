import { ConfigError, type Environment, integer, isPlainUrl } from './environment.ts'

/** An OpenAI-compatible embeddings API. Its URL may be private, because it is configured. */
export interface EmbeddingsConfig {
  /** For example `https://api.openai.com/v1`. */
  readonly url: string
  /** `dimensions`: length of the vectors, requested and checked. Undefined: the default of the model. */
  readonly model: { readonly name: string; readonly dimensions: number | undefined }
  /** Name of the variable that holds the key; the key itself stays in the environment. */
  readonly apiKeyEnv: string
}

/** Limit of the `vector` type of the database. */
const MAX_DIMENSIONS = 16_000

/** Undefined: searches use words only. */
export function readEmbeddingsConfig(env: Environment): EmbeddingsConfig | undefined {
  const { GATEHOUSE_EMBEDDINGS_URL: url, GATEHOUSE_EMBEDDINGS_MODEL: name } = env
  if (!url && !name) return undefined
  if (!url || !name) throw new ConfigError('GATEHOUSE_EMBEDDINGS_URL and GATEHOUSE_EMBEDDINGS_MODEL must be set together')
  if (!isPlainUrl(url)) {
    throw new ConfigError('GATEHOUSE_EMBEDDINGS_URL must be an http or https URL without credentials, query or fragment')
  }
  const model = { name, dimensions: integer(env, 'GATEHOUSE_EMBEDDINGS_DIMENSIONS', undefined, 1, MAX_DIMENSIONS) }
  return { url: url.replace(/\/+$/, ''), model, apiKeyEnv: 'GATEHOUSE_EMBEDDINGS_API_KEY' }
}
