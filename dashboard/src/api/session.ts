import type { UseQueryResult } from '@tanstack/react-query'
import type { ResponseOf } from './operations.ts'
import { useRead } from './queries.ts'
import { useWorkspace } from './workspace.ts'

export type Session = ResponseOf<'get', '/admin/v1/session'>
/** For example `policies:write`. */
export type Scope = Session['scopes'][number]
export type Role = NonNullable<Session['operator']['role']>

/** The signed-in operator. The error has status 401 without a session. */
export const useSession = (): UseQueryResult<Session> => useRead('/admin/v1/session')

/** A Workspace that the operator can enter, with role and scopes in it. */
export type SessionWorkspace = Session['workspaces'][number]

/** The Workspace that requests refer to; undefined while the session loads, or if the operator cannot enter it. */
export function useSessionWorkspace(): SessionWorkspace | undefined {
  const workspaces = useSession().data?.workspaces ?? []
  const selected = useWorkspace()
  if (selected === undefined) return workspaces[0]
  return workspaces.find(({ id, name }) => id === selected || name === selected)
}

interface Scopes {
  readonly hasScope: (scope: Scope | undefined) => boolean
  /** For what concerns the server or several Workspaces. */
  readonly hasScopeInAll: (scope: Scope) => boolean
}

/** Scopes in the current Workspace, for hiding actions: `useScopes().hasScope('policies:write')`. The server checks them too. */
export function useScopes(): Scopes {
  const inAll = useSession().data?.scopes
  // The list of the session has the first 1,000 Workspaces.
  const scopes = useSessionWorkspace()?.scopes ?? inAll
  return {
    hasScope: (scope) => scope === undefined || scopes?.includes(scope) === true,
    hasScopeInAll: (scope) => inAll?.includes(scope) === true,
  }
}
