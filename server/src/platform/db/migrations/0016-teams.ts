import { execute } from './execute.ts'

/** Teams of API keys. */
export const up = execute([
  // limits: those that were set. models: null allows all models of the Applications. members: ids of users; null: everyone.
  `create table team (
    id uuid primary key,
    workspace_id uuid not null references workspace,
    name text not null,
    limits jsonb not null default '{}',
    models jsonb,
    members jsonb,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (workspace_id, name)
  )`,
  'alter table api_key add column team_id uuid references team',
  'create index api_key_team on api_key (team_id) where team_id is not null',
])
