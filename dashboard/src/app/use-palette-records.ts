import { useDebouncedValue } from '@mantine/hooks'
import { IconApps, IconFileSearch, IconKey, IconScale, IconUser, IconUsersGroup } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useAll, useRead } from '../api/queries.ts'
import { useScopes } from '../api/session.ts'
import { useNavigateTo } from '../routing/location.ts'
import { pageOfObject, prefixOf } from '../routing/object-pages.ts'
import type { PaletteEntry } from './palette-group.ts'

/** Pause after the last key before users, rules and keys are searched. */
const PAUSE_MS = 200
const MIN_SEARCH = 2
const MAX_USERS = 6

interface PaletteRecords {
  /** The object whose id was entered. */
  readonly record: readonly PaletteEntry[]
  readonly applications: readonly PaletteEntry[]
  readonly teams: readonly PaletteEntry[]
  readonly rules: readonly PaletteEntry[]
  readonly users: readonly PaletteEntry[]
}

/** Applications, teams, rules of the active policies, users that match the query, and the object whose id it is. */
export function usePaletteRecords(query: string): PaletteRecords {
  const { t } = useTranslation('app')
  const { hasScope } = useScopes()
  const navigateTo = useNavigateTo()
  const id = query.trim()
  const [search] = useDebouncedValue(id, PAUSE_MS)
  const isText = search.length >= MIN_SEARCH && prefixOf(search) === undefined
  const enabled = hasScope('applications:read')
  const { items = [] } = useAll('/admin/v1/applications', {}, { enabled })
  const { items: teams = [] } = useAll('/admin/v1/teams', {}, { enabled })
  const found = useRead(
    '/admin/v1/users',
    { params: { query: { search, limit: MAX_USERS } } },
    { enabled: hasScope('people:read') && isText },
  )
  const users = id === search ? (found.data?.data ?? []) : []
  const page = pageOfObject(id)
  const opened =
    page && hasScope(page.scope) ? [{ id, label: t('palette.openRecord', { id }), run: () => navigateTo(page.to) }] : []
  return {
    record: [...opened.map((entry) => ({ ...entry, icon: IconFileSearch })), ...useKey(search)],
    applications: items.map((application) => ({
      id: application.id,
      label: application.name,
      icon: IconApps,
      run: () => navigateTo(`/applications/${application.id}`),
    })),
    teams: teams.map((team) => ({
      id: team.id,
      label: team.name,
      icon: IconUsersGroup,
      run: () => navigateTo(`/teams/${team.id}`),
    })),
    rules: useRules(isText),
    users: users.map((user) => ({
      id: user.id,
      label: user.username,
      description: user.department,
      icon: IconUser,
      run: () => navigateTo(`/settings/users/${user.id}`),
    })),
  }
}

/** The API key whose id was entered. It is on the page of its Application. */
function useKey(id: string): readonly PaletteEntry[] {
  const { t } = useTranslation('app')
  const navigateTo = useNavigateTo()
  const enabled = useScopes().hasScope('applications:read') && prefixOf(id) === 'key'
  const { data: key } = useRead('/admin/v1/keys/{id}', { params: { path: { id } } }, { enabled })
  if (!key || !enabled) return []
  const run = () => navigateTo(`/applications/${key.application_id}`, { tab: 'keys' })
  return [{ id, label: t('palette.openKey', { name: key.name }), description: id, icon: IconKey, run }]
}

/** The rules of the active policies. */
function useRules(wanted: boolean): readonly PaletteEntry[] {
  const { t } = useTranslation('app')
  const navigateTo = useNavigateTo()
  const enabled = useScopes().hasScope('policies:read') && wanted
  const { items = [] } = useAll('/admin/v1/policy-sets', {}, { enabled })
  const id = items.find(({ active }) => active)?.id ?? ''
  const { data } = useRead('/admin/v1/policy-sets/{id}', { params: { path: { id } } }, { enabled: enabled && id !== '' })
  if (!enabled) return []
  return (data?.rules ?? []).map((rule) => ({
    id: `rule ${rule.id}`,
    label: rule.id,
    description: rule.description || t('palette.rule'),
    icon: IconScale,
    run: () => navigateTo(`/policies/${id}`, { rule: rule.id }),
  }))
}
