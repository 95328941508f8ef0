import { expect, test } from 'vitest'
import { json } from '../../server/test/support/scripted-provider.ts'
import { expectAccessible } from './support/accessible.ts'
import { createKey } from './support/create-key.ts'
import { startScriptedDashboard } from './support/dashboard.ts'

const dashboard = await startScriptedDashboard()
const [application] = dashboard.server.demo.applications

test('key dialog: stays open on Esc and on a click outside, and focuses the copy button', async () => {
  const { page } = await dashboard.signedIn({ at: `/applications/${application?.id}?tab=keys` })
  const { dialog } = await createKey(page, 'kept')
  await page
    .locator(':focus')
    .and(page.getByRole('button', { name: 'Copy key' }))
    .waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.waitForTimeout(500)
  expect(await dialog.locator('code').first().isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('key dialog: names the error of a first request that was refused', async () => {
  const { page, visit } = await dashboard.signedIn()
  const { id } = await dashboard.admin.create('/applications', { name: 'Without a model', default_model: 'no-such-model' })
  await visit(`/applications/${id}?tab=keys`)
  const { dialog, key } = await createKey(page, 'first')
  await dashboard.chat('Good morning', { model: 'no-such-model' }, { token: key })
  await dialog.getByText('First request received: 422, no provider may answer it').waitFor()
  await dialog.getByText('Refused 422', { exact: true }).waitFor()
  expect(await dialog.getByText('Allowed').count()).toBe(0)
  await expectAccessible(page)
})

test('key dialog: says that the provider rejects its key when a first request fails', async () => {
  dashboard.upstream.on('marmot', (response) => json(response, 401, { error: { message: 'no' } }))
  const { page, visit } = await dashboard.signedIn()
  const { id } = await dashboard.admin.create('/applications', { name: 'With a wrong key', default_model: 'gpt-demo' })
  await visit(`/applications/${id}?tab=keys`)
  const { dialog, key } = await createKey(page, 'first')
  await dashboard.chat('Good morning, marmot', { model: 'gpt-demo' }, { token: key })
  await dialog.getByText('First request received: 502, key rejected').waitFor()
  await dialog.getByText('Failed 502', { exact: true }).waitFor()
  await expectAccessible(page)
})
