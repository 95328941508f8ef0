import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { firstLogin } from './support/sign-in.ts'

const OWNER = { name: 'Olivia Owner', email: 'olivia@example.com', password: 'a long test password' }
const NO_WORKSPACE = 'This server has no Workspace yet'

const dashboard = await startDashboard({ GATEHOUSE_DEMO: '0' })

test('empty server: first owner creates the first Workspace on any page, and gets the checklist', async () => {
  const { page, visit, consoleErrors } = await dashboard.windows.open()
  await firstLogin(dashboard, page, OWNER)
  await page.getByRole('heading', { name: NO_WORKSPACE }).waitFor()
  await expectAccessible(page)

  const paths = await pathsOfSidebar(page)
  expect(paths).toContain('/settings/workspace')
  for (const path of paths) {
    await visit(path)
    await page.getByRole('heading', { name: NO_WORKSPACE }).waitFor()
    await page.getByRole('button', { name: 'Create Workspace' }).waitFor()
  }
  await visit('/account')
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()

  await visit('/settings/workspace')
  await page.getByRole('button', { name: 'Create Workspace' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('region', { name: 'Get started' }).getByText('0 of 5 steps done').waitFor()
  await page.getByTitle('Workspace: acme').waitFor()
  await visit('/settings/workspace')
  await page.getByRole('heading', { name: 'General' }).waitFor()
  expect(consoleErrors).toEqual([])
})

/** Paths of the sidebar's pages: `/settings/workspace`. */
async function pathsOfSidebar(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  return paths.filter((path) => path.startsWith('/dashboard')).map((path) => path.slice('/dashboard'.length) || '/')
}
