import { existsSync, readFileSync } from 'node:fs'
import { findNearest } from '../lib/find-nearest.ts'
import { ConfigError, type Environment } from './environment.ts'

/** All GATEHOUSE_ variables. A test checks that the list contains each variable that the source reads. */
export const KNOWN_VARIABLES: readonly string[] = [
  ['CONFIG', 'DATA', 'ENV_FILE', 'DEMO', 'DEMO_HISTORY', 'NODE_NAME', 'HEALTH_PORT', 'PUBLIC_URL', 'TRUSTED_PROXIES'],
  ['PROCESSES', 'DRAIN_SECONDS', 'STOP_SECONDS', 'ALLOW_PRIVATE_URLS', 'DETECTOR_BUDGET_MS', 'PROVIDER_IDLE_MS'],
  ['SECRET_KEY', 'SECRET_KEY_COMMAND', 'NEXT_SECRET_KEY', 'OLD_SECRET_KEYS', 'METRICS_TOKEN', 'AUDIT_FEED_TOKEN'],
  ['AUDIT_ARCHIVE', 'AUDIT_ARCHIVE_ACCESS_KEY_ID', 'AUDIT_ARCHIVE_REGION', 'AUDIT_ARCHIVE_SECRET_ACCESS_KEY'],
  ['AUDIT_CHECKPOINT_BUCKET', 'AUDIT_CHECKPOINT_FILE', 'AUDIT_CHECKPOINT_LOCK_DAYS', 'AUDIT_CHECKPOINT_LOCK_MODE'],
  ['AUDIT_CHECKPOINT_ACCESS_KEY_ID', 'AUDIT_CHECKPOINT_REGION', 'AUDIT_CHECKPOINT_SECRET_ACCESS_KEY'],
  ['AUDIT_CHECKPOINT_TOKEN', 'AUDIT_CHECKPOINT_URL', 'BUDGET_LINK_TOKENS', 'BUDGET_OUTPUT_TOKENS', 'PROVIDER_TOTAL_MS'],
  ['DATABASE_CONNECT_TIMEOUT_MS', 'DATABASE_IDLE_TRANSACTION_TIMEOUT_MS', 'DATABASE_LOCK_TIMEOUT_MS', 'DATABASE_POOL'],
  ['DATABASE_READ_MAX_LAG_MS', 'DATABASE_READ_URL', 'DATABASE_SESSION_URL', 'DATABASE_STATEMENT_TIMEOUT_MS'],
  ['EMBEDDINGS_API_KEY', 'EMBEDDINGS_DIMENSIONS', 'EMBEDDINGS_MODEL', 'EMBEDDINGS_URL', 'MAIL_FROM', 'SMTP_URL'],
  ['EMBEDDINGS_MAX_CLASSIFICATION', 'EMBEDDINGS_REGION', 'RERANK_MAX_CLASSIFICATION', 'RERANK_REGION'],
  ['OCR_COMMAND', 'OCR_SECONDS', 'OCR_URL'],
  ['FILES', 'FILES_ACCESS_KEY_ID', 'FILES_BUCKET', 'FILES_REGION', 'FILES_SECRET_ACCESS_KEY', 'FILE_TYPES'],
  ['MAX_BODY_BYTES', 'MAX_BODY_BYTES_IN_FLIGHT', 'MAX_CONTENT_BYTES', 'MAX_FILE_BYTES', 'MAX_JSON_DEPTH', 'MAX_MESSAGES'],
  ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER', 'OIDC_NAME', 'OIDC_ROLES', 'OIDC_ROLE_CLAIM', 'OIDC_SCOPES'],
  ['OIDC_VERIFIED_CLAIM', 'RERANK_API_KEY', 'RERANK_MODEL', 'RERANK_URL'],
].flatMap((names) => names.map((name) => `GATEHOUSE_${name}`))

/** Variables that README and examples use in clients and configuration files. */
export const EXAMPLES = ['GATEHOUSE_ADMIN_TOKEN', 'GATEHOUSE_KEY']

/** Variables without the prefix, which users add by mistake. */
const WITHOUT_PREFIX = ['PORT', 'HOST', 'LOG_LEVEL', 'DATABASE_URL']

const EXPORTER = [
  ['ENDPOINT', 'HEADERS', 'PROTOCOL', 'TIMEOUT', 'COMPRESSION'],
  ['CERTIFICATE', 'CLIENT_KEY', 'CLIENT_CERTIFICATE', 'INSECURE'],
].flat()
const BATCH = ['SCHEDULE_DELAY', 'EXPORT_TIMEOUT', 'MAX_QUEUE_SIZE', 'MAX_EXPORT_BATCH_SIZE']
const LIMITS = ['ATTRIBUTE_VALUE_LENGTH_LIMIT', 'ATTRIBUTE_COUNT_LIMIT']

