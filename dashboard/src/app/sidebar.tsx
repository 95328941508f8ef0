import { AppShell, NavLink, ScrollArea } from '@mantine/core'
import { IconBook, IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from './navigation.module.css'
import { LINK_CLASSES, Navigation } from './navigation.tsx'

interface SidebarProps {
  /** Shows only icons. */
  readonly collapsed: boolean
  readonly onCollapse: (collapsed: boolean) => void
}

/** Pages, and below them the documentation and the switch between names and icons. */
export function Sidebar({ collapsed, onCollapse }: SidebarProps) {
  const { t } = useTranslation('app')
  const toggle = collapsed ? t('navigation.expand') : t('navigation.collapse')
  const ToggleIcon = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse
  return (
    <>
      <AppShell.Section grow component={ScrollArea} type="hover" scrollbarSize={6} px={8} pt={6}>
        <Navigation collapsed={collapsed} />
      </AppShell.Section>
      <AppShell.Section px={8} pb={6} className={collapsed ? (classes.collapsed ?? '') : ''}>
        <NavLink
          href="/docs"
          target="_blank"
          label={t('navigation.documentation')}
          {...(collapsed && { title: t('navigation.documentation') })}
          classNames={LINK_CLASSES}
          leftSection={<IconBook size={16} stroke={1.7} />}
        />
        <NavLink
          component="button"
          visibleFrom="sm"
          label={toggle}
          {...(collapsed && { title: toggle })}
          classNames={LINK_CLASSES}
          leftSection={<ToggleIcon size={16} stroke={1.7} />}
          onClick={() => onCollapse(!collapsed)}
        />
      </AppShell.Section>
    </>
  )
}
