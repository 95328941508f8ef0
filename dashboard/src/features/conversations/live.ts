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
  const [thing] = type.split('.')
  if (type === 'assistant.typing') return noteTyping(queries, userId, conversation, contact)
  if (reviewItemId !== undefined) {
    noteHeld(queries, userId, conversation, {
      reviewItemId,
      state: type === 'message.released' ? 'released' : (told.state ?? ''),
    })
    void refreshPaths(queries, ['/admin/v1/reviews'])
  }
  if (thing === 'message') {
    if (type === 'message.created') {
      noteTyping(queries, userId, conversation, null)
      // An assistant may have said that it waits, or that it no longer does.
      void refreshPaths(queries, ['/admin/v1/reviews'])
    }
    refresh(['messages', conversation])
    refresh(['conversation', conversation])
    return refresh(['conversations'])
  }
  if (thing === 'conversation') {
    refresh(['conversation', id])
    return refresh(['conversations'])
  }
  if (thing === 'contact' || thing === 'group') {
    refresh([thing, id])
    return refresh([`${thing}s`])
  }
  if (type === 'reset') refresh([])
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
