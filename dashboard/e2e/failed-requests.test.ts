import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.'
const POLL_MS = 3_000

const dashboard = await startDashboard()

test('audit log: a request that no model may answer is Refused, and one with an answer is Allowed', async () => {
  await dashboard.chat('Good morning')
  const refused = await dashboard.chat('Good morning', { model: 'no-such-model' })
  expect(refused.status).toBe(422)
  const { page, visit } = await dashboard.signedIn()
  await visit('/audit?endpoint=chat&status=422')
  const row = page.getByRole('table', { name: 'Records' }).getByRole('row').nth(1)
  await row.getByText('Refused', { exact: true }).waitFor()
  expect(await row.getByText('Allowed').count()).toBe(0)
  await expectAccessible(page)
  await visit(`/audit/${refused.headers.get('x-audit-id')}`)
  await page.getByText('Refused', { exact: true }).first().waitFor()
  await page.getByText('Allow', { exact: true }).waitFor()
  expect(await page.getByText('Allowed', { exact: true }).count()).toBe(0)
  await expectAccessible(page)
  await visit('/audit?endpoint=chat&status=200')
  await page.getByRole('table', { name: 'Records' }).getByText('Allowed').first().waitFor()
})

test('key dialog: names the error of a first request that was refused', async () => {
  const { page, visit } = await dashboard.signedIn()
  const { id } = await dashboard.admin.create('/applications', { name: 'Without a model', default_model: 'no-such-model' })
  await visit(`/applications/${id}?tab=keys`)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('first')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Key created' })
  const key = (await dialog.locator('code').first().textContent()) ?? ''
  await dashboard.chat('Good morning', { model: 'no-such-model' }, { token: key })
  await dialog.getByText('422 NO_ELIGIBLE_PROVIDER').waitFor()
  await dialog.getByText('Refused', { exact: true }).waitFor()
  expect(await dialog.getByText('Allowed').count()).toBe(0)
  await expectAccessible(page)
})

test('playground: waiting for a reviewer records no reading of the review item', async () => {
  const { page, visit } = await dashboard.signedIn()
  const [application] = dashboard.server.demo.applications
  await visit(`/playground?application=${application?.id}&user=alice`)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(PAYMENT)
  await page.getByRole('button', { name: /^Send( to|$)/, disabled: false }).waitFor()
  const isState = (url: string) => url.includes('/admin/v1/reviews')
  const polled = page.waitForResponse((response) => isState(response.url()))
  await field.press('Enter')
  await page.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  await polled
  await page.waitForResponse((response) => isState(response.url()), { timeout: 20 * POLL_MS })
  const countReadings = async () =>
    (await dashboard.admin.records(50)).filter(({ change }) => change?.action === 'review.read').length
  expect(await countReadings()).toBe(0)
  await page.getByRole('link', { name: 'Pending review' }).click()
  await page.getByText('Brightwater Supplies').first().waitFor()
  await expect.poll(countReadings).toBe(1)
})
