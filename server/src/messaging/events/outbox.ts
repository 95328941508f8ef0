import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { uuidOfWorkspace } from '../../db/values.ts'
import { currentTraceparent } from '../../lib/trace-context.ts'
import type { NewEvent } from './event.ts'

/**
 * Emits events: when the transaction commits, each audience receives them once and in this order. Call `relay.wake()` after the
 * commit; otherwise a recurring job sends them up to 250 ms later.
 */
export async function emit(tx: Tx, ...events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.insertInto('event_outbox').values(events.map(toRow)).execute()
}

const toRow = ({ workspaceId, type, audience, payload }: NewEvent) => ({
  workspace_id: uuidOfWorkspace(workspaceId),
  type,
  audience: [...new Set(audience)],
  object_id: payload.id ?? null,
  conversation_id: conversationOf(type, payload),
  payload: JSON.stringify(payload),
  traceparent: currentTraceparent(),
  created_at: sql<Date>`now()`,
})

const conversationOf = (type: NewEvent['type'], { id, conversation_id }: NewEvent['payload']): string | null =>
  (type.startsWith('conversation.') ? id : conversation_id) ?? null
