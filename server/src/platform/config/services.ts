import { ConfigError, type Environment, integer, isPlainUrl } from './environment.ts'

const SMTP_URL = 'GATEHOUSE_SMTP_URL'
const ADDRESS = /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/

/** The URL of the mail server stays in the environment, because it holds a password. */
export function readMailConfig(env: Environment) {
  const { [SMTP_URL]: url, GATEHOUSE_MAIL_FROM: from } = env
  if (!url && !from) return undefined
  if (!url || !from) throw new ConfigError('e-mail needs both GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM')
  const parsed = URL.parse(url)
  if (!parsed || !/^smtps?:$/.test(parsed.protocol) || !parsed.hostname)
    throw new ConfigError('GATEHOUSE_SMTP_URL must be like smtp://user:password@mail.example.com:587 or start with smtps://')
  if (!ADDRESS.test(from))
    throw new ConfigError('GATEHOUSE_MAIL_FROM must be an address, for example Gatehouse <gatehouse@example.com>')
  return { from, smtpUrlEnv: SMTP_URL }
}

/** Limit of the `vector` type of the database. */
const MAX_DIMENSIONS = 16_000

/**
 * An OpenAI-compatible embeddings API. Its URL may be private, because it is configured. `dimensions`: length of the vectors, requested and
 * checked; undefined: the default of the model. `apiKeyEnv`: name of the variable that holds the key.
 */
export function readEmbeddingsConfig(env: Environment) {
  const { GATEHOUSE_EMBEDDINGS_URL: url, GATEHOUSE_EMBEDDINGS_MODEL: name } = env
  if (!url && !name) return undefined
  if (!url || !name) throw new ConfigError('GATEHOUSE_EMBEDDINGS_URL and GATEHOUSE_EMBEDDINGS_MODEL must be set together')
  if (!isPlainUrl(url))
    throw new ConfigError('GATEHOUSE_EMBEDDINGS_URL must be an http or https URL without credentials, query or fragment')
  const model = { name, dimensions: integer(env, 'GATEHOUSE_EMBEDDINGS_DIMENSIONS', undefined, 1, MAX_DIMENSIONS) }
  return { url: url.replace(/\/+$/, ''), model, apiKeyEnv: 'GATEHOUSE_EMBEDDINGS_API_KEY' }
}
