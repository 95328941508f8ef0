import { Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import { Name } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { AvatarUrl, defaultAvatarUrl } from '../people/contact.ts'
import { inSeconds, Seconds } from '../timestamps.ts'

/** The owner included (MSG-RES-3). */
export const MAX_MEMBERS = 1_000

export interface Group extends Entity<'messaging_group'> {
  readonly memberIds: readonly string[]
}

const ContactIds = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: MAX_MEMBERS,
  description: 'Ids of the members. The owner is always a member.',
})
const Description = Type.String({ maxLength: 2_000 })

export const GroupCreate = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  avatar_url: AvatarUrl,
  contacts: Type.Optional(ContactIds),
})

/** Body of `PUT /v1/groups/:id`. Missing fields stay unchanged. `contacts` replaces all members except the owner. */
export const GroupUpdate = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  avatar_url: AvatarUrl,
  contacts: Type.Optional(ContactIds),
  owner_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
})

export const MemberAdd = Type.Object({ contact_id: Type.String({ minLength: 1, maxLength: 200 }) })

export const GroupView = Type.Object({
  id: Type.String(),
  object: Type.Literal('group'),
  name: Type.String(),
  description: Type.String(),
  avatar_url: Type.String({ format: 'uri' }),
  owner_id: Type.String(),
  contacts: Type.Array(Type.String(), { description: 'Ids of the members.' }),
  created_at: Seconds,
  updated_at: Seconds,
})

export const groupView = (group: Group, base: string) =>
  viewOf(GroupView, {
    ...inSeconds(group),
    avatarUrl: group.avatarUrl ?? defaultAvatarUrl(group.name, base),
    contacts: group.memberIds,
  })
