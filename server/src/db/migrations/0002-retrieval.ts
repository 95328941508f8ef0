import { type Kysely, sql } from 'kysely'

/** Index entries and their postings, by partition. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table retrieval_partition (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspace,
    kind text not null,
    key text not null,
    language text not null,
    entries integer not null default 0,
    total_length bigint not null default 0,
    next_number bigint not null default 0,
    unique (workspace_id, kind, key)
  )`,
  `create table retrieval_entry (
    id uuid primary key,
    partition_id bigint not null references retrieval_partition,
    number bigint not null,
    length integer not null,
    terms text not null,
    unique (partition_id, number)
  )`,
  // Plain: 256 postings are 1 KiB, which is never worth a second table; the free space keeps updates on their page.
  `create table retrieval_posting (
    partition_id bigint not null references retrieval_partition,
    term text collate "C" not null,
    block integer not null,
    postings bytea not null,
    primary key (partition_id, term, block)
  ) with (fillfactor = 85)`,
  // Apart from the column: PostgreSQL 15 takes no storage there.
  `alter table retrieval_posting alter column postings set storage plain`,
  // For words with a slip at their beginning.
  `create index retrieval_posting_ending on retrieval_posting (partition_id, reverse(term), block)`,
]
