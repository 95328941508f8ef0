import { oneOf, textOf } from '../../routing/location.ts'

export const SCOPES = ['user', 'session', 'application', 'department', 'project', 'workspace'] as const
export const MODES = ['active', 'audit_only'] as const

/** Filters in the page's URL. */
export interface Filters {
  readonly user?: string | undefined
  readonly scope?: (typeof SCOPES)[number] | undefined
  readonly scopeId?: string | undefined
  readonly application?: string | undefined
  readonly mode?: (typeof MODES)[number] | undefined
  readonly history?: 'true' | undefined
}

export const readFilters = (search: Readonly<Record<string, unknown>>): Filters => ({
  user: textOf(search.user),
  scope: oneOf(SCOPES, search.scope),
  scopeId: textOf(search.scopeId),
  application: textOf(search.application),
  mode: oneOf(MODES, search.mode),
  history: oneOf(['true'], String(search.history)),
})

/** Query of the API. */
export const queryOf = ({ user, scope, scopeId, application, mode, history }: Filters) => ({
  ...(user && { user_id: user }),
  ...(scope && { scope }),
  ...(scopeId && { scope_id: scopeId }),
  ...(application && { application_id: application }),
  ...(mode && { mode }),
  ...(history && { history }),
})
