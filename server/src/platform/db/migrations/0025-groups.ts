import { execute } from './execute.ts'

/** Groups of users for access lists and policies. */
export const up = execute([
  // id: as access lists and user tokens name it.
  `create table user_group (
    workspace_id uuid not null references workspace,
    id text not null,
    name text not null,
    source text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (workspace_id, id)
  )`,
  // member: id of a user, or of a group that may not be stored yet.
  `create table user_group_member (
    workspace_id uuid not null,
    group_id text not null,
    kind text not null,
    member text not null,
    primary key (workspace_id, group_id, kind, member),
    foreign key (workspace_id, group_id) references user_group on delete cascade
  )`,
  'create index user_group_member_member on user_group_member (workspace_id, kind, member)',
])
