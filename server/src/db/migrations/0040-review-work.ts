import { type Kysely, sql } from 'kysely'

/** Assignment, approvals by several operators, and absences of reviewers. */
const STATEMENTS = [
  'alter table review_item add column assigned_to text',
  'alter table review_item add column required_approvals integer not null default 1',
  `alter table review_item add column approvals jsonb not null default '[]'`,
  `create table operator_absence (
    operator_id text primary key references operator on delete cascade,
    delegate_id text references operator on delete set null,
    starts_at timestamptz not null,
    ends_at timestamptz not null
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
