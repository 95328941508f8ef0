/** Opens the page from before the sign-in, or Home. Reloads, so that no previous data stays in memory. */
export function redirectAfterSignIn(next: string | undefined): void {
  location.assign(dashboardUrlOf(next))
}

/** Always a page of the dashboard, because `next` comes from the URL, which is not trusted. */
export function dashboardUrlOf(next: string | undefined): string {
  const target = new URL(`/dashboard/${(next ?? '').replace(/^[/\\]+/, '')}`, location.origin)
  return target.pathname.startsWith('/dashboard/') ? `${target.pathname}${target.search}` : '/dashboard/'
}
