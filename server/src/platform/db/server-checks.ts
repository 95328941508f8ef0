import pg from 'pg'
import type { Logger } from 'pino'

/** Oldest supported major version: migrations use `unique nulls not distinct`, which 15 introduced. */
export const OLDEST_POSTGRESQL = 15

/** Throws if the server is older than `oldest` (a major version). Call it before the first migration. */
export async function requireServerVersion(pool: Pick<pg.Pool, 'query'>, oldest = OLDEST_POSTGRESQL): Promise<void> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as name`,
  )
  const { number = 0, name = '' } = rows[0] ?? {}
  if (Math.floor(number / 10_000) >= oldest) return
  throw new Error(
    `DATABASE_URL names a PostgreSQL ${name.split(' ', 1)[0]}, which is too old: Gatehouse needs PostgreSQL ${oldest} or later. Upgrade that server, or name another one.`,
  )
}

/**
 * Throws if the connections of `pool` lead through a pooler in transaction mode, which gives one server process to several of them:
 * notifications would be lost and session locks would not hold. It may miss such a pooler, but never reports one that is not there.
 *
 * @param variable of the environment that holds the URL
 */
export async function refuseTransactionPooler(pool: pg.Pool, variable: string): Promise<void> {
  const [first, second] = await Promise.all([pool.connect(), pool.connect()])
  try {
    const process = await serverProcess(first)
    // A pooler sends its own number when a connection begins.
    if (process === (first as unknown as { processID?: number }).processID) return
    await second.query('begin')
    const shared = (await serverProcess(second)) === process
    await second.query('rollback')
    if (shared)
      throw new Error(
        `${variable} leads through a pooler in transaction mode: set GATEHOUSE_DATABASE_SESSION_URL to a URL of the same database without it (docs/high-availability.md)`,
      )
  } finally {
    for (const client of [first, second]) client.release(true)
  }
}

async function serverProcess(client: pg.PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ process: number }>('select pg_backend_pid() as process')
  return rows[0]?.process
}

/** Key of an advisory lock: PostgreSQL refuses two concurrent changes of a role's settings. */
const LOCK = 7_241_016

const FIND_STORED = `select current_database() as database,
  (select setconfig from pg_db_role_setting join pg_roles on pg_roles.oid = setrole join pg_database on pg_database.oid = setdatabase
    where rolname = $1 and datname = current_database()) as stored`
const FIND_EFFECTIVE = 'select name, setting, current_user as role from pg_settings where name = any($1)'

type Settings = Readonly<Record<string, string>>

/**
 * Stores settings for a role in the database of `session`, so that a pooler in transaction mode opens its connections with them. A role
 * may change its own settings. `onProgress` is called with a text if a connection of the pooler has others, because it is older.
 *
 * @param url leads through the pooler, as `pool` does; `session` does not
 * @throws if the pooler uses another role than its clients, or the settings cannot be stored
 */
export async function useRoleSettings(
  url: string,
  { pool, session }: Readonly<Record<'pool' | 'session', pg.Pool>>,
  { settings, onProgress }: { readonly settings: Settings; readonly onProgress: (text: string) => void },
): Promise<void> {
  const { user: role = '' } = new pg.Client({ connectionString: url })
  await store(session, role, settings)
  const { rows } = await pool.query<{ name: string; setting: string; role: string }>(FIND_EFFECTIVE, [Object.keys(settings)])
  const other = rows.find((row) => row.role !== role)
  if (other) throw new Error(`the pooler uses the role ${other.role} for clients with the role ${role}: let it use the same one`)
  if (rows.some(({ name, setting }) => settings[name] !== setting))
    onProgress(
      `the pooler has connections without the time limits of role ${role}: run RECONNECT in it, or wait until it has closed them`,
    )
}

async function store(session: pg.Pool, role: string, settings: Settings): Promise<void> {
  const { rows } = await session.query<{ database: string; stored: readonly string[] | null }>(FIND_STORED, [role])
  const { database = '', stored } = rows[0] ?? {}
  const wanted = Object.entries(settings)
  if (wanted.every(([name, value]) => stored?.includes(`${name}=${value}`))) return
  const target = `${pg.escapeIdentifier(role)} in database ${pg.escapeIdentifier(database)}`
  const statements = wanted.map(([name, value]) => `alter role ${target} set ${name} = ${pg.escapeLiteral(value)}`)
  try {
    // Statements of one message are one transaction.
    await session.query([`select pg_advisory_xact_lock(${LOCK})`, ...statements].join('; '))
  } catch (cause) {
    throw new Error(`the time limits of role ${role} cannot be stored. Run as a superuser: ${statements.join('; ')}`, { cause })
  }
}

/** Connections of a process besides its pool: readiness checks and notifications. */
const BESIDE_POOL = 2

interface Given {
  readonly probe: Pick<pg.Pool, 'query'>
  readonly poolSize: number
  readonly processes: number
  readonly log: Pick<Logger, 'warn'>
}

/** Warns if the database admits fewer connections than this node may open. Behind a pooler the setting says nothing about the node. */
export async function warnAboutConnectionLimit({ probe, poolSize, processes, log }: Given): Promise<void> {
  const { rows } = await probe.query<{ admitted: number }>(
    "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as admitted",
  )
  const [admitted, needed] = [rows[0]?.admitted ?? 0, (poolSize + BESIDE_POOL) * processes]
  if (needed > admitted)
    log.warn(
      { connections: needed, admitted },
      'this node may open more connections than the database admits: raise max_connections, or set GATEHOUSE_DATABASE_POOL or GATEHOUSE_PROCESSES lower',
    )
}
