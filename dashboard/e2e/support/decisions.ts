import type { Page } from 'playwright-core'

/** Longer than the time to undo a decision. */
const UNDO_IS_OVER_MS = 6_000

/** Ends the time to undo the decisions of the page. On a slow machine it may have ended before the button is seen or clicked. */
export async function sendNow(page: Page): Promise<void> {
  const buttons = page.getByRole('button', { name: 'Send now' })
  const isOver = await buttons
    .first()
    .waitFor({ timeout: UNDO_IS_OVER_MS })
    .then(
      () => false,
      () => true,
    )
  if (isOver) return
  for (let isLeft = true; isLeft; ) {
    await buttons.evaluateAll((found) => {
      for (const button of found) button.click()
    })
    isLeft = await buttons
      .first()
      .waitFor({ state: 'detached', timeout: 1_000 })
      .then(
        () => false,
        () => true,
      )
  }
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
