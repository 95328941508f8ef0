import { type Kysely, sql } from 'kysely'
import { indexSmallTables, WORD_INDEXES } from '../deferred-indexes.ts'

/**
 * Words of messages as the tokenizer of documents and memories gives them, and its version for each indexed row. Existing rows have
 * version 1: jobs index them again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  await indexSmallTables(db, WORD_INDEXES)
}

const STATEMENTS = [
  `alter table message add column words tsvector, add column tokenizer smallint not null default 1`,
  `alter table retrieval_entry add column tokenizer smallint not null default 1`,
  // A node of the last release changes the text without its words.
  `create function forget_message_words() returns trigger language plpgsql as $$
  begin
    new.words := null;
    new.tokenizer := 1;
    return new;
  end $$`,
  `create trigger forget_message_words before update of text on message for each row
    when (new.text is distinct from old.text and new.words is not distinct from old.words)
    execute function forget_message_words()`,
]
