import { Type } from 'typebox'
import { Name } from '../../../platform/lib/fields.ts'
import { AvatarUrl, defaultAvatarUrl } from '../people/contact.ts'
import { Seconds, seconds } from '../timestamps.ts'

/** The owner included (MSG-RES-3). */
export const MAX_MEMBERS = 1_000

/** Users and assistants of a Workspace who share conversations. */
export interface Group {
  /** `grp_…` */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly avatarUrl: string | null
  readonly ownerId: string
  /** Sorted ids of all members, including the owner. */
  readonly memberIds: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

const ContactIds = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: MAX_MEMBERS,
  description: 'Ids of the members. The owner is always a member.',
})
const Description = Type.String({ maxLength: 2_000 })

/** Body of `POST /v1/groups`. The caller becomes the owner. */
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

/** Body of `POST /v1/groups/:id/contacts`. */
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

export const groupView = (group: Group, base: string) => ({
  id: group.id,
  object: 'group' as const,
  name: group.name,
  description: group.description,
  avatar_url: group.avatarUrl ?? defaultAvatarUrl(group.name, base),
  owner_id: group.ownerId,
  contacts: group.memberIds,
  created_at: seconds(group.createdAt),
  updated_at: seconds(group.updatedAt),
})
