import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'

const dashboard = await startDashboard()

/** Tag and text of the element that has the focus. */
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.tagName + " " + document.activeElement.textContent')

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })

test('focus: a navigation moves it to the heading of the new page, and the first page leaves it at the start', async () => {
  const { page } = await dashboard.signedIn({ at: '/' })
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  expect(await focused(page)).toMatch(/^BODY /)
  await main(page).getByRole('link', { name: 'Applications' }).press('Enter')
  await expect.poll(() => focused(page)).toBe('H1 Applications')
  // The link is not on the next page.
  await page.getByRole('link', { name: 'support' }).press('Enter')
  await expect.poll(() => focused(page)).toBe('H1 support')
  await page.goBack()
  await expect.poll(() => focused(page)).toBe('H1 Applications')
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill('budgets')
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('H1 Budgets')
})

test('focus: it returns to the button of a refused request, and equal errors are one notification at the bottom right', async () => {
  const { page } = await dashboard.signedIn({ at: '/settings/operators' })
  await page.route('**/admin/v1/operators/*', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.continue(),
  )
  await page
    .getByRole('button', { name: /^Remove / })
    .first()
    .click()
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove', disabled: false })
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await remove.press('Enter')
    await expect.poll(() => focused(page)).toBe('BUTTON Remove')
    await page.getByText('Cannot reach the server.').waitFor()
  }
  const notifications = page.locator('.mantine-Notification-root')
  expect(await notifications.count()).toBe(1)
  const { x = 0, y = 0 } = (await notifications.boundingBox()) ?? {}
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  expect([x > width / 2, y > height / 2]).toEqual([true, true])
})

test('focus: it returns to a button whose request has ended before the browser says that the button lost the focus', async () => {
  const { page } = await dashboard.signedIn({ at: '/settings/operators' })
  const invite = page.getByRole('button', { name: 'Invite operator' })
  await invite.focus()
  await invite.evaluate((button) => {
    button.ownerDocument.addEventListener('focusout', () => button.removeAttribute('disabled'), { once: true })
    button.setAttribute('disabled', '')
  })
  await expect.poll(() => invite.isEnabled()).toBe(true)
  await expect.poll(() => focused(page)).toBe('BUTTON Invite operator')
})

test('focus: it is not lost when a decision removes its button', async () => {
  expect((await dashboard.chat('Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.')).status).toBe(409)
  const { page } = await dashboard.signedIn({ at: '/reviews' })
  await page.getByRole('link', { name: /Held/ }).first().press('Enter')
  await page.getByLabel('Comment').fill('as agreed')
  await page.getByRole('button', { name: 'Approve', disabled: false }).press('Enter')
  await sendNow(page)
  await page.getByText('Approved. Request released.').waitFor()
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).not.toMatch(/^BODY /)
})

test('hints: no alert interrupts screen readers on a page that only has hints', async () => {
  const { page } = await dashboard.signedIn({ at: '/account' })
  await page.getByRole('note').first().waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await expectAccessible(page)
})

/**
 * Links and controls of the page that cannot be hit 11 pixels above or below their center, that is in a height of 24 pixels. Links in a
 * sentence are left out, as in WCAG 2.2.
 */
const SMALL_TARGETS = `[...document.querySelectorAll('#content :is(a, button, input[type=checkbox])')].flatMap((element) => {
  element.scrollIntoView({ block: 'center' })
  const { left, top, width, height } = element.getBoundingClientRect()
  const sentence = element.closest('p')?.textContent ?? ''
  if (width === 0 || height === 0 || sentence.length > element.textContent.length) return []
  const hits = [-11, 11].every((distance) => {
    const hit = document.elementFromPoint(left + width / 2, top + height / 2 + distance)
    return hit !== null && (element.contains(hit) || hit.closest('label')?.control === element)
  })
  return hits ? [] : [element.outerHTML.slice(0, 200)]
})`

test('targets: links, buttons and checkboxes of lists are at least 24 pixels high', async () => {
  await dashboard.chat('Good morning')
  const { page, visit } = await dashboard.signedIn()
  for (const [path, name] of [
    ['/', 'Top users'],
    ['/audit', 'Records'],
    ['/applications', 'Applications'],
    ['/usage', ''],
    ['/settings/operators', 'Operators'],
  ] as const) {
    await visit(path)
    await page.getByRole('table', { name }).last().getByRole('row').nth(1).waitFor()
    expect(await page.evaluate(SMALL_TARGETS), path).toEqual([])
  }
})
