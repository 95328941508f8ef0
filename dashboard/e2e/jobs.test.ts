import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { policyDocument } from '../../server/test/support/marker-policies.ts'
import { type Actions, countActions } from './support/count-actions.ts'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'
import { choose, confirmed } from './support/dialogs.ts'
import { invite } from './support/sign-in.ts'

const HELD = 'Please wire 48,000 EUR to Brightwater Supplies today.'

const dashboard = await startDashboard()
const { admin } = dashboard
await admin.workspace('research')
const window = await dashboard.signedIn({ window: await dashboard.windows.openNew() })
const taken = await countActions(window.page)

await dashboard.chat('Good morning')

/** Does a job from Home and compares the actions with the documented ones. */
async function job(documented: Actions, run: (page: Page) => Promise<void>): Promise<void> {
  const { page, visit } = window
  await visit('/')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  taken()
  await run(page)
  // The last action may still be on its way.
  await page.evaluate('0')
  expect(taken()).toEqual(documented)
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test('find the most expensive request', () =>
  job({ clicks: 3, fields: 0, keys: 0 }, async (page) => {
    await open(page, 'Audit log')
    const table = page.getByRole('table', { name: 'Records' })
    await table.getByRole('button', { name: 'Cost' }).click()
    await page.waitForURL('**sort=-cost')
    await table.getByRole('row').nth(1).getByRole('link').first().click()
    await page.waitForURL('**/audit/aud_*')
  }))

test('approve a held request', async () => {
  const { error } = (await dashboard.chat(HELD)).body
  await job({ clicks: 1, fields: 0, keys: 3 }, async (page) => {
    await open(page, 'Reviews')
    await page.getByText('No item selected').waitFor()
    await page.keyboard.press('j')
    await page.getByRole('button', { name: 'Approve', disabled: false }).waitFor()
    await page.keyboard.press('a')
    await page.getByText('to approve').waitFor()
    await page.keyboard.press('Enter')
    // The person can go on; the decision is sent after five seconds.
    await page.getByText('It is sent in five seconds.').waitFor()
  })
  await sendNow(window.page)
  await expect.poll(async () => (await admin.get(`/reviews/${error.review_item_id}`)).state).toBe('approved')
})

test('publish a rule from a template', () =>
  job({ clicks: 7, fields: 2, keys: 1 }, async (page) => {
    await open(page, 'Policies')
    await button(page, 'Create draft').click()
    await page.getByText('Ready to publish').waitFor()
    await page.getByRole('tab', { name: 'Rules' }).click()
    await button(page, 'Add from template').click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Search' }).fill('office hours')
    await page.getByRole('dialog').getByRole('button', { name: 'Add Office hours for contractors' }).click()
    await page.getByRole('dialog').getByText('Added', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true, disabled: false }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('Contractors work in office hours')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', disabled: false }).click()
    await page.getByRole('heading', { name: 'demo v2' }).waitFor()
  }))

test('roll back a policy', async () => {
  const allowed = { id: 'shown', at: ['input'], when: 'false', verdict: 'escalate' }
  await admin.create('/policy-sets', { source: policyDocument([allowed] as never) })
  await job({ clicks: 3, fields: 1, keys: 0 }, async (page) => {
    await open(page, 'Policies')
    await button(page, 'Roll back to demo v1').click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('The rule is not needed')
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back', disabled: false }).click()
    await page.getByText('Rolled back to demo v1').waitFor()
  })
})

test('add a provider', () =>
  job({ clicks: 3, fields: 3, keys: 0 }, async (page) => {
    await open(page, 'Providers')
    await button(page, 'Add provider').click()
    await page.getByRole('textbox', { name: 'ID', exact: true }).fill('inhouse')
    await page.getByLabel('Base URL').fill('https://models.example.com/v1')
    await page.getByLabel('API key').fill('sk-very-secret')
    await button(page, 'Add').click()
    await page.getByRole('heading', { name: 'inhouse', exact: true }).waitFor()
  }))

test('create an Application with a key and send the first request', () =>
  job({ clicks: 6, fields: 2, keys: 0 }, async (page) => {
    await open(page, 'Applications')
    await button(page, 'Create Application').click()
    await page.getByLabel('Name').fill('travel-desk')
    await button(page, 'Create').click()
    await button(page, 'Create key').first().click()
    await page.getByLabel('Name').fill('production')
    await button(page, 'Create').click()
    const dialog = page.getByRole('dialog', { name: 'Key created' })
    const key = (await dialog.locator('code').first().textContent()) ?? ''
    await dashboard.chat('Good morning', {}, { token: key })
    await dialog.getByText('First request received').waitFor()
    await button(page, 'I have saved it').click()
  }))

test('revoke a leaked key', () =>
  job({ clicks: 5, fields: 0, keys: 0 }, async (page) => {
    await open(page, 'Applications')
    await page.getByRole('link', { name: 'travel-desk' }).click()
    await page.getByRole('tab', { name: 'Keys' }).click()
    await confirmed(page, 'Revoke production', 'Revoke')
    await page.getByText('Key production revoked.').waitFor()
  }))

test("export last month's cost by model", () =>
  job({ clicks: 5, fields: 0, keys: 0 }, async (page) => {
    await open(page, 'Usage and cost')
    await page.getByText('30 days', { exact: true }).click()
    await choose(page, 'Group by', 'Model')
    await page.waitForURL('**group=model*')
    const file = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export CSV' }).click()
    expect((await file).suggestedFilename()).toMatch(/^usage-by-model-/)
  }))

test('find all records of a user', () =>
  job({ clicks: 1, fields: 1, keys: 0 }, async (page) => {
    await open(page, 'Audit log')
    await page.getByRole('combobox', { name: 'User ID' }).fill('alice')
    await page.waitForURL('**user=alice*')
    await page.getByRole('table', { name: 'Records' }).getByRole('row').nth(1).waitFor()
  }))

test('invite a reviewer for one Workspace', () =>
  job({ clicks: 9, fields: 2, keys: 0 }, async (page) => {
    await open(page, 'Operators')
    await invite(page, { name: 'Rita Reviewer', email: 'rita@example.com' })
    await choose(page, 'Role in all Workspaces', 'None')
    await choose(page, 'Add Workspace', 'research')
    await choose(page, 'Role in research', 'Reviewer')
    await button(page, 'Create invitation link').click()
    await page.getByRole('dialog').locator('code').waitFor()
  }))
