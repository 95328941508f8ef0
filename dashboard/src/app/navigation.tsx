import { NavLink, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useScopes, useSession } from '../api/session.ts'
import type { NavigationEntry } from '../routing/feature.ts'
import { NAVIGATION } from './features.ts'

const SECTIONS = [undefined, 'Govern', 'Data', 'Connect', 'Settings'] as const

/** The sidebar: the pages that the session's scopes allow, by section. Empty until the session is loaded. */
export function Navigation() {
  const isLoaded = useSession().data !== undefined
  const { hasScope } = useScopes()
  const { pathname } = useLocation()
  if (!isLoaded) return null
  return SECTIONS.map((section) => {
    const entries = NAVIGATION.filter((entry) => entry.section === section && hasScope(entry.scope))
    if (entries.length === 0) return null
    return (
      <div key={section ?? 'top'}>
        {section && (
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4}>
            {section}
          </Text>
        )}
        {entries.map((entry) => (
          <Entry key={entry.to} entry={entry} current={isCurrent(entry.to, pathname)} />
        ))}
      </div>
    )
  })
}

function Entry({ entry: { to, label, icon: Icon }, current }: { readonly entry: NavigationEntry; readonly current: boolean }) {
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={current}
      aria-current={current ? 'page' : undefined}
      leftSection={<Icon size={18} stroke={1.6} />}
    />
  )
}

const isCurrent = (to: string, pathname: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
