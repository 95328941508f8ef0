import type { UseQueryResult } from '@tanstack/react-query'
import type { ResponseOf } from './operations.ts'
import { useRead } from './queries.ts'

export type Session = ResponseOf<'get', '/admin/v1/session'>
/** For example `policies:write`. */
export type Scope = Session['scopes'][number]
export type Role = NonNullable<Session['operator']['role']>

/** The signed-in operator. The error has status 401 without a session. */
export const useSession = (): UseQueryResult<Session> => useRead('/admin/v1/session')

/** Scopes of the session, for hiding actions: `useScopes().hasScope('policies:write')`. The server checks them too. */
export function useScopes(): { readonly hasScope: (scope: Scope | undefined) => boolean } {
  const scopes = useSession().data?.scopes
  return { hasScope: (scope) => scope === undefined || scopes?.includes(scope) === true }
}
