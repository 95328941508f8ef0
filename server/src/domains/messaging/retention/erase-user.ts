import type { Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { ANONYMOUS_USER } from '../../../shared/principal.ts'
import { eraseUser as eraseMemories } from '../../memory/erase.ts'
import { eraseResponsesOfUser } from '../../responses/stored-response-store.ts'
import { eraseEvents } from '../events/erase-events.ts'
import { emit } from '../events/outbox.ts'
import { removeFromAllGroups } from '../groups/group-changes.ts'
import { findAcquaintances } from '../people/emit-contact.ts'
import type { Member } from '../people/member.ts'

/** The erasure of a user. It covers what the user has written until `erasedAt`. */
export interface Erasure {
  readonly workspaceId: string
  readonly userId: string
  readonly erasedAt: Date
}

/**
 * Erases a user with profile, tokens, memories and stored responses. Call `eraseUserContent` after the commit: it erases what the user has written.
 * Returns false if the user does not exist. `base`: `http://host`, for the URLs in the events of the groups.
 */
export async function eraseUser(tx: Tx, { workspaceId, userId, erasedAt }: Erasure, base: string): Promise<boolean> {
  const workspace = uuidOf('ws', workspaceId)
  const audience = (await findAcquaintances(tx, workspaceId, userId)).filter((id) => id !== userId)
  const member: Member = { workspaceId, user: { ...ANONYMOUS_USER, id: userId } }
  await removeFromAllGroups(tx, { member, base, now: erasedAt })
  // Foreign keys delete tokens and profile as well.
  const { numDeletedRows } = await tx
    .deleteFrom('workspace_user')
    .where('workspace_id', '=', workspace)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (Number(numDeletedRows) === 0) return false
  await eraseMemories(tx, workspaceId, userId)
  await eraseResponsesOfUser(tx, workspaceId, userId)
  await tx
    .insertInto('user_erasure')
    .values({ workspace_id: workspace, user_id: userId, erased_at: erasedAt })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ erased_at: erasedAt }))
    .execute()
  await eraseEvents(tx, workspaceId, { objectIds: [userId] })
  await emit(tx, { workspaceId, type: 'contact.deleted', audience, payload: { id: userId, object: 'contact', deleted: true } })
  return true
}
