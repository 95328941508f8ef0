import { execute } from './execute.ts'

/** Operators, their sign-in, roles and notifications, admin tokens, and saved views. */
export const up = execute([
  // better-auth reads and writes the tables up to the invitations as well (domains/operators/sign-in.ts).
  // could_cause_requests: whether an earlier role can cause requests; such an operator cannot approve under separation of duties.
  // invited_by, password_by: the issuer of the invitation, or of the link with which the password was chosen: an id, or 'server'; null: unknown, which
  // is not trusted. suspended_at: single sign-on names no role for the operator any more.
  `create table operator (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified boolean not null,
    image text,
    role text not null,
    could_cause_requests boolean not null default false,
    invited_by text,
    password_by text,
    suspended_at timestamptz,
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
  'create index operator_session_operator on operator_session (operator_id)',
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
  'create index operator_account_operator on operator_account (operator_id)',
  `create table operator_second_factor (
    id text primary key,
    operator_id text not null references operator on delete cascade,
    secret text not null,
    backup_codes text not null,
    verified boolean,
    failed_count integer,
    locked_until timestamptz
  )`,
  'create index operator_second_factor_operator on operator_second_factor (operator_id)',
  // States of sign-ins in progress.
  `create table operator_verification (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index operator_verification_identifier on operator_verification (identifier)',
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
    issued_by text,
    created_at timestamptz not null,
    unique nulls not distinct (operator_id)
  )`,
  // role null: a former role that is kept for `could_cause_requests`.
  `create table operator_role (
    operator_id text not null references operator on delete cascade,
    workspace_id uuid not null references workspace,
    role text,
    could_cause_requests boolean not null default false,
    primary key (operator_id, workspace_id)
  )`,
  'create index operator_role_workspace on operator_role (workspace_id, operator_id)',
  // issued_by: an operator's id, or an admin token's that no operator issued; null: issued on the server itself.
  // scopes null: all scopes. workspace_ids null: all Workspaces.
  `create table admin_token (
    id uuid primary key,
    name text not null,
    hash bytea not null unique,
    scopes text[],
    workspace_ids uuid[],
    issued_by text,
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
  // Absences of reviewers, and their delegates.
  `create table operator_absence (
    operator_id text primary key references operator on delete cascade,
    delegate_id text references operator on delete set null,
    starts_at timestamptz not null,
    ends_at timestamptz not null
  )`,
  // Topics that operators get by e-mail, and the queue of these e-mails.
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
  // Views of lists that operators save. A private view is removed with the operator: private_to is the operator who sees it.
  `create table saved_view (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    page text not null,
    name text not null,
    query jsonb not null,
    columns jsonb,
    shared boolean not null,
    owner text not null,
    private_to text references operator on delete cascade,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  'create index saved_view_workspace on saved_view (workspace_id, id)',
  'create unique index saved_view_name on saved_view (workspace_id, owner, page, name)',
  'create index saved_view_operator on saved_view (private_to)',
  // Operators who have dismissed the setup checklist.
  `create table setup_dismissal (
    workspace_id uuid not null references workspace (id) on delete cascade,
    operator_id text not null references operator (id) on delete cascade,
    dismissed_at timestamptz not null,
    primary key (workspace_id, operator_id)
  )`,
])
