import { existsSync, readFileSync } from 'node:fs'
import { ConfigError, type Environment } from './environment.ts'
import { OTEL_VARIABLES } from './otel-variables.ts'

/** All GATEHOUSE_ variables. A test checks that the list contains each variable that the source reads. */
export const KNOWN_VARIABLES: readonly string[] = [
  'GATEHOUSE_ALLOW_PRIVATE_URLS',
  'GATEHOUSE_AUDIT_ARCHIVE',
  'GATEHOUSE_AUDIT_ARCHIVE_ACCESS_KEY_ID',
  'GATEHOUSE_AUDIT_ARCHIVE_REGION',
  'GATEHOUSE_AUDIT_ARCHIVE_SECRET_ACCESS_KEY',
  'GATEHOUSE_AUDIT_CHECKPOINT_ACCESS_KEY_ID',
  'GATEHOUSE_AUDIT_CHECKPOINT_BUCKET',
  'GATEHOUSE_AUDIT_CHECKPOINT_FILE',
  'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_DAYS',
  'GATEHOUSE_AUDIT_CHECKPOINT_LOCK_MODE',
  'GATEHOUSE_AUDIT_CHECKPOINT_REGION',
  'GATEHOUSE_AUDIT_CHECKPOINT_SECRET_ACCESS_KEY',
  'GATEHOUSE_AUDIT_CHECKPOINT_TOKEN',
  'GATEHOUSE_AUDIT_CHECKPOINT_URL',
  'GATEHOUSE_AUDIT_FEED_TOKEN',
  'GATEHOUSE_BUDGET_LINK_TOKENS',
  'GATEHOUSE_BUDGET_OUTPUT_TOKENS',
  'GATEHOUSE_CONFIG',
  'GATEHOUSE_DATA',
  'GATEHOUSE_DATABASE_CONNECT_TIMEOUT_MS',
  'GATEHOUSE_DATABASE_IDLE_TRANSACTION_TIMEOUT_MS',
  'GATEHOUSE_DATABASE_LOCK_TIMEOUT_MS',
  'GATEHOUSE_DATABASE_POOL',
  'GATEHOUSE_DATABASE_READ_MAX_LAG_MS',
  'GATEHOUSE_DATABASE_READ_URL',
  'GATEHOUSE_DATABASE_SESSION_URL',
  'GATEHOUSE_DATABASE_STATEMENT_TIMEOUT_MS',
  'GATEHOUSE_DEMO',
  'GATEHOUSE_DEMO_HISTORY',
  'GATEHOUSE_DETECTOR_BUDGET_MS',
  'GATEHOUSE_DRAIN_SECONDS',
  'GATEHOUSE_EMBEDDINGS_API_KEY',
  'GATEHOUSE_EMBEDDINGS_DIMENSIONS',
  'GATEHOUSE_EMBEDDINGS_MODEL',
  'GATEHOUSE_EMBEDDINGS_URL',
  'GATEHOUSE_ENV_FILE',
  'GATEHOUSE_FILES',
  'GATEHOUSE_FILES_ACCESS_KEY_ID',
  'GATEHOUSE_FILES_BUCKET',
  'GATEHOUSE_FILES_REGION',
  'GATEHOUSE_FILES_SECRET_ACCESS_KEY',
  'GATEHOUSE_FILE_TYPES',
  'GATEHOUSE_HEALTH_PORT',
  'GATEHOUSE_MAIL_FROM',
  'GATEHOUSE_MAX_BODY_BYTES',
  'GATEHOUSE_MAX_BODY_BYTES_IN_FLIGHT',
  'GATEHOUSE_MAX_CONTENT_BYTES',
  'GATEHOUSE_MAX_FILE_BYTES',
  'GATEHOUSE_MAX_JSON_DEPTH',
  'GATEHOUSE_MAX_MESSAGES',
  'GATEHOUSE_METRICS_TOKEN',
  'GATEHOUSE_NODE_NAME',
  'GATEHOUSE_NEXT_SECRET_KEY',
  'GATEHOUSE_OIDC_CLIENT_ID',
  'GATEHOUSE_OIDC_CLIENT_SECRET',
  'GATEHOUSE_OIDC_ISSUER',
  'GATEHOUSE_OIDC_NAME',
  'GATEHOUSE_OIDC_ROLES',
  'GATEHOUSE_OIDC_ROLE_CLAIM',
  'GATEHOUSE_OIDC_SCOPES',
  'GATEHOUSE_OIDC_VERIFIED_CLAIM',
  'GATEHOUSE_PROCESSES',
  'GATEHOUSE_OLD_SECRET_KEYS',
  'GATEHOUSE_PROVIDER_IDLE_MS',
  'GATEHOUSE_PROVIDER_TOTAL_MS',
  'GATEHOUSE_PUBLIC_URL',
  'GATEHOUSE_SECRET_KEY',
  'GATEHOUSE_SMTP_URL',
  'GATEHOUSE_STOP_SECONDS',
  'GATEHOUSE_SECRET_KEY_COMMAND',
  'GATEHOUSE_TRUSTED_PROXIES',
]

/** Variables that README and examples use in clients and configuration files. */
export const EXAMPLES = ['GATEHOUSE_ADMIN_TOKEN', 'GATEHOUSE_KEY']

/** Variables without the prefix, which users add by mistake. */
const WITHOUT_PREFIX = ['PORT', 'HOST', 'LOG_LEVEL', 'DATABASE_URL']

const PREFIX = 'GATEHOUSE_'
/** A name in lower case is reported too, because it would be ignored. */
const PREFIX_PATTERN = /^GATEHOUSE_/i

/** Variables that Kubernetes and Docker set for a service named gatehouse or gatehouse-…. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/**
 * Throws a ConfigError for each unknown GATEHOUSE_ variable, because a misspelt one would be ignored. Variables that the configuration
 * file names for keys and tokens are known.
 */
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

/** Returns undefined if no name is within the distance. */
function findNearest(name: string, names: readonly string[], maxDistance: number): string | undefined {
  const ranked = names.map((known) => ({ known, distance: editDistance(name, known) }))
  const [first] = ranked.toSorted((a, b) => a.distance - b.distance)
  return first && first.distance <= maxDistance ? first.known : undefined
}

/** Levenshtein distance. At most 100 letters of `a` are compared, because its length is not limited. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...a.slice(0, 100)].entries()) {
    const next = [index + 1]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
