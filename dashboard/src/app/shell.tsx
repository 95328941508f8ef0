import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBuildingCastle } from '@tabler/icons-react'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { useEffect } from 'react'
import { hasStatus } from '../api/api-error.ts'
import { useScopes, useSession } from '../api/session.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { SkipLink } from '../ui/skip-link.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { MissingScope } from './error-pages.tsx'
import { Navigation } from './navigation.tsx'
import { OperatorMenu } from './operator-menu.tsx'
import { WorkspaceSelect } from './workspace-select.tsx'

/** Header and sidebar around all pages that require a sign-in. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure()
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes on navigation
  useEffect(close, [pathname])
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="md">
      <SkipLink />
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" aria-expanded={opened} />
          <IconBuildingCastle size={22} aria-hidden />
          <Text fw={600} visibleFrom="xs">
            Gatehouse
          </Text>
          <Group ml="auto" gap="xs" wrap="nowrap">
            <WorkspaceSelect />
            <ColorSchemeSwitch />
            <OperatorMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <ScrollArea type="hover" scrollbarSize={8}>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <CurrentPage />
      </AppShell.Main>
    </AppShell>
  )
}

/** The page, once the session is loaded. Without a session, query-client.ts redirects to the sign-in page. */
function CurrentPage() {
  const { data, error, refetch } = useSession()
  const { hasScope } = useScopes()
  const scope = useMatches().at(-1)?.staticData.scope
  if (data) return hasScope(scope) ? <Outlet /> : <MissingScope scope={scope} />
  if (error && !hasStatus(error, 401)) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <PageSkeleton />
}
