import type { Tx } from '../../../platform/db/database.ts'
import { emit } from '../events/outbox.ts'
import { findAcquaintances } from './acquaintances.ts'
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
