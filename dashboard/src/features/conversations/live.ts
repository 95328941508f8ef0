import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { refreshPaths } from '../../api/queries.ts'
import { type Connection, followEvents } from './follow-events.ts'
import { noteHeld } from './held-notes.ts'
import { useMember } from './member.ts'
import { memberKey } from './member-queries.ts'
import { noteTyping } from './typing.ts'

const GATHER_MS = 120

/** Keeps what is shown in the user's name as the server has it, from now on. */
export function useLive(): Connection {
  const { userId, token } = useMember()
  const queries = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  useEffect(() => {
    const end = new AbortController()
    const refresh = gathered((key) => void queries.invalidateQueries({ queryKey: memberKey(userId, ...key) }), end.signal)
    const onConnection = (now: Connection) =>
      setConnection((before) => {
        // What happened before the stream began is told by no event.
        if (now === 'live' && before !== 'live') for (const list of ['conversations', 'conversation', 'messages']) refresh([list])
        return now
      })
    void followEvents({
      token,
      signal: end.signal,
      onConnection,
      onEvent: ({ type, data }) => apply(queries, userId, refresh, type, JSON.parse(data)),
    })
    return () => end.abort()
  }, [token, userId, queries])
  return connection
}

/** What events tell of: as the API shows it, with ids where views embed. */
interface Told {
  readonly id?: string
  readonly conversation_id?: string
  readonly contact_id?: string
  readonly review_item_id?: string
  readonly state?: string
}

function apply(queries: QueryClient, userId: string, refresh: Refresh, type: string, told: Told): void {
  const { id, conversation_id: conversation = '', contact_id: contact = null, review_item_id: reviewItemId } = told
  if (type === 'reset') refresh([])
  if (type === 'assistant.typing') noteTyping(queries, userId, conversation, contact)
  if (type === 'message.created') noteTyping(queries, userId, conversation, null)
  if (reviewItemId !== undefined) {
    const state = type === 'message.released' ? 'released' : (told.state ?? 'pending')
    noteHeld(queries, userId, conversation, { reviewItemId, state })
  }
  // An assistant may have said that its answer waits, or that it no longer does.
  if (reviewItemId !== undefined || type === 'message.created') void refreshPaths(queries, ['/admin/v1/reviews'])
  for (const key of staleAfter(type, id, conversation)) refresh(key)
}

/** What such an event makes stale. */
function staleAfter(type: string, id: string | undefined, conversation: string): readonly (readonly unknown[])[] {
  const [thing] = type.split('.')
  if (thing === 'message') return [['messages', conversation], ['conversation', conversation], ['conversations']]
  if (thing === 'conversation') return [['conversation', id], ['conversations']]
  if (thing === 'contact' || thing === 'group') return [[thing, id], [`${thing}s`]]
  return []
}

type Refresh = (key: readonly unknown[]) => void

/** What many events at once make stale is read anew once: users may ask only so often. */
function gathered(refresh: Refresh, signal: AbortSignal): Refresh {
  const waiting = new Map<string, readonly unknown[]>()
  const flush = () => {
    for (const key of signal.aborted ? [] : waiting.values()) refresh(key)
    waiting.clear()
  }
  return (key) => {
    if (waiting.size === 0) setTimeout(flush, GATHER_MS)
    waiting.set(JSON.stringify(key), key)
  }
}
