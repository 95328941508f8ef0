/** To the page that was asked for before the sign-in, or the first. The page is loaded anew, with nothing of before in it. */
export function enter(next: string | undefined): void {
  location.assign(addressOf(next))
}

/** Only ever a page of the dashboard: `next` comes from the address, which anybody may have written. */
export function addressOf(next: string | undefined): string {
  const target = new URL(`/dashboard/${(next ?? '').replace(/^[/\\]+/, '')}`, location.origin)
  return target.pathname.startsWith('/dashboard/') ? `${target.pathname}${target.search}` : '/dashboard/'
}
