import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminClient } from '../../server/test/admin/client.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

const PATIENCE = { timeout: 20_000 }
const STORY = { timeout: 120_000 }

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

/** Declines every question whether the page may be left, and counts them. */
function declining(page: Page): string[] {
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  return asked
}

const leave = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()

test(
  'unsaved message: leaving the conversation, its user or the window asks first, and what was typed stays',
  STORY,
  async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/conversations')
    await page.getByRole('button', { name: 'Speak as alice' }).click()
    await page.getByRole('button', { name: 'New', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Bob Lindqvist/ })
      .click()
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Half a sentence')
    const asked = declining(page)
    await leave(page)
    await expect.poll(() => asked, PATIENCE).toEqual(['confirm'])
    await page.getByRole('button', { name: 'Somebody else' }).click()
    await expect.poll(() => asked, PATIENCE).toEqual(['confirm', 'confirm'])
    await page.evaluate('setTimeout(() => location.reload(), 0)')
    await expect.poll(() => asked, PATIENCE).toEqual(['confirm', 'confirm', 'beforeunload'])
    expect(await field.inputValue()).toBe('Half a sentence')
    // The token of the user was kept as well.
    await page.keyboard.press('Control+End')
    await field.press('Enter')
    await page.getByRole('article').filter({ hasText: 'Half a sentence' }).waitFor()
    await leave(page)
    await page.waitForURL('**/dashboard/policies*')
    expect(asked).toHaveLength(3)
  },
)

test('unsaved group: Esc asks before what was typed in the dialog of a new conversation is lost', STORY, async () => {
  const { page, visit } = await dashboard.signedIn()
  await visit('/conversations')
  await page.getByRole('button', { name: 'Speak as alice' }).click()
  await page.getByRole('button', { name: 'New', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'New group' }).click()
  await dialog.getByLabel('Name').fill('Harbour team')
  const asked = declining(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm'])
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Harbour team')
  await dialog.getByRole('combobox', { name: 'Who belongs to it' }).click()
  await page.getByRole('option', { name: 'Bob Lindqvist' }).click()
  // The list of names lies over the button.
  await dialog.getByLabel('Name').click()
  await dialog.getByRole('button', { name: 'Make the group' }).click()
  await page.getByRole('heading', { name: 'Harbour team' }).waitFor()
  expect(asked).toHaveLength(1)
})

test('unsaved comment: leaving a review asks first, and deciding does not', STORY, async () => {
  const [application] = dashboard.server.demo.applications
  const held = await fetch(`${dashboard.server.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${application?.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-mini',
      messages: [{ role: 'user', content: 'Transfer EUR 12,000 to the new supplier' }],
    }),
  })
  const { error } = (await held.json()) as { error: { review_item_id: string } }
  const { page, visit } = await dashboard.signedIn()
  await visit(`/reviews/${error.review_item_id}`)
  const comment = page.getByLabel('Comment')
  await comment.fill('The supplier is known')
  const asked = declining(page)
  await leave(page)
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm'])
  expect(await comment.inputValue()).toBe('The supplier is known')
  await page.getByRole('button', { name: /^Deny/ }).click()
  await page.getByText('Denied. Content erased.').waitFor()
  await leave(page)
  await page.waitForURL('**/dashboard/policies*')
  expect(asked).toHaveLength(1)
})

test('unsaved account: a typed password asks before the page is left, and Esc does not discard backup codes', STORY, async () => {
  const { page, visit } = await dashboard.signedIn()
  await visit('/account')
  await page.getByLabel('New password').fill('half a password')
  const asked = declining(page)
  await leave(page)
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm'])
  expect(await page.getByLabel('New password').inputValue()).toBe('half a password')
  await page.getByLabel('New password').fill('')

  // The codes are made up: turning the second factor on would lock the demo's owner out of the other tests.
  await page.route('**/auth/two-factor/enable', (route) =>
    route.fulfill({
      json: { totpURI: 'otpauth://totp/Gatehouse:demo?secret=JBSWY3DPEHPK3PXP', backupCodes: ['first-code', 'second-code'] },
    }),
  )
  await page.route('**/auth/two-factor/verify-totp', (route) => route.fulfill({ json: {} }))
  await page.getByRole('button', { name: 'Set up' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill(dashboard.owner.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Code of six digits').fill('123456')
  await page.keyboard.press('Escape')
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm', 'confirm'])
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByText('first-code').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForTimeout(500)
  expect(await dialog.getByText('first-code').isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'I have kept them' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(asked).toHaveLength(2)
})

test('CORS origins: they are set in the settings of the Application, and a wrong one is told at its field', STORY, async () => {
  const [application] = dashboard.server.demo.applications
  const admin = adminClient(dashboard.server)
  const { page, visit } = await dashboard.signedIn()
  await visit(`/applications/${application?.id}?tab=settings`)
  const field = page.getByRole('combobox', { name: 'Web pages that may call it' })
  await field.fill('https://app.example.org/path')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/such as https:\/\/app\.example\.org, without a path/).waitFor()
  await field.press('Backspace')
  await field.fill('https://app.example.org')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const { settings } = await admin.get(`/applications/${application?.id}`)
  expect(settings).toMatchObject({ cors: { origins: ['https://app.example.org'] } })
})

test('two tabs: a change of a model sends only the price that was changed, and an added model replaces none', STORY, async () => {
  const admin = adminClient(dashboard.server)
  await admin.create('/providers', { id: 'priced', base_url: 'https://models.example.com/v1' })
  await admin.put('/providers/priced/models/large', { input_price: 1, output_price: 2 })
  const { page, visit } = await dashboard.signedIn()
  await visit('/providers/priced')
  await page.getByRole('button', { name: 'Change large' }).click()
  await page.getByLabel('Price in').fill('5')
  await admin.put('/providers/priced/models/large', { input_price: 1, output_price: 9 })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const { data } = await admin.get('/providers/priced/models')
  expect(data).toMatchObject([{ id: 'large', input_price: 5, output_price: 9 }])

  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Model', exact: true }).fill('large')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('There is a model of that name already.').waitFor()
})
