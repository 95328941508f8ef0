import { resolve } from 'node:path'
import {
  type AuditArchiveConfig,
  type CheckpointDeliveryConfig,
  readAuditArchiveConfig,
  readCheckpointDeliveryConfig,
} from './audit-places.ts'
import { type DatabaseUrls, readDatabaseUrls } from './database-urls.ts'
import { type EmbeddingsConfig, readEmbeddingsConfig } from './embeddings.ts'
import { type Environment, flag, integer, oneOf, seconds } from './environment.ts'
import { type EnvironmentProvider, readEnvironmentProviders } from './environment-providers.ts'
import { type FilesConfig, readFilesConfig } from './files.ts'
import { refuseUnknownVariables } from './known-variables.ts'
import { type MailConfig, readMailConfig } from './mail.ts'
import { readDatabasePool, readProcesses } from './processes.ts'
import { readSignInConfig, type SignInConfig } from './sign-in.ts'
import { readTelemetryConfig, type TelemetryConfig } from './telemetry.ts'

/** The checked configuration from the environment (docs/configuration.md), with defaults. secrets.ts reads the secrets. */
export interface Config extends DatabaseUrls {
  readonly host: string
  readonly port: number
  /** Port that serves `/healthz`, `/readyz` and `/metrics` and nothing else. Absent: none. */
  readonly healthPort: number | undefined
  /** Number of processes that serve requests. */
  readonly processes: number
  readonly dataDir: string
  /** Connections of all processes together. */
  readonly databasePoolSize: number
  /** Oldest data in milliseconds that reads from the replica may return. */
  readonly databaseReadMaxLagMs: number
  /** Timeouts of PostgreSQL in milliseconds. 0: no limit (platform/db/connections.ts). */
  readonly databaseTimeouts: {
    readonly connectMs: number
    readonly statementMs: number
    readonly lockMs: number
    readonly idleTransactionMs: number
  }
  /** Path of the configuration file. */
  readonly configFile: string
  /** GATEHOUSE_CONFIG is set, so the file must exist. */
  readonly configFileNamed: boolean
  readonly demo: boolean
  /** Whether a new demo gets a month of invented history. `npm start` sets it. */
  readonly demoHistory: boolean
  readonly logLevel: string
  /** Provider and webhook URLs from the admin API may be private. */
  readonly allowPrivateUrls: boolean
  readonly sizes: {
    /** Maximum of a chat request. Other bodies: the lower of this and 1 MiB. */
    readonly bodyBytes: number
    /** Maximum of all large bodies that are processed at the same time. */
    readonly bodyBytesInFlight: number
    readonly contentBytes: number
    readonly messages: number
    readonly jsonDepth: number
  }
  /** Time limits in milliseconds: for all attempts of a request together, and without a byte from a provider. */
  readonly providerLimits: { readonly totalMs: number; readonly idleMs: number }
  /** Time limit of the detectors for the texts of one scan in milliseconds. After it the request is refused. */
  readonly detectorBudgetMs: number
  /** Absent: searches use words only. */
  readonly embeddings: EmbeddingsConfig | undefined
  readonly files: FilesConfig
  readonly checkpointDelivery: CheckpointDeliveryConfig
  /** Absent: the audit log is not archived. */
  readonly auditArchive: AuditArchiveConfig | undefined
  readonly telemetry: TelemetryConfig
  readonly signIn: SignInConfig
  /** Absent: operators get no e-mail. */
  readonly mail: MailConfig | undefined
  /**
   * How the server stops. `delayMs`: time after SIGTERM in which `/readyz` responds with 503 and requests are still accepted. `timeoutMs`:
   * time limit after it for requests in flight; then they are aborted.
   */
  readonly drain: { readonly delayMs: number; readonly timeoutMs: number }
  /** Tokens that a budget sets aside for a completion whose request sets no limit. */
  readonly budgetOutputTokens: number
  /** Tokens that a budget sets aside for a file that the provider fetches. */
  readonly budgetLinkTokens: number
  readonly providers: readonly EnvironmentProvider[]
}

/** URL of a server that listens on this host and port, without a slash at the end. */
export const serverUrl = ({ host, port }: Pick<Config, 'host' | 'port'>): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Path of the configuration file. */
export const configFileOf = (env: Environment): string => resolve(env.GATEHOUSE_CONFIG || 'gatehouse.yaml')

export function readConfig(env: Environment): Config {
  const configFile = configFileOf(env)
  refuseUnknownVariables(env, configFile)
  const dataDir = resolve(env.GATEHOUSE_DATA || './data')
  const processes = readProcesses(env)
  return {
    host: env.HOST || '127.0.0.1',
    port: integer(env, 'PORT', 8787, 0, 65_535),
    healthPort: env.GATEHOUSE_HEALTH_PORT ? integer(env, 'GATEHOUSE_HEALTH_PORT', 0, 1, 65_535) : undefined,
    processes,
    dataDir,
    ...readDatabaseUrls(env),
    databasePoolSize: readDatabasePool(env, processes),
    databaseReadMaxLagMs: integer(env, 'GATEHOUSE_DATABASE_READ_MAX_LAG_MS', 5_000, 500, 600_000),
    databaseTimeouts: {
      connectMs: integer(env, 'GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS', 5_000, 100, 600_000),
      statementMs: integer(env, 'GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS', 10_000, 0, 3_600_000),
      lockMs: integer(env, 'GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS', 5_000, 0, 3_600_000),
      idleTransactionMs: integer(env, 'GATEHOUSE_DATABASE_IDLE_TRANSACTION_TIMEOUT_MS', 2_000, 0, 3_600_000),
    },
    configFile,
    configFileNamed: Boolean(env.GATEHOUSE_CONFIG),
    // An external database gets no demo data unless GATEHOUSE_DEMO is set.
    demo: flag(env, 'GATEHOUSE_DEMO', !env.DATABASE_URL),
    demoHistory: flag(env, 'GATEHOUSE_DEMO_HISTORY', false),
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
      totalMs: integer(env, 'GATEHOUSE_PROVIDER_TOTAL_MS', 3_600_000, 1_000, 3_600_000),
      idleMs: integer(env, 'GATEHOUSE_PROVIDER_IDLE_MS', 60_000, 100, 600_000),
    },
    budgetOutputTokens: integer(env, 'GATEHOUSE_BUDGET_OUTPUT_TOKENS', 16_384, 1, 10_000_000),
    budgetLinkTokens: integer(env, 'GATEHOUSE_BUDGET_LINK_TOKENS', 100_000, 0, 10_000_000),
    detectorBudgetMs: integer(env, 'GATEHOUSE_DETECTOR_BUDGET_MS', 2_000, 10, 60_000),
    embeddings: readEmbeddingsConfig(env),
    files: readFilesConfig(env, dataDir, integer(env, 'GATEHOUSE_MAX_FILE_BYTES', 26_214_400, 1, 5_368_709_120)),
    checkpointDelivery: readCheckpointDeliveryConfig(env),
    auditArchive: readAuditArchiveConfig(env),
    telemetry: readTelemetryConfig(env),
    signIn: readSignInConfig(env),
    mail: readMailConfig(env),
    drain: {
      // A load balancer needs time to see the 503. A node with an embedded database is the only one and has none.
      delayMs: seconds(env, 'GATEHOUSE_DRAIN_SECONDS', env.DATABASE_URL ? 5_000 : 0, 600),
      timeoutMs: seconds(env, 'GATEHOUSE_STOP_SECONDS', 120_000, 3_600),
    },
    providers: readEnvironmentProviders(env),
  }
}
