import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { refreshPaths } from '../../api/queries.ts'
import { type Connection, followEvents } from './follow-events.ts'
import { cacheHeldMessage } from './held-message-cache.ts'
import { useMember } from './member-context.ts'
import { memberKey } from './member-queries.ts'
import { setTyping } from './typing.ts'

const BATCH_MS = 120
/** The list of pending reviews shows held messages. */
const HELD = ['/admin/v1/reviews']

/** Updates the user's conversations from the event stream. */
export function useLiveUpdates(): Connection {
  const { userId, token } = useMember()
  const queries = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const controller = new AbortController()
    const refresh = batched((key) => void queries.invalidateQueries({ queryKey: memberKey(userId, ...key) }), controller.signal)
    const onConnection = (now: Connection) =>
      setConnection((before) => {
        // Events before the connection were missed.
        if (now === 'live' && before !== 'live') {
          for (const list of ['conversations', 'conversation', 'messages']) refresh([list])
          void refreshPaths(queries, HELD)
        }
        return now
      })
    void followEvents({
      token,
      signal: controller.signal,
      onConnection,
      onEvent: ({ type, data }) => applyEvent(queries, userId, refresh, type, JSON.parse(data)),
    })
    return () => controller.abort()
  }, [token, userId, queries])
  return connection
}

/** Fields of event objects. */
interface EventData {
  readonly id?: string
  readonly conversation_id?: string
  readonly contact_id?: string
  readonly review_item_id?: string
  readonly state?: string
}

function applyEvent(queries: QueryClient, userId: string, refresh: Refresh, type: string, event: EventData): void {
  const { id, conversation_id: conversation = '', contact_id: contact = null, review_item_id: reviewItemId } = event
  if (type === 'reset') refresh([])
  if (type === 'assistant.typing') setTyping(queries, userId, conversation, contact)
  if (type === 'message.created') setTyping(queries, userId, conversation, null)
  if (reviewItemId !== undefined) {
    const state = type === 'message.released' ? 'released' : (event.state ?? 'pending')
    cacheHeldMessage(queries, userId, conversation, { reviewItemId, state })
  }
  if (reviewItemId !== undefined || type === 'message.created') void refreshPaths(queries, HELD)
  for (const key of staleKeys(type, id, conversation)) refresh(key)
}

/** Query keys that an event makes stale. */
function staleKeys(type: string, id: string | undefined, conversation: string): readonly (readonly unknown[])[] {
  const [object] = type.split('.')
  if (object === 'message') return [['messages', conversation], ['conversation', conversation], ['conversations']]
  if (object === 'conversation') return [['conversation', id], ['conversations']]
  if (object === 'contact' || object === 'group') return [[object, id], [`${object}s`]]
  return []
}

type Refresh = (key: readonly unknown[]) => void

/** Refreshes once for many events, because users have a rate limit. */
function batched(refresh: Refresh, signal: AbortSignal): Refresh {
  const pending = new Map<string, readonly unknown[]>()
  const flush = () => {
    for (const key of signal.aborted ? [] : pending.values()) refresh(key)
    pending.clear()
  }
  return (key) => {
    if (pending.size === 0) setTimeout(flush, BATCH_MS)
    pending.set(JSON.stringify(key), key)
  }
}
