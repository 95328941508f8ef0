import { ConfigError, type Environment } from './environment.ts'

/** URLs of a PostgreSQL (docs/high-availability.md). All absent: the embedded database. */
export interface DatabaseUrls {
  readonly databaseUrl: string | undefined
  /** Leads to the same database without a pooler in transaction mode. Absent: `databaseUrl` does. */
  readonly databaseSessionUrl: string | undefined
  /** Leads to a read replica, for lists, statistics and exports. Absent: they read from the primary. */
  readonly databaseReadUrl: string | undefined
}

export function readDatabaseUrls(env: Environment): DatabaseUrls {
  const urls = {
    databaseUrl: readUrl(env, 'DATABASE_URL'),
    databaseSessionUrl: readUrl(env, 'GATEHOUSE_DATABASE_SESSION_URL'),
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

interface DatabaseConfig extends DatabaseUrls {
  readonly dataDir: string
  readonly databasePoolSize: number
  readonly databaseReadMaxLagMs: number
}

/** The options of `openDatabase` that say which servers to use. */
export const databaseServers = ({ databaseReadUrl, ...config }: DatabaseConfig) => ({
  url: config.databaseUrl,
  sessionUrl: config.databaseSessionUrl,
  replica: databaseReadUrl === undefined ? undefined : { url: databaseReadUrl, maxLagMs: config.databaseReadMaxLagMs },
  dataDir: config.dataDir,
  poolSize: config.databasePoolSize,
})
