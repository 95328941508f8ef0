import { type Kysely, sql } from 'kysely'

/**
 * Roles in single Workspaces, and admin tokens for single Workspaces. The role in all Workspaces stays in `operator.role`, where older
 * nodes read and write it (docs/decisions/0035-workspace-roles.md).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // role null: a former role that is kept for `could_cause_requests`.
  `create table operator_role (
    operator_id text not null references operator on delete cascade,
    workspace_id uuid not null references workspace,
    role text,
    could_cause_requests boolean not null default false,
    primary key (operator_id, workspace_id)
  )`,
  `create index operator_role_workspace on operator_role (workspace_id, operator_id)`,
  // null: all Workspaces. Otherwise `hash` matches no token, so that older nodes refuse it.
  `alter table admin_token add column workspace_ids uuid[]`,
  `alter table admin_token add column limited_hash bytea`,
  `create unique index admin_token_limited_hash on admin_token (limited_hash)`,
]
