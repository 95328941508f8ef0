import { NavLink, Text } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useScopes, useSession } from '../api/session.ts'
import type { NavigationEntry } from '../routing/feature.ts'
import { NAVIGATION } from './features.ts'

const SECTIONS = [undefined, 'Govern', 'Data', 'Connect', 'Settings'] as const

/** The sidebar: what the session may see, by section. Empty until that is known. */
export function Navigation() {
  const known = useSession().data !== undefined
  const { may } = useScopes()
  const { pathname } = useLocation()
  if (!known) return null
  return SECTIONS.map((section) => {
    const entries = NAVIGATION.filter((entry) => entry.section === section && may(entry.scope))
    if (entries.length === 0) return null
    return (
      <div key={section ?? 'top'}>
        {section && (
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4}>
            {section}
          </Text>
        )}
        {entries.map((entry) => (
          <Entry key={entry.to} entry={entry} here={isHere(entry.to, pathname)} />
        ))}
      </div>
    )
  })
}

function Entry({ entry: { to, label, icon: Icon }, here }: { readonly entry: NavigationEntry; readonly here: boolean }) {
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={here}
      aria-current={here ? 'page' : undefined}
      leftSection={<Icon size={18} stroke={1.6} />}
    />
  )
}

const isHere = (to: string, pathname: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
