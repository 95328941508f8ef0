import { execute } from './execute.ts'

/** The search index in larger blocks, with entries that are not in its lists yet (pending) or no longer (removed). */
export const up = execute([
  // No foreign key: PostgreSQL would check it for each of a chunk's hundred terms. Plain: 1,024 postings are 4 KiB, which fit into a page.
  `create table retrieval_list (
    partition_id bigint not null,
    term text collate "C" not null,
    block integer not null,
    postings bytea not null,
    primary key (partition_id, term, block)
  ) with (fillfactor = 90)`,
  'alter table retrieval_list alter column postings set storage plain',
  // From this number on, postings of the partition's entries are not in its lists yet. Null: all are.
  'alter table retrieval_partition add column pending_from bigint',
  'create index retrieval_partition_pending on retrieval_partition (id) where pending_from is not null',
  // Its terms and how often it has each, compressed (domains/retrieval/packed-terms.ts). The column `terms` is empty then.
  'alter table retrieval_entry add column packed bytea',
  // Entries that were removed while their postings stay in the lists.
  `create table retrieval_removed (
    partition_id bigint not null references retrieval_partition,
    number bigint not null,
    packed bytea not null,
    primary key (partition_id, number)
  )`,
  // A trigger, so that entries that the last release deletes while it still runs are recorded too.
  `create function record_removed_entries() returns trigger language plpgsql as $$ begin
    insert into retrieval_removed (partition_id, number, packed)
    select gone.partition_id, gone.number, gone.packed
    from gone join retrieval_partition as partition on partition.id = gone.partition_id
    where gone.packed is not null and (pending_from is null or gone.number < pending_from);
    return null;
  end $$`,
  `create trigger record_removed_entries after delete on retrieval_entry
    referencing old table as gone for each statement execute function record_removed_entries()`,
])
