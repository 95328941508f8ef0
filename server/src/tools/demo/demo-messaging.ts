import { findApplicationByName } from '../../domains/identity/application-store.ts'
import { findUser } from '../../domains/identity/user-store.ts'
import { createAssistant } from '../../domains/messaging/assistants/assistant-store.ts'
import { createGroup } from '../../domains/messaging/groups/group-store.ts'
import { issueAccessToken, listAccessTokens, revokeAccessToken } from '../../domains/messaging/people/access-token-store.ts'
import { updateProfile } from '../../domains/messaging/people/contact-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Change } from '../setup/change.ts'
import type { DeclaredUser } from '../setup/declaration.ts'
import { governFields } from '../setup/govern-fields.ts'
import type { ApplyContext } from '../setup/recorded-change.ts'

const TOKEN_NAME = 'demo'

/** The numbers are in the range that Ofcom reserves for fiction. */
const PROFILES = {
  alice: { displayName: 'Alice Moreno', phoneNumber: '+44 1632 960001' },
  bob: { displayName: 'Bob Lindqvist', phoneNumber: '+44 1632 960002' },
  carol: { displayName: 'Carol Nakamura', phoneNumber: '+44 1632 960003' },
} as const

/** Adds profiles to the demo's users and creates a group of three and an assistant of the Application `support`. */
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
  const profile = { name: 'Order desk', description: 'Questions about orders.' }
  const fields = await governFields(context, 'groups', profile)
  const group = await createGroup(tx, workspaceId, { ...fields, avatarUrl: null, ownerId: 'alice' }, members, now)
  const changes: Change[] = [{ done: 'created', object: 'group', id: group.id, name: fields.name, fields: [] }]
  const application = await findApplicationByName(tx, workspaceId, 'support')
  if (!application) return changes
  const assistantFields = await governFields(context, 'assistants', { username: 'ada', display_name: 'Ada, the assistant' })
  const created = await createAssistant(tx, workspaceId, { ...assistantFields, id: 'ada', application_id: application.id }, now)
  if (created.ok)
    changes.push({ done: 'created', object: 'user', id: created.assistant.id, name: assistantFields.username, fields: [] })
  return changes
}

/** Issues an access token for each user and revokes the tokens of an earlier demo.json. Returns the tokens by user id. */
export async function issueDemoTokens(
  tx: Tx,
  workspaceId: string,
  users: readonly DeclaredUser[],
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>()
  for (const { id } of users) {
    const page = await listAccessTokens(tx, workspaceId, id, { limit: 100 })
    for (const token of page?.data ?? []) if (token.name === TOKEN_NAME) await revokeAccessToken(tx, workspaceId, token.id, now)
    const issued = await issueAccessToken(tx, workspaceId, id, TOKEN_NAME, now)
    if (issued) tokens.set(id, issued.token)
  }
  return tokens
}
