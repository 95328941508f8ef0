import { execute } from './execute.ts'

/** Providers and their models. */
export const up = execute([
  // idle_timeout_ms null: the setting of the server. preset: the server whose differences from OpenAI its requests respect.
  // stream: whether chat responses are requested as streams.
  `create table provider (
    workspace_id uuid not null references workspace,
    id text not null,
    kind text not null,
    source text not null,
    base_url text,
    api_key bytea,
    api_key_env text,
    headers jsonb not null,
    path text not null,
    preset text,
    stream boolean not null default true,
    timeout_ms integer not null,
    idle_timeout_ms integer,
    max_retries integer not null,
    max_concurrency integer not null,
    weight double precision not null,
    region text,
    max_classification text not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id)
  )`,
  // api: some models of a provider exist only in its Responses API.
  `create table model (
    workspace_id uuid not null,
    provider_id text not null,
    id text not null,
    upstream_name text,
    api text not null default 'chat',
    input_price double precision,
    output_price double precision,
    cache_read_price double precision,
    cache_write_price double precision,
    cache_write_1h_price double precision,
    reasoning_price double precision,
    request_price double precision,
    created_at timestamptz not null,
    primary key (workspace_id, provider_id, id),
    foreign key (workspace_id, provider_id) references provider on delete cascade
  )`,
])
