import pg from 'pg'

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
