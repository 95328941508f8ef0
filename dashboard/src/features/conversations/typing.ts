import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useMember } from './member.ts'
import { memberKey } from './member-queries.ts'

/** An assistant that has been silent for so long has broken off. */
const LONGEST_MS = 60_000

const typingKey = (userId: string, conversationId: string) => memberKey(userId, 'typing', conversationId)

/** Notes which assistant is writing there; null: none any more. */
export const noteTyping = (queries: QueryClient, userId: string, conversationId: string, contactId: string | null): void =>
  void queries.setQueryData(typingKey(userId, conversationId), contactId)

/** The id of the assistant that is writing in the conversation. */
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
    const timer = setTimeout(() => noteTyping(queries, userId, conversationId, null), LONGEST_MS)
    return () => clearTimeout(timer)
  }, [data, queries, userId, conversationId])
  return data
}
