import { CLASSIFICATIONS } from '../../shared/classification.ts'
import { readCommandWords } from './command-words.ts'
import { ConfigError, type Environment, integer, isPlainUrl, seconds } from './environment.ts'

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
  const limits = readServiceLimits(env, 'GATEHOUSE_EMBEDDINGS_MAX_CLASSIFICATION', 'GATEHOUSE_EMBEDDINGS_REGION')
  return { url: url.replace(/\/+$/, ''), model, limits, apiKeyEnv: 'GATEHOUSE_EMBEDDINGS_API_KEY' }
}

/** A `/rerank` API in the form of Cohere. Its URL may be private, because it is configured. */
export function readRerankConfig(env: Environment) {
  const { GATEHOUSE_RERANK_URL: url, GATEHOUSE_RERANK_MODEL: model } = env
  if (!url && !model) return undefined
  if (!url || !model) throw new ConfigError('GATEHOUSE_RERANK_URL and GATEHOUSE_RERANK_MODEL must be set together')
  if (!isPlainUrl(url))
    throw new ConfigError('GATEHOUSE_RERANK_URL must be an http or https URL without credentials, query or fragment')
  const limits = readServiceLimits(env, 'GATEHOUSE_RERANK_MAX_CLASSIFICATION', 'GATEHOUSE_RERANK_REGION')
  return { url: url.replace(/\/+$/, ''), model, limits, apiKeyEnv: 'GATEHOUSE_RERANK_API_KEY' }
}

/** The ceiling and the region of a server that reads texts. Without a ceiling, all texts may be sent to it. */
function readServiceLimits(env: Environment, name: string, regionName: string) {
  const given = env[name] || 'restricted'
  const maxClassification = CLASSIFICATIONS.find((classification) => classification === given)
  if (!maxClassification) throw new ConfigError(`${name} must be one of ${CLASSIFICATIONS.join(', ')}`)
  return { maxClassification, region: env[regionName] || undefined }
}

/** URLs of a PostgreSQL (docs/high-availability.md). All undefined: the embedded database. */
export function readDatabaseUrls(env: Environment) {
  const urls = {
    databaseUrl: readUrl(env, 'DATABASE_URL'),
    /** Leads to the same database without a pooler in transaction mode. undefined: `databaseUrl` does. */
    databaseSessionUrl: readUrl(env, 'GATEHOUSE_DATABASE_SESSION_URL'),
    /** Leads to a read replica, for lists, statistics and exports. undefined: they read from the primary. */
    databaseReadUrl: readUrl(env, 'GATEHOUSE_DATABASE_READ_URL'),
  }
  const { databaseUrl, databaseSessionUrl, databaseReadUrl } = urls
  if (databaseUrl === undefined && (databaseSessionUrl ?? databaseReadUrl) !== undefined)
    throw new ConfigError('GATEHOUSE_DATABASE_SESSION_URL and GATEHOUSE_DATABASE_READ_URL need DATABASE_URL: set it as well')
  return urls
}

function readUrl(env: Environment, name: string): string | undefined {
  const url = env[name]
  if (!url) return undefined
  if (!/^postgres(ql)?:\/\//.test(url)) throw new ConfigError(`${name} must start with postgres:// or postgresql://`)
  if (/^\w+:\/\/[^/?]*,/.test(url))
    throw new ConfigError(`${name} must name one host. Put a proxy in front of several hosts (docs/high-availability.md)`)
  return url
}

/** A program or a server that recognises the text of pictures. undefined: none does. Its URL may be private, because it is configured. */
export function readOcrConfig(env: Environment) {
  const { GATEHOUSE_OCR_COMMAND: command, GATEHOUSE_OCR_URL: url } = env
  if (!command && !url) return undefined
  if (command && url) throw new ConfigError('GATEHOUSE_OCR_COMMAND and GATEHOUSE_OCR_URL exclude each other: set one')
  if (url && !isPlainUrl(url))
    throw new ConfigError('GATEHOUSE_OCR_URL must be an http or https URL without credentials, query or fragment')
  return {
    hook: command
      ? { command: readCommandWords('GATEHOUSE_OCR_COMMAND', command), environment: harmless(env) }
      : { url: url as string },
    timeoutMs: seconds(env, 'GATEHOUSE_OCR_SECONDS', 120_000, 3_600),
  }
}

/** The program reads files of any author, so it gets no secrets. */
const harmless = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TESSDATA_PREFIX'].flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  )
