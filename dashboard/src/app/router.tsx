import { createRootRoute, createRoute, createRouter, lazyRouteComponent, retainSearchParams } from '@tanstack/react-router'
import type { Scope } from '../api/session.ts'
import { chooseWorkspace } from '../api/workspace.ts'
import type { FeaturePage } from '../routing/feature.ts'
import { textOf } from '../routing/location.ts'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { PAGES } from './features.ts'
import { BrokenPage, UnknownPage } from './no-page.tsx'
import { Shell } from './shell.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly scope?: Scope | undefined
  }
}

const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Record<string, unknown> => search,
  search: { middlewares: [retainSearchParams(['workspace'])] },
  beforeLoad: ({ search }) => chooseWorkspace(textOf(search.workspace)),
})

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell })

const routeOf = (page: FeaturePage, parent: typeof rootRoute | typeof shellRoute) =>
  createRoute({
    getParentRoute: () => parent,
    path: page.path,
    component: lazyRouteComponent(page.load, 'Page'),
    staticData: { scope: page.scope },
  })

/** Also of a page that is not there only somebody who has signed in learns it. */
const elsewhere = createRoute({ getParentRoute: () => shellRoute, path: '$', component: UnknownPage })

const standalone = PAGES.filter((page) => page.public).map((page) => routeOf(page, rootRoute))
const inShell = PAGES.filter((page) => !page.public).map((page) => routeOf(page, shellRoute))

export const router = createRouter({
  routeTree: rootRoute.addChildren([...standalone, shellRoute.addChildren([...inShell, elsewhere])]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: UnknownPage,
  scrollRestoration: true,
})

/** Asks for the sign-in, and comes back to this page after it. */
export function toSignIn(): void {
  const { pathname, searchStr } = router.state.location
  if (pathname === '/sign-in' || pathname === '/welcome') return
  void router.navigate({ to: '/sign-in', search: { next: `${pathname}${searchStr}` } } as never)
}
