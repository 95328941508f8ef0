import { NavLink } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useScopes, useSession } from '../api/session.ts'
import type { NavigationEntry } from '../routing/feature.ts'
import { NAVIGATION, SECTIONS } from './features.ts'
import classes from './navigation.module.css'

export const LINK_CLASSES = {
  root: classes.link ?? '',
  section: classes.icon ?? '',
  label: classes.label ?? '',
}

interface NavigationProps {
  /** Shows only icons. */
  readonly collapsed: boolean
}

/** The sidebar: the pages that the session's scopes allow, by section. Empty until the session is loaded. */
export function Navigation({ collapsed }: NavigationProps) {
  const { t } = useTranslation('app')
  const isLoaded = useSession().data !== undefined
  const { hasScope } = useScopes()
  const { pathname } = useLocation()
  if (!isLoaded) return null
  return (
    <div className={collapsed ? classes.collapsed : undefined}>
      {SECTIONS.map((section) => {
        const entries = NAVIGATION.filter((entry) => entry.section === section && hasScope(entry.scope))
        if (entries.length === 0) return null
        return (
          <div key={section ?? 'top'} className={classes.section}>
            {section && <div className={classes.heading}>{t(`navigation.sections.${section}`)}</div>}
            {entries.map((entry) => (
              <Entry key={entry.to} entry={entry} collapsed={collapsed} current={isCurrent(entry.to, pathname)} />
            ))}
          </div>
        )
      })}
    </div>
  )
}

interface EntryProps {
  readonly entry: NavigationEntry
  readonly collapsed: boolean
  readonly current: boolean
}

function Entry({ entry: { to, label, icon: Icon }, collapsed, current }: EntryProps) {
  const { t } = useTranslation('app')
  const name = t(`navigation.pages.${label}`)
  return (
    <NavLink
      component={Link}
      to={to}
      label={name}
      {...(collapsed && { title: name })}
      classNames={LINK_CLASSES}
      active={current}
      aria-current={current ? 'page' : undefined}
      leftSection={<Icon size={16} stroke={1.7} />}
    />
  )
}

const isCurrent = (to: string, pathname: string): boolean =>
  to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
