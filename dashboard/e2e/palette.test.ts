import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const dashboard = await startDashboard()

const RECORD = `aud_${'0'.repeat(26)}`

test('command palette: opens pages, Applications, users, records and forms with the keyboard', async () => {
  const { page } = await dashboard.signedIn({ at: '/' })
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const search = page.getByRole('dialog').getByRole('textbox', { name: 'Search' })
  const choose = async (query: string, entry: string) => {
    await page.keyboard.press('Control+k')
    await search.fill(query)
    await page.getByRole('dialog').getByText(entry, { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await search.waitFor({ state: 'hidden' })
  }
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
  await choose(RECORD, `Open ${RECORD}`)
  await page.waitForURL(`**/dashboard/audit/${RECORD}`)
  await choose('create application', 'Create Application')
  await page.getByRole('dialog', { name: 'Create Application' }).getByLabel('Name').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await page.keyboard.press('Escape')
  await choose('create budget', 'Create budget')
  await page.getByRole('dialog', { name: 'Create budget' }).getByLabel('Limit in US dollars').waitFor()
  await page.keyboard.press('Escape')
  await choose('draft', 'Create policy draft')
  await page.getByRole('textbox', { name: 'Policy document' }).waitFor()
  await choose('dark', 'Use dark color scheme')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
})

test('command palette: has only the pages and actions of the role', async () => {
  const { page } = await dashboard.signedIn({ role: 'reviewer', at: '/' })
  await page.getByRole('button', { name: /account menu/ }).waitFor()
  await page.getByRole('button', { name: 'Search' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Reviews', { exact: true }).waitFor()
  for (const entry of ['Operators', 'Create Application', 'Add provider', 'Create policy draft']) {
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
