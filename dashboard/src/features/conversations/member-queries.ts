import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/api-error.ts'
import { TokenEndedError } from '../../api/member-client.ts'
import type { ResponseOf } from '../../api/operations.ts'
import { type List, listOf } from '../../api/queries.ts'
import { useMember } from './member-context.ts'

export type Conversation = ResponseOf<'get', '/v1/conversations/{id}'>
export type Message = ResponseOf<'get', '/v1/messages/{id}'>
export type Attachment = Message['attachments'][number]
export type Contact = ResponseOf<'get', '/v1/contacts/{id}'>
export type Group = ResponseOf<'get', '/v1/groups/{id}'>

/** Names and avatars rarely change, and events report it. */
const CONTACTS_FRESH_MS = 300_000
const PAGE_SIZE = 30
const CONTACTS_PAGE_SIZE = 100

/** Retries rate limits (429), server errors and network errors. */
const retry = (failures: number, error: Error): boolean =>
  failures < 3 &&
  !(error instanceof TokenEndedError) &&
  (!(error instanceof ApiError) || error.status === 429 || error.status >= 500)

/** Query key of data that was read as the user. */
export const memberKey = (userId: string, ...rest: readonly unknown[]) => ['member', userId, ...rest]

interface PageQuery {
  readonly limit: number
  readonly starting_after?: string
}

type Read<Item> = (
  page: PageQuery,
  signal: AbortSignal,
) => Promise<{ data?: { readonly data: readonly Item[]; readonly has_more: boolean } | undefined }>

/** A paged list of the messaging API, whose cursor is the id of the last object. */
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
  return listOf(result)
}

export interface ConversationFilters {
  readonly archived?: true
  readonly pinned?: true
}

/** The user's conversations, most recently active first. */
export function useConversations(filters: ConversationFilters): List<Conversation> {
  const { client } = useMember()
  return useMemberList(['conversations', filters], PAGE_SIZE, (page, signal) =>
    client.GET('/v1/conversations', { params: { query: { ...page, ...filters } }, signal }),
  )
}

/** The conversation's messages, newest first. */
export function useMessages(conversation_id: string): List<Message> {
  const { client } = useMember()
  return useMemberList(['messages', conversation_id], PAGE_SIZE, (page, signal) =>
    client.GET('/v1/messages', { params: { query: { ...page, conversation_id } }, signal }),
  )
}

export function useContacts(): List<Contact> {
  const { client } = useMember()
  return useMemberList(
    ['contacts'],
    CONTACTS_PAGE_SIZE,
    (query, signal) => client.GET('/v1/contacts', { params: { query }, signal }),
    CONTACTS_FRESH_MS,
  )
}

/** The user's groups. */
export function useGroups(): List<Group> {
  const { client } = useMember()
  return useMemberList(
    ['groups'],
    CONTACTS_PAGE_SIZE,
    (query, signal) => client.GET('/v1/groups', { params: { query }, signal }),
    CONTACTS_FRESH_MS,
  )
}

export function useConversation(id: string) {
  const { userId, client } = useMember()
  return useQuery({
    queryKey: memberKey(userId, 'conversation', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/conversations/{id}', { params: { path: { id } }, signal })).data,
    retry,
  })
}

/** A contact from the loaded list, or by its own request. */
export function useContact(id: string | null): Contact | undefined {
  const { userId, client } = useMember()
  const { items, hasMore } = useContacts()
  const listed = items?.find((contact) => contact.id === id)
  const { data } = useQuery({
    queryKey: memberKey(userId, 'contact', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/contacts/{id}', { params: { path: { id: id ?? '' } }, signal })).data,
    enabled: id !== null && items !== undefined && !listed && (hasMore || id === userId),
    staleTime: CONTACTS_FRESH_MS,
    retry,
  })
  return listed ?? data
}

export function useGroup(id: string | null): Group | undefined {
  const { userId, client } = useMember()
  const { items } = useGroups()
  const listed = items?.find((group) => group.id === id)
  const { data } = useQuery({
    queryKey: memberKey(userId, 'group', id),
    queryFn: async ({ signal }) => (await client.GET('/v1/groups/{id}', { params: { path: { id: id ?? '' } }, signal })).data,
    enabled: id !== null && items !== undefined && !listed,
    staleTime: CONTACTS_FRESH_MS,
    retry,
  })
  return listed ?? data
}
