import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMember } from './member-context.ts'
import { memberKey } from './member-queries.ts'

/** The indicator ends after this time, because an assistant may stop without an event. */
const MAX_TYPING_MS = 60_000

const typingKey = (userId: string, conversationId: string) => memberKey(userId, 'typing', conversationId)

/** Sets the typing assistant of a conversation; null: none. */
export const setTyping = (queries: QueryClient, userId: string, conversationId: string, contactId: string | null): void =>
  void queries.setQueryData(typingKey(userId, conversationId), contactId)

/** Id of the assistant that is typing in the conversation. */
export function useTyping(conversationId: string): string | null {
  const { userId } = useMember()
  const queries = useQueryClient()
  const { data = null } = useQuery<string | null>({
    queryKey: typingKey(userId, conversationId),
    queryFn: () => null,
    enabled: false,
  })
  useEffect(() => {
    if (data === null) return
    const timer = setTimeout(() => setTyping(queries, userId, conversationId, null), MAX_TYPING_MS)
    return () => clearTimeout(timer)
  }, [data, queries, userId, conversationId])
  return data
}
