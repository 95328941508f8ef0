import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { emit } from '../events/outbox.ts'
import { contactView } from './contact.ts'
import { findContact } from './contact-store.ts'

/** Emits an event with the user's contact to webhooks and to all users who share a conversation or group with the user. */
export async function emitContact(
  tx: Tx,
  type: 'contact.created' | 'contact.updated',
  workspaceId: string,
  userId: string,
  base: string,
): Promise<void> {
  const contact = await findContact(tx, workspaceId, userId)
  if (!contact) return
  const audience = await findAcquaintances(tx, workspaceId, userId)
  await emit(tx, { workspaceId, type, audience, payload: contactView(contact, base) })
}

/** Ids of the user and all users who share a conversation or group with them: the audience of changes to the user's profile. */
export async function findAcquaintances(tx: Tx, workspaceId: string, userId: string): Promise<string[]> {
  const workspace = uuidOfWorkspace(workspaceId)
  const { rows } = await sql<{ user_id: string }>`
    select other.user_id from conversation_member membership join conversation_member other using (workspace_id, conversation_id)
    where membership.workspace_id = ${workspace} and membership.user_id = ${userId}
    union
    select other.user_id from group_member membership join group_member other using (workspace_id, group_id)
    where membership.workspace_id = ${workspace} and membership.user_id = ${userId}
    union
    select ${userId}::text`.execute(tx)
  return rows.map(({ user_id }) => user_id).toSorted()
}
