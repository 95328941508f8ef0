import { expect, test } from 'vitest'
import type { Json } from '../../server/test/admin/client.ts'
import { signInOperator } from '../../server/test/support/operators.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice'

const dashboard = await startDashboard()

/** The review item of a held chat. */
const send = async (content: string) => (await dashboard.chat(content)).body.error.review_item_id

test('assignment: a reviewer takes an item, finds it by the filter, and sets an absence', async () => {
  const id = await send(`${PAYMENT} assigned.`)
  const { page, visit } = await dashboard.signedIn({ role: 'reviewer', at: `/reviews/${id}` })
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('Assigned to you.', { exact: true }).waitFor()
  expect((await dashboard.admin.get(`/reviews/${id}`)).assigned_to).toMatch(/^opr_/)
  await expectAccessible(page)
  await visit('/reviews?assignee=me')
  await page.getByText('Assigned to you', { exact: true }).waitFor()
  await visit('/reviews?assignee=none')
  await page.getByText('No matching items').waitFor()
  await page.getByRole('button', { name: 'Set absence' }).click()
  const dialog = page.getByRole('dialog', { name: 'Absence' })
  await dialog.getByLabel('First day').fill('2020-01-01')
  await dialog.getByLabel('Last day').fill('2020-12-20')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Absence saved.').waitFor()
})

test('assignment: an item of a delegate names the absent reviewer', async () => {
  const admin = dashboard.admin
  const id = await send(`${PAYMENT} delegated.`)
  const [absent, delegate] = [
    await signInOperator(dashboard.server, 'reviewer'),
    await signInOperator(dashboard.server, 'reviewer'),
  ]
  const [starts_at, ends_at] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString())
  await absent.browser.send('PUT', '/admin/v1/reviewers/me/absence', { starts_at, ends_at, delegate_id: delegate.id })
  await admin.post(`/reviews/${id}/assign`, { operator_id: absent.id })
  const reviewers = (await admin.get('/reviewers')).data
  const [to, from] = [delegate, absent].map((one) => reviewers.find((reviewer: Json) => reviewer.id === one.id).name)
  const { page, visit } = await dashboard.signedIn({ at: `/reviews/${id}` })
  await page.getByText(`Assigned to ${to} for ${from} (away)`).first().waitFor()
  await expectAccessible(page)
  await visit('/reviews')
  await page.getByText(`Assigned to ${to} for ${from} (away)`).waitFor()
})
