import { type Static, Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import { Name, resettable, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'
import { AvatarUrl } from '../people/contact.ts'

export const ASSISTANT_ROLE = 'assistant'

export type Assistant = Entity<'workspace_user', 'id' | 'workspace_id' | 'username' | 'created_at'> &
  Entity<'contact_profile', 'display_name' | 'avatar_url'> & {
    readonly applicationId: string
    readonly applicationArchivedAt: Date | null
  }

const profile = { display_name: resettable(Name), avatar_url: AvatarUrl }

/** Body of `POST /admin/v1/assistants`. The server generates an `id` if there is none. */
export const AssistantCreate = Type.Object(
  {
    id: Type.Optional(Name),
    username: { ...Name, description: 'Mentioned as `@username` in groups.' },
    application_id: Type.String({ maxLength: 200, description: 'The Application that answers. It needs a default model.' }),
    ...profile,
  },
  { additionalProperties: false },
)
export type AssistantCreate = Static<typeof AssistantCreate>

/** Body of `PATCH /admin/v1/assistants/:id`. Absent fields stay; null clears a field. */
export const AssistantPatch = Type.Object(
  { username: Type.Optional(Name), application_id: Type.Optional(Type.String({ maxLength: 200 })), ...profile },
  { additionalProperties: false },
)
export type AssistantPatch = Static<typeof AssistantPatch>

export const AssistantView = Type.Object({
  id: Type.String(),
  object: Type.Literal('assistant'),
  workspace_id: Type.String(),
  username: Type.String(),
  display_name: Type.Union([Type.String(), Type.Null()]),
  avatar_url: Type.Union([Type.String(), Type.Null()]),
  application_id: Type.String(),
  application_archived_at: nullable({
    ...Timestamp,
    description:
      'Since then its Application is archived, and the assistant tells users that it is no longer available. null: it answers.',
  }),
  created_at: Timestamp,
})

export const assistantView = (assistant: Assistant) => viewOf(AssistantView, assistant)
