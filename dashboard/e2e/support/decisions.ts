import type { Page } from 'playwright-core'

/** Ends the time to undo the decisions of the page. */
export async function sendNow(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Send now' })
  await button.first().waitFor()
  while ((await button.count()) > 0) await button.first().click()
}

/** Collects the paths of decisions that the page sends. */
export function decisionsSent(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() === 'POST' && /\/(approve|deny|acknowledge)$/.test(pathname)) sent.push(pathname)
  })
  return sent
}
