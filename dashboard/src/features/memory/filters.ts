import { oneOf, textOf } from '../../routing/location.ts'

export const SCOPES = ['user', 'session', 'application', 'department', 'project', 'workspace'] as const

/** Which memories, as the page's address has it. */
export interface Filters {
  readonly user?: string | undefined
  readonly scope?: (typeof SCOPES)[number] | undefined
  readonly of?: string | undefined
  readonly history?: 'true' | undefined
}

export const readFilters = ({ user, scope, of, history }: Readonly<Record<string, unknown>>): Filters => ({
  user: textOf(user),
  scope: oneOf(SCOPES, scope),
  of: textOf(of),
  history: oneOf(['true'], String(history)),
})

/** As the API takes them. */
export const queryOf = ({ user, scope, of, history }: Filters) => ({
  ...(user && { user_id: user }),
  ...(scope && { scope }),
  ...(of && { scope_id: of }),
  ...(history && { history }),
})
