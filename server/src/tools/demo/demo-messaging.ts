import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import { createAssistant } from '../../domains/messaging/assistants/assistant-store.ts'
import { createGroup } from '../../domains/messaging/groups/group-store.ts'
import { updateProfile } from '../../domains/messaging/people/contact-store.ts'
import { governFields } from '../setup/apply-user.ts'
import { type Change, changeOf } from '../setup/change.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

/** The numbers are in the range that Ofcom reserves for fiction. */
const PROFILES = {
  alice: { displayName: 'Alice Moreno', phoneNumber: '+44 1632 960001' },
  bob: { displayName: 'Bob Lindqvist', phoneNumber: '+44 1632 960002' },
  carol: { displayName: 'Carol Nakamura', phoneNumber: '+44 1632 960003' },
} as const

export async function seedMessaging(context: ApplyContext): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  for (const [id, profile] of Object.entries(PROFILES)) {
    const known = await findUser(tx, workspaceId, id)
    if (!known) continue
    const governed = await governFields(context, 'users', profile)
    await updateProfile(tx, { workspaceId, user: { ...known, verified: true } }, governed)
  }
  const fields = await governFields(context, 'groups', { name: 'Order desk', description: 'Questions about orders.' })
  const newGroup = { ...fields, avatarUrl: null, ownerId: 'alice' }
  const group = await createGroup(tx, workspaceId, newGroup, Object.keys(PROFILES), now)
  const changes = [changeOf('group', 'created', { id: group.id, name: fields.name })]
  const application = await findApplicationByName(tx, workspaceId, 'support')
  if (!application) return changes
  const assistantFields = await governFields(context, 'assistants', { username: 'ada', display_name: 'Ada, the assistant' })
  const created = await createAssistant(tx, workspaceId, { ...assistantFields, id: 'ada', application_id: application.id }, now)
  if (created.ok) changes.push(changeOf('user', 'created', { id: created.assistant.id, name: assistantFields.username }))
  return changes
}
