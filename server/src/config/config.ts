import { resolve } from 'node:path'
import { type AuditOutsideConfig, auditOutside } from './audit-outside.ts'
import { type EmbeddingsConfig, embeddings } from './embeddings.ts'
import { ConfigError, type Environment } from './environment.ts'
import { type EnvironmentProvider, environmentProviders } from './environment-providers.ts'
import { type FilesConfig, files } from './files.ts'
import { refuseUnknownVariables } from './known-variables.ts'
import { type SignInConfig, signIn } from './sign-in.ts'

/** What the environment says, decided and checked (docs/configuration.md). Secrets are apart, in secrets.ts. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** PostgreSQL; absent: the embedded database in dataDir. */
  readonly databaseUrl: string | undefined
  readonly databasePoolSize: number
  /** Of PostgreSQL, milliseconds; 0: no limit (db/connections.ts). */
  readonly databaseTimeouts: {
    readonly connectMs: number
    readonly statementMs: number
    readonly lockMs: number
    readonly idleTransactionMs: number
  }
  /** The declarative configuration; undefined when there is no such file and none was named. */
  readonly configFile: string
  readonly configFileNamed: boolean
  readonly demo: boolean
  readonly logLevel: string
  /** Provider and webhook URLs given over the admin API may be private. */
  readonly allowPrivateUrls: boolean
  readonly sizes: {
    /** Of a chat; other bodies end at a mebibyte, or here. */
    readonly bodyBytes: number
    /** Of large bodies that are worked on at a time. */
    readonly bodyBytesInFlight: number
    readonly contentBytes: number
    readonly messages: number
    readonly jsonDepth: number
  }
  /** Time for providers, milliseconds: all attempts of one request together, and without a byte from one of them. */
  readonly providerLimits: { readonly totalMs: number; readonly idleMs: number }
  /** Longest time the detectors may take for one text set before the request is refused, milliseconds. */
  readonly detectorBudgetMs: number
  /** Who turns texts into vectors; absent: search goes by words alone. Its key is among the secrets. */
  readonly embeddings: EmbeddingsConfig | undefined
  readonly files: FilesConfig
  readonly auditOutside: AuditOutsideConfig
  /** Where spans go by OTLP over HTTP, the whole URL; absent: no spans. */
  readonly otlpTracesUrl: string | undefined
  /** What spans say of this server: at least `service.name`. */
  readonly otelResource: Readonly<Record<string, string>>
  readonly signIn: SignInConfig
  readonly drain: {
    /** After SIGTERM: how long `/readyz` says 503 while requests are still taken. */
    readonly delayMs: number
    /** Then: how long running requests may take before they are cut off. */
    readonly timeoutMs: number
  }
  readonly providers: readonly EnvironmentProvider[]
}

