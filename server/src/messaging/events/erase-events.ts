import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'

/** What is to be forgotten: objects by their ids, or a conversation with all that was told of it. */
export type EventSelection = { readonly objectIds: readonly string[] } | { readonly conversationId: string }

/**
 * Part of leaving: these users are told nothing more of what happened there before. Without it they could read the log's seven
 * days after they have left.
 */
export async function removeFromAudience(
  tx: Tx,
  workspaceId: string,
  { objectIds, conversationIds }: { readonly objectIds: readonly string[]; readonly conversationIds: readonly string[] },
  userIds: readonly string[],
): Promise<void> {
  for (const table of ['event_outbox', 'event_log'] as const) {
    await tx
      .updateTable(table)
      .set({ audience: sql<string[]>`array(select reader from unnest(audience) reader where reader <> all(${userIds}::text[]))` })
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('type', 'not like', '%.deleted')
      .where(sql<boolean>`audience && ${userIds}::text[]`)
      .where(sql<boolean>`(conversation_id = any(${conversationIds}::text[]) or object_id = any(${objectIds}::text[]))`)
      .execute()
  }
}

/**
 * Part of deleting for good: takes what was told of an object out of the log and out of what webhooks are still to be told,
 * so that no text outlives its message there. That it was deleted stays told.
 */
export async function eraseEvents(tx: Tx, workspaceId: string, forgotten: EventSelection): Promise<void> {
  if ('objectIds' in forgotten && forgotten.objectIds.length === 0) return
  // In the order in which an event goes: where it is on its way from one to the next, its row's lock is waited for.
  for (const table of ['event_outbox', 'event_log', 'webhook_delivery'] as const) {
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('type', 'not like', '%.deleted')
      .where(({ eb }) =>
        'conversationId' in forgotten
          ? eb('conversation_id', '=', forgotten.conversationId)
          : eb('object_id', 'in', forgotten.objectIds),
      )
      .execute()
  }
}
