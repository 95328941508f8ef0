import type { Tx } from '../db/database.ts'
import { findApplicationByName } from '../identity/application-store.ts'
import { findUser } from '../identity/user-store.ts'
import { createAssistant } from '../messaging/assistants/assistant-store.ts'
import { createGroup } from '../messaging/groups/group-store.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../messaging/people/access-token-store.ts'
import { updateProfile } from '../messaging/people/contact-store.ts'
import type { ApplyContext } from '../setup/apply-context.ts'
import type { Change } from '../setup/change.ts'
import type { DeclaredUser } from '../setup/declaration.ts'
import { governFields } from '../setup/govern-fields.ts'

const TOKEN_NAME = 'demo'

/** Numbers that the British regulator keeps for fiction. */
const PROFILES = {
  alice: { displayName: 'Alice Moreno', phoneNumber: '+44 1632 960001' },
  bob: { displayName: 'Bob Lindqvist', phoneNumber: '+44 1632 960002' },
  carol: { displayName: 'Carol Nakamura', phoneNumber: '+44 1632 960003' },
} as const

/** Faces and numbers for the demo's users, a group of three, and an assistant that answers for the Application `support`. */
export async function seedMessaging(context: ApplyContext): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  for (const [id, profile] of Object.entries(PROFILES)) {
    const known = await findUser(tx, workspaceId, id)
    if (known) {
      const governed = await governFields(context, 'users', profile)
      await updateProfile(tx, { workspaceId, user: { ...known, verified: true } }, governed)
    }
  }
  const members = Object.keys(PROFILES)
  const shown = { name: 'Order desk', description: 'Whoever has to do with orders.' }
  const fields = await governFields(context, 'groups', shown)
  const group = await createGroup(tx, workspaceId, { ...fields, avatarUrl: null, ownerId: 'alice' }, members, now)
  const changes: Change[] = [{ done: 'created', object: 'group', id: group.id, name: fields.name, fields: [] }]
  const application = await findApplicationByName(tx, workspaceId, 'support')
  if (!application) return changes
  const assistant = await governFields(context, 'assistants', { username: 'ada', display_name: 'Ada, the assistant' })
  const made = await createAssistant(tx, workspaceId, { ...assistant, id: 'ada', application_id: application.id }, now)
  if (made.ok) changes.push({ done: 'created', object: 'user', id: made.assistant.id, name: assistant.username, fields: [] })
  return changes
}

/** A fresh access token for each user, by the user's id; those of an earlier demo.json end. */
export async function issueDemoTokens(
  tx: Tx,
  workspaceId: string,
  users: readonly DeclaredUser[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>()
  for (const { id } of users) {
    const page = await listAccessTokens(tx, workspaceId, id, { limit: 100 })
    for (const old of page?.data ?? []) if (old.name === TOKEN_NAME) await revokeAccessToken(tx, workspaceId, old.id, now)
    const issued = await issueAccessToken(tx, workspaceId, id, TOKEN_NAME, now)
    if (issued) tokens.set(id, issued.token)
  }
  return tokens
}
