import { type Kysely, sql } from 'kysely'

/** Operators, their sign-in and admin tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // better-auth reads and writes the tables up to the invitations as well (operators/sign-in.ts).
  `create table operator (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified boolean not null,
    image text,
    role text not null,
    two_factor_enabled boolean not null default false,
    last_signed_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create table operator_session (
    id text primary key,
    operator_id text not null references operator on delete cascade,
    token text not null unique,
    ip_address text,
    user_agent text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index operator_session_operator on operator_session (operator_id)`,
  // A method of sign-in: a password, or an identity at the OIDC provider, whose tokens are not stored.
  `create table operator_account (
    id text primary key,
    operator_id text not null references operator on delete cascade,
    provider_id text not null,
    account_id text not null,
    password text,
    scope text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz,
    refresh_token_expires_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (provider_id, account_id)
  )`,
  `create index operator_account_operator on operator_account (operator_id)`,
  `create table operator_second_factor (
    id text primary key,
    operator_id text not null references operator on delete cascade,
    secret text not null,
    backup_codes text not null,
    verified boolean,
    failed_count integer,
    locked_until timestamptz
  )`,
  `create index operator_second_factor_operator on operator_second_factor (operator_id)`,
  // States of sign-ins in progress.
  `create table operator_verification (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index operator_verification_identifier on operator_verification (identifier)`,
  `create table operator_rate_limit (
    id text primary key,
    key text not null unique,
    count integer not null,
    last_request bigint not null
  )`,
  // Without an operator: the first one, who is made when it is accepted.
  `create table operator_invitation (
    hash bytea primary key,
    operator_id text references operator on delete cascade,
    expires_at timestamptz,
    created_at timestamptz not null,
    unique nulls not distinct (operator_id)
  )`,
  // null: all scopes, as for tokens from before there were scopes.
  `alter table admin_token add column scopes text[]`,
  // Id of an operator or admin token; null: issued on the server itself.
  `alter table admin_token add column issued_by text`,
]
