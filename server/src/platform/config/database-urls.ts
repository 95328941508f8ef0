import { ConfigError, type Environment } from './environment.ts'

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
