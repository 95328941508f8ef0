import { Type } from 'typebox'
import { Line, Name } from '../../../platform/lib/fields.ts'
import { Seconds, seconds } from '../timestamps.ts'

/** A user of the Workspace as other users see them. */
export interface Contact {
  readonly id: string
  readonly username: string
  readonly displayName: string | null
  readonly phoneNumber: string
  readonly avatarUrl: string | null
  /** `app_…` of the Application that writes an assistant's messages. null: not an assistant. */
  readonly applicationId: string | null
  readonly lastActiveAt: Date | null
  readonly createdAt: Date
}

const nullable = (schema: ReturnType<typeof Type.String>) => Type.Optional(Type.Union([schema, Type.Null()]))

/** Absolute URL of a picture. null: the default avatar. */
export const AvatarUrl = nullable(Type.String({ maxLength: 2_048, pattern: '^https?://[^\\s<>"]+$', format: 'url' }))

/** Body of `PUT /v1/contacts/:id`. */
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

/** `base`: `http://host`, for the URL of the default avatar. */
export const contactView = (contact: Contact, base: string) => ({
  id: contact.id,
  object: 'contact' as const,
  username: contact.username,
  display_name: contact.displayName,
  phone_number: contact.phoneNumber,
  avatar_url: contact.avatarUrl ?? defaultAvatarUrl(contact.displayName ?? contact.username, base),
  is_assistant: contact.applicationId !== null,
  last_active_at: seconds(contact.lastActiveAt ?? contact.createdAt),
  created_at: seconds(contact.createdAt),
})

export const defaultAvatarUrl = (name: string, base: string): string => `${base}/v1/avatars/${encodeURIComponent(name)}`
