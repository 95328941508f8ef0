import { type Kysely, sql } from 'kysely'

/**
 * Seals of the audit log under the secret key: write access to the database is not enough to forge the log
 * (docs/decisions/0007-audit.md). All columns are nullable, because an older node writes without them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `alter table workspace add column audit_seal text`,
  `alter table audit_record add column seal bytea`,
  `alter table audit_checkpoint add column previous bytea, add column previous_signature bytea`,
  // Checkpoints are the index of times; where the clock was set back, they are not in the order of their sizes.
  `create index audit_checkpoint_time on audit_checkpoint (workspace_id, created_at) include (size)`,
  `create table audit_delivery (
    workspace_id uuid not null references workspace,
    target text not null,
    size bigint not null,
    seal text not null,
    primary key (workspace_id, target)
  )`,
]
