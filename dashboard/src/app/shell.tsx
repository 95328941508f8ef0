import { AppShell } from '@mantine/core'
import { useDisclosure, useLocalStorage } from '@mantine/hooks'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { hasStatus } from '../api/api-error.ts'
import { useScopes, useSession, useSessionWorkspace } from '../api/session.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { SkipLink } from '../ui/skip-link.tsx'
import { MissingRole, MissingScope, UnknownWorkspace } from './error-pages.tsx'
import { useFocusKeeper } from './focus-keeper.ts'
import { Header } from './header.tsx'
import classes from './shell.module.css'
import { Sidebar } from './sidebar.tsx'

const HEADER_HEIGHT = 48
const SIDEBAR_WIDTH = 216
const ICONS_WIDTH = 49

/** Loaded when it is shown, because only a new server has no Workspace. */
const NoWorkspace = lazy(async () => ({ default: (await import('./no-workspace.tsx')).NoWorkspace }))

/** The page that an operator without a role needs too. */
const ACCOUNT_PATH = '/account'

/** Header and sidebar around all pages that require a sign-in. */
export function Shell() {
  const { t } = useTranslation('app')
  const [opened, { toggle, close }] = useDisclosure()
  const [collapsed, setCollapsed] = useLocalStorage({
    key: 'gatehouse.sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  // An open sidebar on a narrow screen always shows names.
  const onlyIcons = collapsed && !opened
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes on navigation
  useEffect(close, [pathname])
  useFocusKeeper()
  return (
    <AppShell
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: onlyIcons ? ICONS_WIDTH : SIDEBAR_WIDTH, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
      transitionDuration={0}
    >
      <SkipLink />
      <AppShell.Header className={classes.frame ?? ''}>
        <Header opened={opened} onToggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar className={classes.frame ?? ''} aria-label={t('navigation.label')}>
        <Sidebar collapsed={onlyIcons} onCollapse={setCollapsed} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main ?? ''}>
        <CurrentPage />
      </AppShell.Main>
    </AppShell>
  )
}

/** The page, once the session is loaded. Without a session, query-client.ts redirects to the sign-in page. */
function CurrentPage() {
  const { data, error, refetch } = useSession()
  const { hasScope } = useScopes()
  const current = useSessionWorkspace()
  const { pathname } = useLocation()
  const scope = useMatches().at(-1)?.staticData.scope
  if (data && pathname !== ACCOUNT_PATH) {
    // An empty server has no Workspace yet, but its owner has scopes.
    if (data.workspaces.length === 0 && data.scopes.length === 0) return <MissingRole />
    if (!current && data.scopes.length === 0) return <UnknownWorkspace />
    if (data.workspaces.length === 0) {
      return (
        <Suspense fallback={<PageSkeleton />}>
          <NoWorkspace />
        </Suspense>
      )
    }
  }
  if (data) return hasScope(scope) ? <Outlet /> : <MissingScope scope={scope} />
  if (error && !hasStatus(error, 401)) return <ErrorState error={error} onRetry={() => void refetch()} />
  return <PageSkeleton />
}
