import type { UseQueryResult } from '@tanstack/react-query'
import type { AnswerOf } from './operations.ts'
import { useRead } from './queries.ts'

export type Session = AnswerOf<'get', '/admin/v1/session'>
/** What an operation needs: `policies:write`. */
export type Scope = Session['scopes'][number]
export type Role = NonNullable<Session['operator']['role']>

/** Who is signed in; an ApiError with status 401 when nobody is. */
export const useSession = (): UseQueryResult<Session> => useRead('/admin/v1/session')

/** What the session may do: `useScopes().may('policies:write')`. The server refuses the rest anyway. */
export function useScopes(): { readonly may: (scope: Scope | undefined) => boolean } {
  const scopes = useSession().data?.scopes
  return { may: (scope) => scope === undefined || scopes?.includes(scope) === true }
}
