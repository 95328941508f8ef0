import { type Kysely, sql } from 'kysely'
import type pg from 'pg'

/** An index of a table that may be too large to index while the migration holds its lock. */
interface DeferredIndex {
  readonly name: string
  readonly table: string
  /** What follows `on`. */
  readonly on: string
}

/**
 * For lists that filter on a rare value (docs/decisions/0007-audit.md). The frequent value of each column is left out: a list of
 * those finds its page at once, and an ordinary record costs no entry.
 */
const DEFERRED_INDEXES: readonly DeferredIndex[] = [
  { name: 'audit_record_status', table: 'audit_record', on: 'audit_record (workspace_id, status, sequence) where status <> 200' },
  {
    name: 'audit_record_risk',
    table: 'audit_record',
    on: "audit_record (workspace_id, risk_level, sequence) where risk_level <> 'low'",
  },
  {
    name: 'audit_record_endpoint',
    table: 'audit_record',
    on: "audit_record (workspace_id, endpoint, sequence) where endpoint <> 'chat'",
  },
  { name: 'review_item_application', table: 'review_item', on: 'review_item (workspace_id, application_id, id)' },
  { name: 'review_item_kind', table: 'review_item', on: "review_item (workspace_id, kind, id) where kind <> 'hold'" },
  { name: 'memory_item_application', table: 'memory_item', on: 'memory_item (workspace_id, application_id, id)' },
  { name: 'memory_item_mode', table: 'memory_item', on: "memory_item (workspace_id, mode, id) where mode <> 'active'" },
  {
    name: 'webhook_delivery_state',
    table: 'webhook_delivery',
    on: "webhook_delivery (workspace_id, webhook_id, state, id) where state <> 'delivered'",
  },
]

/** Up to this many rows, an index is built in well under a second. */
const SMALL = 50_000
/** `GATE` in ASCII: nodes build one index at a time. */
const LOCK = 0x47415445

/** For a migration: builds the indexes of small tables at once; `buildDeferredIndexes` builds the others without blocking writes. */
export async function indexSmallTables(db: Kysely<unknown>): Promise<void> {
  for (const { name, table, on } of DEFERRED_INDEXES) {
    const { rows } = await sql<{ rows: number }>`
      select count(*)::int as rows from (select 1 from ${sql.table(table)} limit ${SMALL + 1}) as first`.execute(db)
    if ((rows[0]?.rows ?? 0) <= SMALL) await sql.raw(`create index if not exists ${name} on ${on}`).execute(db)
  }
}

/** The part of `Database` that is used: its type would close a circle of imports, as a migration imports this file. */
interface IndexedDatabase {
  readonly pool: pg.Pool
  readonly kind: 'embedded' | 'postgresql'
}

/**
 * Builds what is missing, one index after the other, without blocking writes (`create index concurrently`, which runs in no
 * transaction and therefore in no migration). Does nothing while another node does it.
 */
export async function buildDeferredIndexes({ pool, kind }: IndexedDatabase): Promise<void> {
  const absent = await missing(pool)
  if (absent.length === 0) return
  // The embedded database has one session for all connections: there is nobody to be concurrent with, and no lock against oneself.
  if (kind === 'embedded') {
    for (const { name, on } of absent) await pool.query(`create index if not exists ${name} on ${on}`)
    return
  }
  const client = await pool.connect()
  try {
    const locked = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
    if (!locked.rows[0]?.locked) return
    await client.query('set statement_timeout = 0')
    await client.query('set lock_timeout = 0')
    for (const { name, on } of await missing(client)) await build(client, name, on)
  } finally {
    // Closed, which ends the lock: a connection without time limits does not go back to the pool.
    client.release(true)
  }
}

/** An earlier attempt that broke off leaves an invalid index, which every write maintains and no query uses. */
async function build(client: pg.PoolClient, name: string, on: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${name}`)
  await client.query(`create index concurrently ${name} on ${on}`)
}

async function missing(from: pg.Pool | pg.PoolClient): Promise<readonly DeferredIndex[]> {
  const { rows } = await from.query<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indisvalid and relname = any($1::text[]) and pg_table_is_visible(pg_class.oid)`,
    [DEFERRED_INDEXES.map(({ name }) => name)],
  )
  const valid = new Set(rows.map(({ name }) => name))
  return DEFERRED_INDEXES.filter(({ name }) => !valid.has(name))
}
