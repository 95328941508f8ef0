import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { findBudgetsOfDepartments } from '../../budgets/alert-store.ts'

export type EventSelection = { readonly objectIds: readonly string[] } | { readonly conversationId: string }

/** Otherwise users could still read the last seven days of the log of what they have left. */
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

/** No text may outlive its message. Events about the deletion itself stay. */
export async function eraseEvents(tx: Tx, workspaceId: string, selection: EventSelection): Promise<void> {
  if ('objectIds' in selection && selection.objectIds.length === 0) return
  // Tables are in the order in which events pass them: an event that moves at the same time is found in the next table.
  for (const table of ['event_outbox', 'event_log', 'webhook_delivery'] as const) {
    await tx
      .deleteFrom(table)
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('type', 'not like', '%.deleted')
      .where(({ eb }) =>
        'conversationId' in selection
          ? eb('conversation_id', '=', selection.conversationId)
          : eb('object_id', 'in', selection.objectIds),
      )
      .execute()
  }
}

/** Removes the alerts of budgets that name a user, with their deliveries and e-mail, as `eraseEvents` does for objects. */
export async function eraseAlertEvents(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  const departments = await findBudgetsOfDepartments(tx, workspaceId)
  for (const table of ['event_outbox', 'event_log', 'webhook_delivery', 'mail_notification'] as const) {
    await tx
      .deleteFrom(table)
      .where(({ and }) => and({ workspace_id: uuidOfWorkspace(workspaceId), type: 'budget.alert' }))
      .where(sql<boolean>`payload ->> 'member' = ${userId}`)
      .where(sql<boolean>`payload ->> 'id' <> all(${departments}::text[])`)
      .execute()
  }
}
