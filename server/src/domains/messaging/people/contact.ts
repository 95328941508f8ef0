import { Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import { Line, Name } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { inSeconds, Seconds, seconds } from '../timestamps.ts'

export interface Contact
  extends Entity<'workspace_user', 'id' | 'username' | 'created_at'>,
    Omit<Entity<'contact_profile'>, 'workspaceId' | 'userId'> {}

const nullable = (schema: ReturnType<typeof Type.String>) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Absolute URL of a picture. null: the default avatar. */
export const AvatarUrl = nullable(Type.String({ maxLength: 2_048, pattern: '^https?://[^\\s<>"]+$', format: 'url' }))

export const ContactUpdate = Type.Object({
  display_name: nullable(Name),
  phone_number: nullable(Type.String({ maxLength: 40, pattern: '^\\+?[0-9 ()./-]*$' })),
  avatar_url: AvatarUrl,
})

export const ContactView = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('contact'),
    username: Line,
    display_name: Type.Union([Type.String(), Type.Null()]),
    phone_number: Type.String(),
    avatar_url: Type.String({ format: 'uri' }),
    is_assistant: Type.Boolean(),
    last_active_at: Seconds,
    created_at: Seconds,
  },
  { description: 'A user of the Workspace.' },
)

export const contactView = (contact: Contact, base: string) =>
  viewOf(ContactView, {
    ...inSeconds(contact),
    avatarUrl: contact.avatarUrl ?? defaultAvatarUrl(contact.displayName ?? contact.username, base),
    isAssistant: contact.applicationId !== null,
    lastActiveAt: seconds(contact.lastActiveAt ?? contact.createdAt),
  })

export const defaultAvatarUrl = (name: string, base: string): string => `${base}/v1/avatars/${encodeURIComponent(name)}`
