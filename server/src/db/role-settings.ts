import type pg from 'pg'

/** Key of an advisory lock: PostgreSQL refuses two concurrent changes of a role's settings. */
const LOCK = 7_241_016

const FIND_ROLE = `select current_user as role, current_database() as database,
  (select setconfig from pg_db_role_setting join pg_roles on pg_roles.oid = setrole join pg_database on pg_database.oid = setdatabase
    where rolname = current_user and datname = current_database()) as stored`

interface RoleRow {
  readonly role: string
  readonly database: string
  /** `name=value` each. */
  readonly stored: readonly string[] | null
}

/**
 * Stores settings for the role of `pool` in its database, so that a pooler in transaction mode opens its connections with them. Later
 * connections get them; `onChange` is called with a text if the settings were different. A role may change its own settings.
 *
 * @param session without the pooler
 */
export async function storeRoleSettings(
  { pool, session }: { readonly pool: pg.Pool; readonly session: pg.Pool },
  settings: Readonly<Record<string, string>>,
  onChange: (text: string) => void,
): Promise<void> {
  const { rows } = await pool.query<RoleRow>(FIND_ROLE)
  const [row] = rows
  if (!row) throw new Error('the database did not name its role')
  const wanted = Object.entries(settings)
  if (wanted.every(([name, value]) => row.stored?.includes(`${name}=${value}`))) return
  const client = await session.connect()
  const target = `${client.escapeIdentifier(row.role)} in database ${client.escapeIdentifier(row.database)}`
  const statements = wanted.map(([name, value]) => `alter role ${target} set ${name} = ${client.escapeLiteral(value)}`)
  try {
    await client.query(['begin', `select pg_advisory_xact_lock(${LOCK})`, ...statements, 'commit'].join('; '))
  } catch (cause) {
    throw new Error(`the settings of role ${row.role} cannot be stored. Run as a superuser: ${statements.join('; ')}`, { cause })
  } finally {
    client.release(true)
  }
  onChange(
    `the time limits of role ${row.role} were stored: connections that the pooler has open keep the previous ones until it closes them (RECONNECT in PgBouncer)`,
  )
}
