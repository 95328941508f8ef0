import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { TokenEnded } from '../../api/member-client.ts'
import type { AnswerOf } from '../../api/operations.ts'
import type { List } from '../../api/queries.ts'
import { useMember } from './member.ts'

export type Conversation = AnswerOf<'get', '/v1/conversations/{id}'>
export type Message = AnswerOf<'get', '/v1/messages/{id}'>
export type Attachment = Message['attachments'][number]
export type Contact = AnswerOf<'get', '/v1/contacts/{id}'>
export type Group = AnswerOf<'get', '/v1/groups/{id}'>

/** Names and faces seldom change, and events tell when they do. */
const LONG_MS = 300_000
const PAGE = 30
const MANY = 100

/** What was asked too often may be asked again a moment later. */
const retry = (failures: number, error: Error): boolean =>
  failures < 3 && !(error instanceof TokenEnded) && (!(error instanceof ApiError) || error.status === 429 || error.status >= 500)

/** Under which everything is kept that was read in a user's name. */
export const memberKey = (userId: string, ...rest: readonly unknown[]) => ['member', userId, ...rest]

interface PageAsked {
  readonly limit: number
  readonly starting_after?: string
}

type Read<Item> = (
  page: PageAsked,
  signal: AbortSignal,
) => Promise<{ data?: { readonly data: readonly Item[]; readonly has_more: boolean } | undefined }>

/** A list of the messaging API, page by page: its cursor is the id of the last object. */
function useMemberList<Item extends { readonly id: string }>(
  key: readonly unknown[],
  limit: number,
  read: Read<Item>,
  staleTime = 0,
) {
  const { userId } = useMember()
  const result = useInfiniteQuery({
    queryKey: memberKey(userId, ...key),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await read({ limit, ...(pageParam !== undefined && { starting_after: pageParam }) }, signal)
      return data ?? { data: [], has_more: false }
    },
    getNextPageParam: (page) => (page.has_more ? page.data.at(-1)?.id : undefined),
    retry,
    staleTime,
  })
  const list: List<Item> = {
    items: result.data?.pages.flatMap(({ data }) => data),
    error: result.error,
    hasMore: result.hasNextPage,
    loadingMore: result.isFetchingNextPage,
    more: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  }
  return list
}

export interface ConversationFilters {
  readonly archived?: true
  readonly pinned?: true
}

/** The user's conversations, the last active first. */
export function useConversations(filters: ConversationFilters): List<Conversation> {
  const { client } = useMember()
  return useMemberList(['conversations', filters], PAGE, (page, signal) =>
    client.GET('/v1/conversations', { params: { query: { ...page, ...filters } }, signal }),
  )
}

/** The conversation's messages, newest first. */
export function useMessages(conversation_id: string): List<Message> {
  const { client } = useMember()
  return useMemberList(['messages', conversation_id], PAGE, (page, signal) =>
    client.GET('/v1/messages', { params: { query: { ...page, conversation_id } }, signal }),
  )
}

/** Everybody but the user. */
export function useContacts(): List<Contact> {
  const { client } = useMember()
  return useMemberList(['contacts'], MANY, (query, signal) => client.GET('/v1/contacts', { params: { query }, signal }), LONG_MS)
}

/** The user's groups. */
export function useGroups(): List<Group> {
  const { client } = useMember()
  return useMemberList(['groups'], MANY, (query, signal) => client.GET('/v1/groups', { params: { query }, signal }), LONG_MS)
}

export function useConversation(id: string) {
  const { userId, client } = useMember()
  return useQuery({
    queryKey: memberKey(userId, 'conversation', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/conversations/{id}', { params: { path: { id } }, signal })).data,
    retry,
  })
}

/** Of most their name is known from the list of all; only of others it is asked for. */
export function useContact(id: string | null): Contact | undefined {
  const { userId, client } = useMember()
  const { items, hasMore } = useContacts()
  const known = items?.find((contact) => contact.id === id)
  const { data } = useQuery({
    queryKey: memberKey(userId, 'contact', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/contacts/{id}', { params: { path: { id: id ?? '' } }, signal })).data,
    enabled: id !== null && items !== undefined && !known && (hasMore || id === userId),
    staleTime: LONG_MS,
    retry,
  })
  return known ?? data
}

export function useGroup(id: string | null): Group | undefined {
  const { userId, client } = useMember()
  const { items } = useGroups()
  const known = items?.find((group) => group.id === id)
  const { data } = useQuery({
    queryKey: memberKey(userId, 'group', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/groups/{id}', { params: { path: { id: id ?? '' } }, signal })).data,
    enabled: id !== null && items !== undefined && !known,
    staleTime: LONG_MS,
    retry,
  })
  return known ?? data
}
