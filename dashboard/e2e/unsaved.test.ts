import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'
import { dialogsClosed, dismissDialogs } from './support/dialogs.ts'

const dashboard = await startDashboard()
const { admin } = dashboard
const [application] = dashboard.server.demo.applications

const openPolicies = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()

test('unsaved message: leaving the conversation, the user or the window asks first and keeps the text', async () => {
  const { page } = await dashboard.signedIn({ at: '/conversations' })
  await page.getByRole('button', { name: 'Act as alice' }).click()
  await page.getByRole('button', { name: 'Start conversation' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Bob Lindqvist/ })
    .click()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Half a sentence')
  const dialogs = dismissDialogs(page)
  await openPolicies(page)
  await expect.poll(() => dialogs).toEqual(['confirm'])
  await page.getByRole('button', { name: 'Switch user' }).click()
  await expect.poll(() => dialogs).toEqual(['confirm', 'confirm'])
  await page.evaluate('setTimeout(() => location.reload(), 0)')
  await expect.poll(() => dialogs).toEqual(['confirm', 'confirm', 'beforeunload'])
  expect(await field.inputValue()).toBe('Half a sentence')
  // The access token is still valid.
  await page.keyboard.press('Control+End')
  await field.press('Enter')
  await page.getByRole('article').filter({ hasText: 'Half a sentence' }).waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  await openPolicies(page)
  await page.waitForURL('**/dashboard/policies*')
  expect(dialogs).toHaveLength(3)
})

test('unsaved group: Esc asks before the dialog discards the input', async () => {
  const { page } = await dashboard.signedIn({ at: '/conversations' })
  await page.getByRole('button', { name: 'Act as alice' }).click()
  await page.getByRole('button', { name: 'Start conversation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await dialog.getByLabel('Name').fill('Harbour team')
  const dialogs = dismissDialogs(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => dialogs).toEqual(['confirm'])
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Harbour team')
  await dialog.getByRole('combobox', { name: 'Members' }).click()
  await page.getByRole('option', { name: 'Bob Lindqvist' }).click()
  // The list of names covers the button.
  await dialog.getByLabel('Name').click()
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('heading', { name: 'Harbour team' }).waitFor()
  expect(dialogs).toHaveLength(1)
})

test('unsaved comment: leaving a review asks first, and a decision does not', async () => {
  const { error } = (await dashboard.chat('Transfer EUR 12,000 to the new supplier')).body
  const { page } = await dashboard.signedIn({ at: `/reviews/${error.review_item_id}` })
  const comment = page.getByLabel('Comment')
  await comment.fill('The supplier is known')
  const dialogs = dismissDialogs(page)
  await openPolicies(page)
  await expect.poll(() => dialogs).toEqual(['confirm'])
  expect(await comment.inputValue()).toBe('The supplier is known')
  await page.getByRole('button', { name: /^Deny/ }).click()
  await sendNow(page)
  await page.getByText('Denied. Content erased.').waitFor()
  await openPolicies(page)
  await page.waitForURL('**/dashboard/policies*')
  expect(dialogs).toHaveLength(1)
})

test('unsaved account: leaving with a typed password asks first, and Esc does not close backup codes', async () => {
  const { page } = await dashboard.signedIn({ at: '/account' })
  await page.getByLabel('New password').fill('half a password')
  const dialogs = dismissDialogs(page)
  await openPolicies(page)
  await expect.poll(() => dialogs).toEqual(['confirm'])
  expect(await page.getByLabel('New password').inputValue()).toBe('half a password')
  await page.getByLabel('New password').fill('')

  // The responses are fake, because two-factor authentication would lock the owner out of the other tests.
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
  await dialog.getByLabel('6-digit code').fill('123456')
  await page.keyboard.press('Escape')
  await expect.poll(() => dialogs).toEqual(['confirm', 'confirm'])
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByText('first-code').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForTimeout(500)
  expect(await dialog.getByText('first-code').isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'I have saved them' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(dialogs).toHaveLength(2)
})

test('CORS origins: are saved in the settings, and an invalid one shows an error at its field', async () => {
  const { page } = await dashboard.signedIn({ at: `/applications/${application?.id}?tab=settings` })
  const field = page.getByRole('combobox', { name: 'Allowed origins (CORS)' })
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

test('models: an edit sends only the changed price, and adding a model replaces none', async () => {
  await admin.create('/providers', { id: 'priced', base_url: 'https://models.example.com/v1' })
  await admin.put('/providers/priced/models/large', { input_price: 1, output_price: 2 })
  const { page } = await dashboard.signedIn({ at: '/providers/priced' })
  await page.getByRole('button', { name: 'Edit large' }).click()
  await page.getByLabel('Input price').fill('5')
  await admin.put('/providers/priced/models/large', { input_price: 1, output_price: 9 })
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await dialogsClosed(page)
  const { data } = await admin.get('/providers/priced/models')
  expect(data).toMatchObject([{ id: 'large', input_price: 5, output_price: 9 }])

  await page.getByRole('button', { name: 'Add model' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Model', exact: true }).fill('large')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Model name is already taken. Choose another.').waitFor()
})
