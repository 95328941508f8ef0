import { Box, Burger, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Logo } from '../ui/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ColorSchemeMenu } from './color-scheme-menu.tsx'
import classes from './header.module.css'
import { PaletteButton } from './palette-button.tsx'
import { useWorkspaceSwitch } from './use-workspace-switch.ts'
import { WorkspaceSwitch } from './workspace-switch.tsx'

interface HeaderProps {
  /** Whether the sidebar is open on a narrow screen. */
  readonly opened: boolean
  readonly onToggle: () => void
}

/** Logo, Workspace, search, color scheme and account. */
export function Header({ opened, onToggle }: HeaderProps) {
  const { t } = useTranslation('app')
  const { current } = useWorkspaceSwitch()
  return (
    <Group h="100%" px="sm" gap="xs" wrap="nowrap">
      <Burger
        opened={opened}
        onClick={onToggle}
        hiddenFrom="sm"
        size="sm"
        aria-label={t('navigation.toggle')}
        aria-expanded={opened}
      />
      <Link to="/" className={classes.brand ?? ''} aria-label={t('header.home')}>
        <Logo />
        <Box visibleFrom="sm">{t('name')}</Box>
      </Link>
      {current && (
        <Box className={classes.slash ?? ''} aria-hidden>
          /
        </Box>
      )}
      <WorkspaceSwitch />
      <Group ml="auto" gap={6} wrap="nowrap">
        <PaletteButton />
        <ColorSchemeMenu />
        <AccountMenu />
      </Group>
    </Group>
  )
}
