import { useDebouncedValue } from '@mantine/hooks'
import { IconApps, IconFileSearch, IconUser } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useAll, useRead } from '../api/queries.ts'
import { type Scope, useScopes } from '../api/session.ts'
import { useNavigateTo } from '../routing/location.ts'
import type { PaletteEntry } from './palette-group.ts'

/** Pause after the last key before users are searched. */
const PAUSE_MS = 200
const MIN_SEARCH = 2
const MAX_USERS = 6

/** Pages of objects, by the prefix of their ids. */
const PAGES_BY_PREFIX: Readonly<Record<string, { readonly path: string; readonly scope: Scope }>> = {
  aud: { path: '/audit', scope: 'audit:read' },
  rev: { path: '/reviews', scope: 'reviews:read' },
  app: { path: '/applications', scope: 'applications:read' },
  col: { path: '/knowledge', scope: 'knowledge:read' },
  doc: { path: '/knowledge/documents', scope: 'knowledge:read' },
  bud: { path: '/budgets', scope: 'applications:read' },
  pol: { path: '/policies', scope: 'policies:read' },
  pdr: { path: '/policies/drafts', scope: 'policies:read' },
}
const ID = /^([a-z]{2,5})_[0-9a-z]{26}$/

interface PaletteRecords {
  /** The object whose id was entered. */
  readonly record: readonly PaletteEntry[]
  readonly applications: readonly PaletteEntry[]
  readonly users: readonly PaletteEntry[]
}

/** Applications, users that match the query, and the object whose id it is. */
export function usePaletteRecords(query: string): PaletteRecords {
  const { t } = useTranslation('app')
  const { hasScope } = useScopes()
  const navigateTo = useNavigateTo()
  const [search] = useDebouncedValue(query.trim(), PAUSE_MS)
  const { items = [] } = useAll('/admin/v1/applications', {}, { enabled: hasScope('applications:read') })
  const found = useRead(
    '/admin/v1/users',
    { params: { query: { search, limit: MAX_USERS } } },
    { enabled: hasScope('people:read') && search.length >= MIN_SEARCH && !ID.test(search) },
  )
  const users = query.trim() === search ? (found.data?.data ?? []) : []
  const id = query.trim()
  const page = PAGES_BY_PREFIX[ID.exec(id)?.[1] ?? '']
  return {
    record:
      page && hasScope(page.scope)
        ? [{ id, label: t('palette.openRecord', { id }), icon: IconFileSearch, run: () => navigateTo(`${page.path}/${id}`) }]
        : [],
    applications: items.map((application) => ({
      id: application.id,
      label: application.name,
      icon: IconApps,
      run: () => navigateTo(`/applications/${application.id}`),
    })),
    users: users.map((user) => ({
      id: user.id,
      label: user.username,
      description: user.department,
      icon: IconUser,
      run: () => navigateTo(`/settings/users/${user.id}`),
    })),
  }
}