/**
 * The variables of the OpenTelemetry specification, including those that this server does not need.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and …/protocol/exporter/
 */
const OTEL_VARIABLES: readonly string[] = [
  ['SDK_DISABLED', 'SERVICE_NAME', 'RESOURCE_ATTRIBUTES', 'ENTITIES', 'LOG_LEVEL', 'PROPAGATORS', 'SEMCONV_STABILITY_OPT_IN'],
  ['TRACES_EXPORTER', 'METRICS_EXPORTER', 'LOGS_EXPORTER', 'TRACES_SAMPLER', 'TRACES_SAMPLER_ARG', 'METRICS_EXEMPLAR_FILTER'],
  ['METRIC_EXPORT_INTERVAL', 'METRIC_EXPORT_TIMEOUT', 'EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'],
  ['EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION', 'EXPORTER_PROMETHEUS_HOST', 'EXPORTER_PROMETHEUS_PORT'],
  ['CONFIG_FILE', 'EXPERIMENTAL_CONFIG_FILE'],
  ['SPAN_EVENT_COUNT_LIMIT', 'SPAN_LINK_COUNT_LIMIT', 'EVENT_ATTRIBUTE_COUNT_LIMIT', 'LINK_ATTRIBUTE_COUNT_LIMIT'],
  ...['BSP_', 'BLRP_'].map((prefix) => BATCH.map((name) => prefix + name)),
  ...['', 'SPAN_', 'LOGRECORD_'].map((prefix) => LIMITS.map((name) => prefix + name)),
  ...['', 'TRACES_', 'METRICS_', 'LOGS_'].map((signal) => EXPORTER.map((name) => `EXPORTER_OTLP_${signal}${name}`)),
].flatMap((names) => names.map((name) => `OTEL_${name}`))

const PREFIX = 'GATEHOUSE_'
/** A name in lower case is reported too, because it would be ignored. */
const PREFIX_PATTERN = /^GATEHOUSE_/i

/** Variables that Kubernetes and Docker set for a service named gatehouse or gatehouse-…. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/** Throws a ConfigError for unknown GATEHOUSE_ variables that the configuration file does not name: a misspelt one would be ignored. */
export function refuseUnknownVariables(env: Environment, configFile: string): void {
  refuseMisspeltVariables(env)
  const unknown = Object.keys(env).filter((name) => PREFIX_PATTERN.test(name) && env[name] && !isKnown(name, env[name]))
  if (unknown.length === 0) return
  const text = existsSync(configFile) ? readFileSync(configFile, 'utf8') : ''
  const named = new Set(text.match(/\bGATEHOUSE_\w+/gi))
  const misspelt = unknown.filter((name) => !named.has(name))
  if (misspelt.length > 0) throw new ConfigError(misspelt.map(describeUnknown).join('\n'))
}

/** Longest edit distance to a name that counts as a misspelling of it. Other programs' variables are further away. */
const MISSPELT_DISTANCE = 2

/**
 * Throws a ConfigError for a misspelt variable without the prefix. Other programs have such variables too, so a name is refused only if it
 * differs from a variable of this server by two letters at most, and if it is either an OTEL_ name that the specification does not have,
 * or holds the URL of a PostgreSQL while DATABASE_URL is not set.
 */
function refuseMisspeltVariables(env: Environment): void {
  const misspelt = Object.keys(env).flatMap((name) => {
    const value = env[name]
    if (!value) return []
    const upper = name.toUpperCase()
    const isOtel = upper.startsWith('OTEL_') && !OTEL_VARIABLES.includes(name) && !SERVICE_LINK.test(name)
    const isDatabase = !env.DATABASE_URL && /^postgres(ql)?:\/\//.test(value)
    const near = isOtel ? findNearest(upper, OTEL_VARIABLES, MISSPELT_DISTANCE) : undefined
    const meant = near ?? (isDatabase ? findNearest(upper, ['DATABASE_URL'], MISSPELT_DISTANCE) : undefined)
    return meant === undefined ? [] : [`Unknown variable ${name}. Did you mean ${meant}?`]
  })
  if (misspelt.length > 0) throw new ConfigError(misspelt.join('\n'))
}

const isKnown = (name: string, value: string): boolean =>
  KNOWN_VARIABLES.includes(name) ||
  EXAMPLES.includes(name) ||
  SERVICE_LINK.test(name) ||
  (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))

function describeUnknown(name: string): string {
  const bare = name.slice(PREFIX.length).toUpperCase()
  const suggestion = WITHOUT_PREFIX.includes(bare) ? bare : findNearest(name.toUpperCase(), KNOWN_VARIABLES, 6)
  return `Unknown variable ${name}. ${suggestion === undefined ? 'docs/configuration.md lists all variables.' : `Did you mean ${suggestion}?`}`
}
