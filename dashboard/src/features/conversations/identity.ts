import { useQuery, useQueryClient } from '@tanstack/react-query'
import { beforeSignOut } from '../../api/auth.ts'
import { client } from '../../api/client.ts'
import { type MemberClient, memberClient } from '../../api/member-client.ts'
import { call } from '../../api/operations.ts'
import { currentWorkspace } from '../../api/workspace.ts'

/** The user in whose name this window speaks. The token is in this window's memory only, and ends with it. */
export interface Identity {
  readonly userId: string
  readonly tokenId: string
  readonly token: string
  readonly client: MemberClient
}

const TOKEN_NAME = 'dashboard'
/** Of this window: for whom somebody chose to speak. A link alone must not do that: who reads, marks as read. */
const CHOSEN = 'gatehouse.speaks-as'

/** The Workspace of each token that this window has been given, by the token's id. */
const issued = new Map<string, string | undefined>()

const keyOf = (userId: string | undefined) => ['identity', userId]

export const hasChosen = (userId: string): boolean => sessionStorage.getItem(CHOSEN) === userId
export const choose = (userId: string): void => sessionStorage.setItem(CHOSEN, userId)

/** A token for the user, issued when it is first needed. */
export function useIdentity(userId: string | undefined) {
  return useQuery({
    queryKey: keyOf(userId),
    queryFn: () => issue(userId ?? ''),
    enabled: userId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

async function issue(userId: string): Promise<Identity> {
  const params = { path: { id: userId } }
  const { id, token } = await call('post', '/admin/v1/users/{id}/tokens', { params, body: { name: TOKEN_NAME } })
  issued.set(id, currentWorkspace())
  return { userId, tokenId: id, token, client: memberClient(token) }
}

/** Ends the token, and forgets what was read with it. */
export function useLeave(): (identity: Identity) => Promise<void> {
  const queries = useQueryClient()
  return async ({ userId, tokenId }) => {
    sessionStorage.removeItem(CHOSEN)
    queries.removeQueries({ queryKey: keyOf(userId) })
    queries.removeQueries({ queryKey: ['member', userId] })
    await revoke(tokenId)
  }
}

async function revoke(id: string): Promise<void> {
  const workspace = issued.get(id)
  issued.delete(id)
  const params = { path: { id }, query: { ...(workspace !== undefined && { workspace }) } }
  // The window may be about to close.
  await client.POST('/admin/v1/access-tokens/{id}/revoke', { params, keepalive: true })
}

const revokeAll = (): Promise<unknown> => Promise.allSettled([...issued.keys()].map(revoke))

beforeSignOut.add(revokeAll)
addEventListener('pagehide', () => void revokeAll())
