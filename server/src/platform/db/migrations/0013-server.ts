import { execute } from './execute.ts'

/** The configuration file and the secret keys of the server. */
export const up = execute([
  // The declarations of the configuration file as they were last applied, so that a start applies only those that have changed. workspace_id is the
  // nil UUID for declarations of the whole server; name is hashed for users.
  `create table applied_declaration (
    workspace_id uuid not null,
    object text not null,
    name text not null,
    hash text not null,
    applied_at timestamptz not null,
    primary key (workspace_id, object, name)
  )`,
  // How many values each secret key has sealed, by column; key_id is empty for values that no configured key opens.
  `create table sealed_value_count (
    table_name text not null,
    column_name text not null,
    key_id text not null,
    total bigint not null,
    counted_at timestamptz not null,
    primary key (table_name, column_name, key_id)
  )`,
])
