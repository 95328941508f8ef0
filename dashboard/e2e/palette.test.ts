import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const dashboard = await startDashboard()

const RECORD = `aud_${'0'.repeat(26)}`

const searchIn = (page: Page) => page.getByRole('dialog').getByRole('textbox', { name: 'Search' })

/** Opens the palette, enters the query and presses Enter when the entry is there. */
const chooserIn = (page: Page) => async (query: string, entry: string | RegExp) => {
  await page.keyboard.press('Control+k')
  await searchIn(page).fill(query)
  await page.getByRole('dialog').getByText(entry, { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await searchIn(page).waitFor({ state: 'hidden' })
}

test('command palette: opens pages, Applications, users, records and forms with the keyboard', async () => {
  const { page } = await dashboard.signedIn({ at: '/' })
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const search = searchIn(page)
  const choose = chooserIn(page)
  await page.keyboard.press('Control+k')
  await search.waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await choose('budg', 'Budgets')
  await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor()
  await choose('alice', 'alice')
  await page.waitForURL('**/dashboard/settings/users/*')
  await choose('support', 'support')
  await page.waitForURL('**/dashboard/applications/*')
  const team = await dashboard.admin.create('/teams', { name: 'night shift' })
  await page.reload()
  await page.getByRole('heading', { name: 'support', level: 1 }).waitFor()
  await choose('night', 'night shift')
  await page.waitForURL(`**/dashboard/teams/${team.id}`)
  await choose(RECORD, `Open ${RECORD}`)
  await page.waitForURL(`**/dashboard/audit/${RECORD}`)
  await choose('create application', 'Create Application')
  await page.getByRole('dialog', { name: 'Create Application' }).getByLabel('Name').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await page.keyboard.press('Escape')
  await choose('create budget', 'Create budget')
  await page.getByRole('dialog', { name: 'Create budget' }).getByLabel('Limit in US dollars').waitFor()
  await page.keyboard.press('Escape')
  await choose('create workspace', 'Create Workspace')
  await page.getByRole('dialog', { name: 'Create Workspace' }).getByLabel('Name').waitFor()
  await page.keyboard.press('Escape')
  await choose('draft', 'Create policy draft')
  await page.getByRole('textbox', { name: 'Policy document' }).waitFor()
  await choose('dark', 'Use dark color scheme')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
})

test('command palette: finds the record of a request, a key, a rule and a review item by their ids', async () => {
  const { headers, body } = await dashboard.chat('Please wire 48,000 EUR to Brightwater Supplies today.')
  const [requestId, auditId] = [headers.get('x-request-id') ?? '', headers.get('x-audit-id') ?? '']
  const { key_id } = await dashboard.admin.get(`/audit/${auditId}`)
  const { page } = await dashboard.signedIn({ at: '/' })
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const choose = chooserIn(page)
  await choose(requestId, `Open ${requestId}`)
  await page.getByRole('heading', { name: 'Record: Chat' }).waitFor()
  await page.getByText(auditId, { exact: true }).first().waitFor()
  await choose(key_id, /^Open key /)
  await page.waitForURL('**/dashboard/applications/app_*tab=keys*')
  await choose('payments-need', 'payments-need-approval')
  await page.waitForURL('**/dashboard/policies/pol_*rule=payments-need-approval*')
  const itemId = body.error.review_item_id
  await choose(itemId, `Open ${itemId}`)
  await page.waitForURL(`**/dashboard/reviews/${itemId}*`)
  await choose('req_01h455vb4pex5vsknk084sn02q', 'Open req_01h455vb4pex5vsknk084sn02q')
  await page.getByRole('heading', { name: 'Audit record not found', level: 1 }).waitFor()
  await page.getByText(/refused for its key or body/).waitFor()
})

test('command palette: has only the pages and actions of the role', async () => {
  const { page } = await dashboard.signedIn({ role: 'reviewer', at: '/' })
  await page.getByRole('button', { name: /account menu/ }).waitFor()
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Reviews', { exact: true }).waitFor()
  for (const entry of ['Operators', 'Create Application', 'Create Workspace', 'Add provider', 'Create policy draft']) {
    expect(await dialog.getByText(entry, { exact: true }).count(), entry).toBe(0)
  }
  // A user search would be refused.
  await dialog.getByRole('textbox', { name: 'Search' }).fill('nothing like this')
  await dialog.getByText('No results').waitFor()
})

test('density: stays compact after a reload', async () => {
  const { page } = await dashboard.signedIn({ at: '/applications' })
  const height = async () => (await page.getByRole('button', { name: 'Create Application' }).first().boundingBox())?.height ?? 0
  const before = await height()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitemradio', { name: 'Compact' }).click()
  await expect.poll(height).toBeLessThan(before)
  await page.reload()
  expect(await height()).toBeLessThan(before)
})

test('sidebar: fits 800 pixels of height for an owner, and shows only icons after it is collapsed', async () => {
  const { page, visit } = await dashboard.signedIn()
  await page.setViewportSize({ width: 1280, height: 800 })
  await visit('/')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByText('Documentation').waitFor()
  for (const link of await navigation.getByRole('link').all()) {
    const box = await link.boundingBox()
    expect((box?.y ?? 800) + (box?.height ?? 0)).toBeLessThanOrEqual(800)
  }
  await navigation.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect.poll(async () => (await navigation.boundingBox())?.width ?? 0).toBeLessThan(60)
  await page.reload()
  await navigation.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
})
