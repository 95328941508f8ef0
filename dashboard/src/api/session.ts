import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { readError } from './api-error.ts'

export interface Session {
  readonly operator: {
    readonly id: string
    readonly name: string
    readonly email: string
    readonly role: string
    readonly two_factor: boolean
  }
  readonly scopes: readonly string[]
  readonly workspaces: readonly { readonly id: string; readonly name: string }[]
  readonly version: string
}

const SESSION = '/admin/v1/session'

/** Who is signed in; an ApiError with status 401 when nobody is. */
export function useSession(): UseQueryResult<Session> {
  return useQuery({
    queryKey: [SESSION],
    queryFn: async ({ signal }): Promise<Session> => {
      const response = await fetch(SESSION, { credentials: 'same-origin', signal })
      if (!response.ok) throw await readError(response)
      return response.json()
    },
    staleTime: 60_000,
  })
}

/** What the session may do: `useScopes().may('policies:write')`. The server refuses the rest anyway. */
export function useScopes(): { readonly may: (scope: string | undefined) => boolean } {
  const scopes = useSession().data?.scopes
  return { may: (scope) => scope === undefined || scopes?.includes(scope) === true }
}
