import { type Kysely, sql } from 'kysely'

/** Formats of webhooks, what operators get by e-mail, and the queue of these e-mails. */
const STATEMENTS = [
  `alter table webhook add column format text not null default 'standard'`,
  'alter table review_item add column overdue_announced_at timestamptz',
  'alter table api_key add column expiry_announced_at timestamptz',
  `create table operator_notification (
    operator_id text primary key references operator on delete cascade,
    topics text[] not null,
    since timestamptz not null
  )`,
  `create table mail_position (
    workspace_id uuid primary key references workspace on delete cascade,
    position bigint not null
  )`,
  `create table mail_notification (
    id uuid primary key,
    operator_id text not null references operator on delete cascade,
    workspace_id uuid not null references workspace on delete cascade,
    sequence bigint not null,
    topic text not null,
    type text not null,
    payload jsonb not null,
    created_at timestamptz not null,
    attempts integer not null default 0,
    due_at timestamptz not null,
    leased_until timestamptz,
    unique (operator_id, workspace_id, sequence)
  )`,
  'create index mail_notification_due on mail_notification (due_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
