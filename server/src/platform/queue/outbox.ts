import { sql } from 'kysely'
import type { GovernanceEventType, GovernancePayload } from '../../shared/governance-event.ts'
import type { Db } from '../db/database.ts'
import { uuidOfWorkspace } from '../db/values.ts'
import { currentTraceparent } from '../lib/trace-context.ts'

/** An event that is not in the log of its Workspace yet. */
export interface OutboxEvent {
  readonly workspaceId: string
  readonly type: string
  /** Ids of the users who receive the event. Webhooks receive all events of their Workspace. */
  readonly audience: readonly string[]
  readonly payload: { readonly id?: string; readonly conversation_id?: string }
}

/** Adds events in the transaction of the change that they describe. A recurring job moves them to the log within 250 ms. */
export async function addToOutbox(tx: Db, events: readonly OutboxEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.insertInto('event_outbox').values(events.map(toRow)).execute()
}

/** Announces changes to the webhooks of the Workspace and to operators, and to no member of the messaging API. */
export const announce = (
  tx: Db,
  workspaceId: string,
  type: GovernanceEventType,
  ...payloads: readonly GovernancePayload[]
): Promise<void> =>
  addToOutbox(
    tx,
    payloads.map((payload) => ({ workspaceId, type, audience: [], payload })),
  )

const toRow = ({ workspaceId, type, audience, payload }: OutboxEvent) => ({
  workspace_id: uuidOfWorkspace(workspaceId),
  type,
  audience: [...new Set(audience)],
  object_id: payload.id ?? null,
  conversation_id: (type.startsWith('conversation.') ? payload.id : payload.conversation_id) ?? null,
  payload: JSON.stringify(payload),
  traceparent: currentTraceparent(),
  created_at: sql<Date>`now()`,
})
