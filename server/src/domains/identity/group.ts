import { type Static, Type } from 'typebox'
import type { Entity } from '../../platform/db/from-row.ts'
import { Line, Name, resettable, Timestamp } from '../../platform/lib/fields.ts'
import { viewOf } from '../../platform/lib/view.ts'
import { nullable } from '../../shared/schemas.ts'

/** A group of users, and of the members of other groups, for access lists and policies. */
export interface Group extends Entity<'user_group'> {
  /** Numbers of the members that it names itself. */
  readonly users: number
  readonly groups: number
}

/** Most members that a request adds or removes. */
const MAX_MEMBERS = 1_000

/** Body of `POST /admin/v1/user-groups`. */
export const GroupPut = Type.Object({
  id: Name,
  name: resettable(Type.String({ ...Line, description: 'For people. null: the id.' })),
  source: resettable(
    Type.String({
      ...Line,
      minLength: 1,
      description: 'The directory that it is copied from, as one name for all of its groups.',
    }),
  ),
})
export type GroupPut = Static<typeof GroupPut>

const Members = Type.Optional(
  Type.Object(
    {
      users: Type.Optional(Type.Array(Name, { maxItems: MAX_MEMBERS, description: 'Ids of users.' })),
      groups: Type.Optional(Type.Array(Name, { maxItems: MAX_MEMBERS, description: 'Ids of groups, also of later ones.' })),
    },
    { title: 'UserGroupMembers' },
  ),
)

/** Body of `POST /admin/v1/user-groups/:id/members`. */
export const MembersChange = Type.Object({ add: Members, remove: Members })
export type MembersChange = Static<typeof MembersChange>

export const GroupView = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('user_group'),
    name: Type.String(),
    source: nullable(Type.String()),
    users: Type.Integer({ description: 'Number of users that it names itself.' }),
    groups: Type.Integer({ description: 'Number of groups whose members are its members too.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'UserGroup' },
)

export const groupView = (group: Group) => viewOf(GroupView, group)

export const MEMBER_KINDS = ['user', 'group'] as const

export interface GroupMember {
  readonly kind: (typeof MEMBER_KINDS)[number]
  readonly id: string
}

export const GroupMemberView = Type.Object({
  object: Type.Literal('user_group_member'),
  kind: Type.Union(MEMBER_KINDS.map((kind) => Type.Literal(kind))),
  id: Type.String(),
})
