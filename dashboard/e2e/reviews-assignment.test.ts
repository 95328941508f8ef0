import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { adminClient, type Json } from '../../server/test/admin/client.ts'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { signInOperator } from '../../server/test/support/operators.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice'

const dashboard = await closeAfterAll(startDashboard())
const { base, demo } = dashboard.server
const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: demo.applications[0]?.api_key ?? '', maxRetries: 0 })

/** Sends a chat; resolves to the review item of a held one. */
const send = (content: string): Promise<string | undefined> =>
  openai.chat.completions
    .create({ model: 'demo-mini', messages: [{ role: 'user', content }], governance: { user: { id: 'alice' } } } as never)
    .then(
      () => undefined,
      ({ error }) => error?.review_item_id,
    )

test('assignment: a reviewer takes an item, finds it by the filter, and sets an absence', { timeout: 300_000 }, async () => {
  const id = await send(`${PAYMENT} assigned.`)
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'))
  await visit(`/reviews/${id}`)
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('Assigned to you.', { exact: true }).waitFor()
  expect((await adminClient(dashboard.server).get(`/reviews/${id}`)).assigned_to).toMatch(/^opr_/)
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

test('assignment: an item of a delegate names the absent reviewer', { timeout: 300_000 }, async () => {
  const admin = adminClient(dashboard.server)
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
  const { page, visit } = await dashboard.signedIn()
  await visit(`/reviews/${id}`)
  await page.getByText(`Assigned to ${to} for ${from} (away)`).first().waitFor()
  await expectAccessible(page)
  await visit('/reviews')
  await page.getByText(`Assigned to ${to} for ${from} (away)`).waitFor()
})
