import { oneOf, textOf } from '../../routing/location.ts'

export const SCOPES = ['user', 'session', 'application', 'department', 'project', 'workspace'] as const

/** Filters in the page's URL. */
export interface Filters {
  readonly user?: string | undefined
  readonly scope?: (typeof SCOPES)[number] | undefined
  readonly scopeId?: string | undefined
  readonly history?: 'true' | undefined
}

export const readFilters = ({ user, scope, scopeId, history }: Readonly<Record<string, unknown>>): Filters => ({
  user: textOf(user),
  scope: oneOf(SCOPES, scope),
  scopeId: textOf(scopeId),
  history: oneOf(['true'], String(history)),
})

/** Query of the API. */
export const queryOf = ({ user, scope, scopeId, history }: Filters) => ({
  ...(user && { user_id: user }),
  ...(scope && { scope }),
  ...(scopeId && { scope_id: scopeId }),
  ...(history && { history }),
})
