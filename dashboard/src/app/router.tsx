import { createRootRoute, createRoute, createRouter, lazyRouteComponent, retainSearchParams } from '@tanstack/react-router'
import type { Scope } from '../api/session.ts'
import { setCurrentWorkspace } from '../api/workspace.ts'
import type { FeaturePage } from '../routing/feature.ts'
import { textOf } from '../routing/location.ts'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { ErrorPage, NotFoundPage } from './error-pages.tsx'
import { PAGES } from './features.ts'
import { Shell } from './shell.tsx'

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly scope?: Scope | undefined
  }
}

const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Record<string, unknown> => search,
  search: { middlewares: [retainSearchParams(['workspace'])] },
  beforeLoad: ({ search }) => setCurrentWorkspace(textOf(search.workspace)),
})

const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell })

const routeOf = (page: FeaturePage, parent: typeof rootRoute | typeof shellRoute) =>
  createRoute({
    getParentRoute: () => parent,
    path: page.path,
    component: lazyRouteComponent(page.load, 'Page'),
    staticData: { scope: page.scope },
  })

/** Inside the shell, so that unknown paths require a sign-in too. */
const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFoundPage })

const publicPages = PAGES.filter((page) => page.public).map((page) => routeOf(page, rootRoute))
const shellPages = PAGES.filter((page) => !page.public).map((page) => routeOf(page, shellRoute))

export const router = createRouter({
  routeTree: rootRoute.addChildren([...publicPages, shellRoute.addChildren([...shellPages, unknownRoute])]),
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: ErrorPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

/** Opens the sign-in page, which returns to the current page. */
export function redirectToSignIn(): void {
  const { pathname, searchStr } = router.state.location
  if (pathname === '/sign-in' || pathname === '/welcome') return
  void router.navigate({ to: '/sign-in', search: { next: `${pathname}${searchStr}` } } as never)
}
