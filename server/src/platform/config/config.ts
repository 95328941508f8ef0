import { resolve } from 'node:path'
import { type Environment, flag, integer, oneOf, seconds } from './environment.ts'
import { readEnvironmentProviders } from './environment-providers.ts'
import { refuseUnknownVariables } from './known-variables.ts'
import { readAuditArchiveConfig, readCheckpointDeliveryConfig, readFilesConfig } from './places.ts'
import { readDatabasePool, readProcesses } from './processes.ts'
import { readDatabaseUrls, readEmbeddingsConfig, readMailConfig, readOcrConfig, readRerankConfig } from './services.ts'
import { readSignInConfig } from './sign-in.ts'
import { readTelemetryConfig } from './telemetry.ts'

export type Config = Readonly<ReturnType<typeof readConfig>>

export const databaseServers = ({ databaseReadUrl, ...config }: Config) => ({
  url: config.databaseUrl,
  sessionUrl: config.databaseSessionUrl,
  replica: databaseReadUrl === undefined ? undefined : { url: databaseReadUrl, maxLagMs: config.databaseReadMaxLagMs },
  dataDir: config.dataDir,
  poolSize: config.databasePoolSize,
})

/** URL of a server that listens on this host and port, without a slash at the end. */
export const serverUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Replaces the address for all interfaces by the one of this machine. */
export const toLocalUrl = (base: string): string => base.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//127.0.0.1')

export const configFileOf = (env: Environment): string => resolve(env.GATEHOUSE_CONFIG || 'gatehouse.yaml')

/** The checked configuration from the environment (docs/configuration.md), with defaults. secrets.ts reads the secrets. */
export function readConfig(env: Environment) {
  const configFile = configFileOf(env)
  refuseUnknownVariables(env, configFile)
  const dataDir = resolve(env.GATEHOUSE_DATA || './data')
  const processes = readProcesses(env)
  return {
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 8787, 0, 65_535),
    /** Serves `/healthz`, `/readyz` and `/metrics` and nothing else; undefined: there is no such port. */
    healthPort: integer(env, 'GATEHOUSE_HEALTH_PORT', undefined, 1, 65_535),
    processes,
    dataDir,
    ...readDatabaseUrls(env),
    /** Connections of all processes together. */
    databasePoolSize: readDatabasePool(env, processes),
    ...readLimits(env),
    configFile,
    /** Then the file must exist. */
    configFileNamed: Boolean(env.GATEHOUSE_CONFIG),
    // An external database gets no demo data unless GATEHOUSE_DEMO is set.
    demo: flag(env, 'GATEHOUSE_DEMO', !env.DATABASE_URL),
    /** Whether a new demo gets a month of invented history. `npm start` sets it. */
    demoHistory: flag(env, 'GATEHOUSE_DEMO_HISTORY', false),
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    /** For providers and webhooks from the admin API. */
    allowPrivateUrls: flag(env, 'GATEHOUSE_ALLOW_PRIVATE_URLS', false),
    /** undefined: searches use words only. */
    embeddings: readEmbeddingsConfig(env),
    ocr: readOcrConfig(env),
    /** undefined: searches keep their own order. */
    rerank: readRerankConfig(env),
    files: readFilesConfig(env, dataDir, integer(env, 'GATEHOUSE_MAX_FILE_BYTES', 26_214_400, 1, 5_368_709_120)),
    checkpointDelivery: readCheckpointDeliveryConfig(env),
    auditArchive: readAuditArchiveConfig(env),
    telemetry: readTelemetryConfig(env),
    signIn: readSignInConfig(env),
    mail: readMailConfig(env),
    providers: readEnvironmentProviders(env),
  }
}

const readLimits = (env: Environment) => ({
  /** Oldest data that reads from the replica may return. */
  databaseReadMaxLagMs: integer(env, 'GATEHOUSE_DATABASE_READ_MAX_LAG_MS', 5_000, 500, 600_000),
  /** 0: no limit (platform/db/connections.ts). */
  databaseTimeouts: {
    connectMs: integer(env, 'GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS', 5_000, 100, 600_000),
    statementMs: integer(env, 'GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS', 10_000, 0, 3_600_000),
    lockMs: integer(env, 'GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS', 5_000, 0, 3_600_000),
    idleTransactionMs: integer(env, 'GATEHOUSE_DATABASE_IDLE_TRANSACTION_TIMEOUT_MS', 2_000, 0, 3_600_000),
  },
  sizes: {
    /** Of a chat request. Other bodies: the lower of this and 1 MiB. */
    bodyBytes: integer(env, 'GATEHOUSE_MAX_BODY_BYTES', 16_777_216, 1_024, 104_857_600),
    /** Of all large bodies that are processed at the same time. */
    bodyBytesInFlight: integer(env, 'GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT', 134_217_728, 1_048_576, 17_179_869_184),
    contentBytes: integer(env, 'GATEHOUSE_MAX_CONTENT_BYTES', 4_194_304, 1_024, 104_857_600),
    messages: integer(env, 'GATEHOUSE_MAX_MESSAGES', 2_048, 1, 10_000),
    jsonDepth: integer(env, 'GATEHOUSE_MAX_JSON_DEPTH', 32, 4, 256),
  },
  /** For all attempts of a request together, and without a byte from a provider. */
  providerLimits: {
    totalMs: integer(env, 'GATEHOUSE_PROVIDER_TOTAL_MS', 3_600_000, 1_000, 3_600_000),
    idleMs: integer(env, 'GATEHOUSE_PROVIDER_IDLE_MS', 60_000, 100, 600_000),
  },
  /** Tokens that a budget sets aside for a completion whose request sets no limit, and for a file that the provider fetches. */
  budgetOutputTokens: integer(env, 'GATEHOUSE_BUDGET_OUTPUT_TOKENS', 16_384, 1, 10_000_000),
  budgetLinkTokens: integer(env, 'GATEHOUSE_BUDGET_LINK_TOKENS', 100_000, 0, 10_000_000),
  /** For the texts of one scan. After it the request is refused. */
  detectorBudgetMs: integer(env, 'GATEHOUSE_DETECTOR_BUDGET_MS', 2_000, 10, 60_000),
  drain: {
    // `/readyz` responds with 503, and requests are still accepted. An embedded database has no load balancer.
    delayMs: seconds(env, 'GATEHOUSE_DRAIN_SECONDS', env.DATABASE_URL ? 5_000 : 0, 600),
    // After it requests in flight are aborted.
    timeoutMs: seconds(env, 'GATEHOUSE_STOP_SECONDS', 120_000, 3_600),
  },
})

/** The configuration of one of `processes` processes: limits of the node that each process counts by itself are divided. */
export const shareOfProcess = ({ databasePoolSize, sizes, ...config }: Config, processes: number): Config => ({
  ...config,
  databasePoolSize: Math.floor(databasePoolSize / processes),
  // A single body of the longest allowed size must fit.
  sizes: { ...sizes, bodyBytesInFlight: Math.max(sizes.bodyBytes, Math.floor(sizes.bodyBytesInFlight / processes)) },
})