/** Where a server that listens there answers, without a slash at the end. */
export const addressOf = ({ host, port }: Pick<Config, 'host' | 'port'>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

export function readConfig(env: Environment): Config {
  const configFile = resolve(env.GATEHOUSE_CONFIG || 'gatehouse.yaml')
  refuseUnknownVariables(env, configFile)
  const dataDir = resolve(env.GATEHOUSE_DATA || './data')
  return {
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 8787, 0, 65_535),
    dataDir,
    databaseUrl: databaseUrl(env),
    databasePoolSize: integer(env, 'GATEHOUSE_DATABASE_POOL', 10, 2, 500),
    databaseTimeouts: {
      connectMs: integer(env, 'GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS', 5_000, 100, 600_000),
      statementMs: integer(env, 'GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS', 10_000, 0, 3_600_000),
      lockMs: integer(env, 'GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS', 5_000, 0, 3_600_000),
      idleTransactionMs: integer(env, 'GATEHOUSE_DATABASE_IDLE_TRANSACTION_TIMEOUT_MS', 2_000, 0, 3_600_000),
    },
    configFile,
    configFileNamed: Boolean(env.GATEHOUSE_CONFIG),
    // Never put into a database that somebody else runs unless it is asked for.
    demo: flag(env, 'GATEHOUSE_DEMO', !env.DATABASE_URL),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    allowPrivateUrls: flag(env, 'GATEHOUSE_ALLOW_PRIVATE_URLS', false),
    sizes: {
      bodyBytes: integer(env, 'GATEHOUSE_MAX_BODY_BYTES', 16_777_216, 1_024, 104_857_600),
      bodyBytesInFlight: integer(env, 'GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT', 134_217_728, 1_048_576, 17_179_869_184),
      contentBytes: integer(env, 'GATEHOUSE_MAX_CONTENT_BYTES', 4_194_304, 1_024, 104_857_600),
      messages: integer(env, 'GATEHOUSE_MAX_MESSAGES', 2_048, 1, 10_000),
      jsonDepth: integer(env, 'GATEHOUSE_MAX_JSON_DEPTH', 32, 4, 256),
    },
    providerLimits: {
      totalMs: integer(env, 'GATEHOUSE_PROVIDER_TOTAL_MS', 600_000, 1_000, 3_600_000),
      idleMs: integer(env, 'GATEHOUSE_PROVIDER_IDLE_MS', 60_000, 100, 600_000),
    },
    detectorBudgetMs: integer(env, 'GATEHOUSE_DETECTOR_BUDGET_MS', 2_000, 10, 60_000),
    embeddings: embeddings(env),
    files: files(env, dataDir, integer(env, 'GATEHOUSE_MAX_FILE_BYTES', 26_214_400, 1, 5_368_709_120)),
    auditOutside: auditOutside(env),
    otlpTracesUrl: otlpTracesUrl(env),
    otelResource: otelResource(env),
    signIn: signIn(env),
    drain: {
      // Several nodes have a load balancer before them that has to notice; a node with its own database is the only one.
      delayMs: integer(env, 'GATEHOUSE_DRAIN_DELAY_MS', env.DATABASE_URL ? 5_000 : 0, 0, 600_000),
      timeoutMs: integer(env, 'GATEHOUSE_DRAIN_TIMEOUT_MS', 15_000, 0, 3_600_000),
    },
    providers: environmentProviders(env),
  }
}

function databaseUrl({ DATABASE_URL: url }: Environment): string | undefined {
  if (!url) return undefined
  if (!/^postgres(ql)?:\/\//.test(url)) throw new ConfigError('DATABASE_URL must start with postgres:// or postgresql://')
  return url
}

/** By OpenTelemetry's own variables: the general one names the collector, the other the path too. */
function otlpTracesUrl(env: Environment): string | undefined {
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const collector = env.OTEL_EXPORTER_OTLP_ENDPOINT
  return collector ? `${collector.replace(/\/+$/, '')}/v1/traces` : undefined
}

/** OTEL_RESOURCE_ATTRIBUTES (`key=value` with commas between, values percent-encoded), and OTEL_SERVICE_NAME before its service.name. */
function otelResource(env: Environment): Readonly<Record<string, string>> {
  const pairs = (env.OTEL_RESOURCE_ATTRIBUTES ?? '').split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]]
  })
  const attributes = Object.fromEntries(pairs)
  return { ...attributes, 'service.name': env.OTEL_SERVICE_NAME || attributes['service.name'] || 'gatehouse' }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

function integer(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name]
  if (!text) return fallback
  const value = Number(text)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}`)
  }
  return value
}

function flag(env: Environment, name: string, fallback: boolean): boolean {
  const text = env[name]
  if (!text) return fallback
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new ConfigError(`${name} must be 1 or 0`)
}

function oneOf(env: Environment, name: string, fallback: string, allowed: readonly string[]): string {
  const text = env[name]
  if (!text) return fallback
  if (!allowed.includes(text)) throw new ConfigError(`${name} must be one of ${allowed.join(', ')}`)
  return text
}
