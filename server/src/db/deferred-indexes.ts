import { type Kysely, sql } from 'kysely'
import type pg from 'pg'

/** An index of a table that may be too large to index while the migration holds its lock. */
interface DeferredIndex {
  readonly name: string
  readonly table: string
  /** Table, columns and condition: the SQL after `on`. */
  readonly on: string
}

/**
 * Indexes for lists that filter on a rare value (docs/decisions/0007-audit.md). They omit the frequent value of the column: a list of
 * it is fast without an index, and most rows then need no entry.
 */
export const FILTER_INDEXES: readonly DeferredIndex[] = [
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
  { name: 'review_item_next', table: 'review_item', on: "review_item (workspace_id, expires_at, id) where state = 'pending'" },
  { name: 'review_item_created', table: 'review_item', on: 'review_item (workspace_id, created_at)' },
  { name: 'review_item_kind', table: 'review_item', on: "review_item (workspace_id, kind, id) where kind <> 'hold'" },
  { name: 'memory_item_application', table: 'memory_item', on: 'memory_item (workspace_id, application_id, id)' },
  { name: 'memory_item_mode', table: 'memory_item', on: "memory_item (workspace_id, mode, id) where mode <> 'active'" },
  {
    name: 'webhook_delivery_state',
    table: 'webhook_delivery',
    on: "webhook_delivery (workspace_id, webhook_id, state, id) where state <> 'delivered'",
  },
]

/** Counts cached tokens: records without any need no entry. */
export const USAGE_INDEXES: readonly DeferredIndex[] = [
  {
    name: 'audit_record_cache_read',
    table: 'audit_record',
    on: 'audit_record (workspace_id, created_at) include (application_id, endpoint, cache_read_tokens) where cache_read_tokens is not null',
  },
]

/**
 * Words of messages together with the conversation: a search reads only entries of the member's conversations, however many messages of
 * others have the words. The last release searches with `message_words`, which the next one drops (docs/operations.md, Upgrade). And
 * rows of an older tokenizer, which jobs fill: empty at their end.
 */
export const WORD_INDEXES: readonly DeferredIndex[] = [
  {
    name: 'message_search',
    table: 'message',
    on: 'message using gin ((coalesce(words, language_vector || array_to_tsvector(array[conversation_id::text]))))',
  },
  { name: 'message_tokenizer', table: 'message', on: 'message (id) where tokenizer < 2' },
  { name: 'retrieval_entry_tokenizer', table: 'retrieval_entry', on: 'retrieval_entry (partition_id, id) where tokenizer < 2' },
]

const DEFERRED_INDEXES = [...FILTER_INDEXES, ...USAGE_INDEXES, ...WORD_INDEXES]

/** An index on a table of up to this many rows is built in less than a second. */
const SMALL_TABLE_ROWS = 50_000
/** Key of an advisory lock (`GATE` in ASCII): one node builds indexes at a time. */
const LOCK = 0x47415445

/** For a migration: builds the indexes of small tables at once; `buildDeferredIndexes` builds the others without blocking writes. */
export async function indexSmallTables(db: Kysely<unknown>, indexes: readonly DeferredIndex[]): Promise<void> {
  // Each table is counted once, because its writers wait.
  for (const [table, own] of Map.groupBy(indexes, (index) => index.table)) {
    if (!(await isSmall(db, table))) continue
    for (const { name, on } of own) await sql.raw(`create index if not exists ${name} on ${on}`).execute(db)
  }
}

async function isSmall(db: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql<{ rows: number }>`
    select count(*)::int as rows from (select 1 from ${sql.table(table)} limit ${SMALL_TABLE_ROWS + 1}) as first`.execute(db)
  return (rows[0]?.rows ?? 0) <= SMALL_TABLE_ROWS
}

/** Not `Database`, whose import would be circular: a migration imports this file. */
interface IndexedDatabase {
  readonly sessionPool: pg.Pool
  readonly kind: 'embedded' | 'postgresql'
}

/**
 * Builds missing indexes, one after the other, without blocking writes: `create index concurrently` cannot run in the transaction of a
 * migration. Does nothing if another node is building them.
 */
export async function buildDeferredIndexes({ sessionPool: pool, kind }: IndexedDatabase): Promise<void> {
  const missing = await findMissing(pool)
  if (missing.length === 0) return
  // All connections share one session of the embedded database: there are no concurrent writes, and a lock would have no effect.
  if (kind === 'embedded') {
    for (const { name, on } of missing) await pool.query(`create index if not exists ${name} on ${on}`)
    return
  }
  const client = await pool.connect()
  try {
    const locked = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
    if (!locked.rows[0]?.locked) return
    await client.query('set statement_timeout = 0')
    await client.query('set lock_timeout = 0')
    for (const missing of await findMissing(client)) await build(client, missing)
  } finally {
    // Closing the connection releases the lock; without time limits it must not return to the pool.
    client.release(true)
  }
}

async function build(client: pg.PoolClient, { name, table, on }: DeferredIndex): Promise<void> {
  const { rows } = await client.query<{ partition: string }>(
    'select relname as partition from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass($1)',
    [table],
  )
  if (rows.length === 0) await buildOne(client, name, on)
  else await buildParts(client, { name, table, on }, rows)
  // The planner has no statistics of an expression before.
  await client.query(`analyze ${table}`)
}

/** Drops the index first: an interrupted attempt leaves an invalid index, which costs writes and is not used. */
async function buildOne(client: pg.PoolClient, name: string, on: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${name}`)
  await client.query(`create index concurrently ${name} on ${on}`)
}

/** PostgreSQL has no `create index concurrently` for a partitioned table: its index is valid when that of each partition is attached. */
async function buildParts(
  client: pg.PoolClient,
  { name, table, on }: DeferredIndex,
  partitions: readonly { readonly partition: string }[],
): Promise<void> {
  await client.query(`begin; set local lock_timeout = '1s'; create index if not exists ${name} on only ${on}; commit`)
  const { rows } = await client.query<{ partition: string }>(
    `select partition.relname as partition from pg_inherits join pg_index on indexrelid = inhrelid
      join pg_class as partition on partition.oid = indrelid where inhparent = $1::regclass`,
    [name],
  )
  for (const { partition } of partitions) {
    if (rows.some((built) => built.partition === partition)) continue
    const part = `${partition}${name.slice(table.length)}`
    await buildOne(client, part, `${partition}${on.slice(table.length)}`)
    await client.query(`alter index ${name} attach partition ${part}`)
  }
}

/** Whether an index of the table is still to be built. */
export const hasMissingIndexes = async (pool: pg.Pool, table: string): Promise<boolean> =>
  (await findMissing(pool)).some((index) => index.table === table)

async function findMissing(connection: pg.Pool | pg.PoolClient): Promise<readonly DeferredIndex[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indisvalid and relname = any($1::text[]) and pg_table_is_visible(pg_class.oid)`,
    [DEFERRED_INDEXES.map(({ name }) => name)],
  )
  const valid = new Set(rows.map(({ name }) => name))
  return DEFERRED_INDEXES.filter(({ name }) => !valid.has(name))
}
