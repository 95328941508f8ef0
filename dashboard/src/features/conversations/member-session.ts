import { useQuery, useQueryClient } from '@tanstack/react-query'
import { beforeSignOut } from '../../api/auth.ts'
import { client } from '../../api/client.ts'
import { type MemberClient, memberClient } from '../../api/member-client.ts'
import { sendRequest } from '../../api/operations.ts'
import { currentWorkspace } from '../../api/workspace.ts'

/** Access token of the acting user. It is only in this window's memory and is revoked when the window closes. */
export interface MemberSession {
  readonly userId: string
  readonly tokenId: string
  readonly token: string
  readonly client: MemberClient
}

const TOKEN_NAME = 'dashboard'
/** The user that the operator chose in this window. A link alone must not choose one, because reading marks messages as read. */
const ACTING_AS = 'gatehouse.acting-as'

/** Workspaces may have users with the same id. */
const chosen = (userId: string): string => JSON.stringify([currentWorkspace() ?? null, userId])

/** Workspaces of the created tokens, by token id. */
const createdTokens = new Map<string, string | undefined>()

const keyOf = (userId: string | undefined) => ['member session', userId]

export const isActingAs = (userId: string): boolean => sessionStorage.getItem(ACTING_AS) === chosen(userId)
export const rememberActingAs = (userId: string): void => sessionStorage.setItem(ACTING_AS, chosen(userId))

/** Session of the user. Creates a token on first use. */
export function useMemberSession(userId: string | undefined) {
  return useQuery({
    queryKey: keyOf(userId),
    queryFn: () => createSession(userId ?? ''),
    enabled: userId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

async function createSession(userId: string): Promise<MemberSession> {
  const params = { path: { id: userId } }
  const { id, token } = await sendRequest('post', '/admin/v1/users/{id}/tokens', { params, body: { name: TOKEN_NAME } })
  createdTokens.set(id, currentWorkspace())
  return { userId, tokenId: id, token, client: memberClient(token) }
}

/** Revokes the token and removes the data that was read with it. */
export function useEndMemberSession(): (identity: MemberSession) => Promise<void> {
  const queries = useQueryClient()
  return async ({ userId, tokenId }) => {
    sessionStorage.removeItem(ACTING_AS)
    queries.removeQueries({ queryKey: keyOf(userId) })
    queries.removeQueries({ queryKey: ['member', userId] })
    await revoke(tokenId)
  }
}

async function revoke(id: string): Promise<void> {
  const workspace = createdTokens.get(id)
  createdTokens.delete(id)
  const params = { path: { id }, query: { ...(workspace !== undefined && { workspace }) } }
  // The window may be closing.
  await client.POST('/admin/v1/access-tokens/{id}/revoke', { params, keepalive: true })
}

const revokeAll = (): Promise<unknown> => Promise.allSettled([...createdTokens.keys()].map(revoke))

beforeSignOut.add(revokeAll)
addEventListener('pagehide', () => void revokeAll())
