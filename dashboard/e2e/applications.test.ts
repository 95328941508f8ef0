import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminClient } from '../../server/test/admin/client.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

/** The first test does a whole day's work. */
const STORY_MS = 180_000
const PATIENCE = { timeout: 20_000 }

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const ask = (apiKey: string) =>
  new OpenAI({ baseURL: `${dashboard.server.base}/v1`, apiKey, maxRetries: 0 }).chat.completions.create({
    model: 'demo-mini',
    messages: [{ role: 'user', content: 'Good morning' }],
  })

test(
  'an Application is created, its key issued once, used and revoked; its settings and limits are changed',
  async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/applications')
    await page.getByRole('button', { name: 'New Application' }).click()
    await page.getByLabel('Name').fill('travel-desk')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('No keys yet').waitFor()
    await page.getByRole('button', { name: 'Issue a key' }).click()
    await page.getByLabel('Name').fill('production')
    await page.getByRole('button', { name: 'Issue', exact: true }).click()
    const key = (await page.getByRole('dialog', { name: 'The new key' }).locator('code').textContent()) ?? ''
    await page.getByRole('button', { name: 'Copy the key' }).waitFor()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('cell', { name: 'never' }).waitFor()
    expect(await page.content()).not.toContain(key)
    await ask(key)
    await page.reload()
    await page.getByRole('cell', { name: 'production', exact: true }).waitFor()
    await expect
      .poll(() => page.reload().then(() => page.getByRole('row', { name: 'production' }).textContent()), {
        timeout: 30_000,
      })
      .not.toContain('never')
    await expectAccessible(page)
    await portrait(page, 'application-keys')
    await page.getByRole('button', { name: 'Revoke production' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('production is revoked.').waitFor()
    await expect(ask(key)).rejects.toMatchObject({ status: 401 })

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Requests a minute', { exact: true }).fill('2000000')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1000000').first().waitFor()
    await page.getByLabel('Requests a minute', { exact: true }).fill('120')
    await page.getByLabel('Answers may be based on documents').click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    expect(await page.getByLabel('Requests a minute', { exact: true }).inputValue()).toBe('120')
    await page.getByLabel('Passages for a request').waitFor()
    await expectAccessible(page)
    await portrait(page, 'application-settings')

    await page.getByRole('tab', { name: 'Usage' }).click()
    await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
    await page.getByText('Hour', { exact: true }).click()
    await page.waitForURL('**period=1h*')
    await page.getByRole('table', { name: 'Latency by stage' }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'application-usage')
    await visit('/applications')
    await page.getByRole('link', { name: 'travel-desk' }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'applications')
    // The refusals above, and nothing else.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
  },
  STORY_MS,
)

test('shown once: Esc and a click outside keep the dialog with the key, and the focus starts on Copy', async () => {
  const { page, visit } = await dashboard.signedIn()
  const [application] = dashboard.server.demo.applications
  await visit(`/applications/${application?.id}?tab=keys`)
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByLabel('Name').fill('kept')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'The new key' })
  await dialog.locator('code').waitFor()
  await page
    .locator(':focus')
    .and(page.getByRole('button', { name: 'Copy the key' }))
    .waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await page.waitForTimeout(500)
  expect(await dialog.locator('code').isVisible()).toBe(true)
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('unsaved settings: they survive a look at another tab, and leaving the page or reloading it asks first', async () => {
  const { page, visit } = await dashboard.signedIn()
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  const [application] = dashboard.server.demo.applications
  await visit(`/applications/${application?.id}?tab=settings`)
  const field = page.getByLabel('Requests a minute', { exact: true })
  await field.fill('77')
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page.getByText('Hour', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await field.inputValue()).toBe('77')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm'])
  expect(await field.inputValue()).toBe('77')
  await page.evaluate('setTimeout(() => location.reload(), 0)')
  await expect.poll(() => asked, PATIENCE).toEqual(['confirm', 'beforeunload'])
  expect(await field.inputValue()).toBe('77')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()
  await page.waitForURL('**/dashboard/policies*')
})

test('two tabs: each saves only the fields that it changed, and typing is not lost when the other one saves', async () => {
  const [application] = dashboard.server.demo.applications
  const [first, second] = [await dashboard.signedIn(), await dashboard.signedIn()]
  for (const { visit, page } of [first, second]) {
    await visit(`/applications/${application?.id}?tab=settings`)
    await page.getByLabel('Requests a minute', { exact: true }).waitFor()
  }
  await second.page.getByLabel('Requests a minute', { exact: true }).fill('321')
  await first.page.getByLabel('Requests at the same time').fill('7')
  await first.page.getByRole('button', { name: 'Save' }).click()
  await first.page.getByText('Saved.').waitFor()
  await second.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await second.page.waitForTimeout(500)
  await second.page.getByRole('button', { name: 'Save' }).click()
  await second.page.getByText('Saved.').waitFor()
  const { limits } = await adminClient(dashboard.server).get(`/applications/${application?.id}`)
  expect(limits).toMatchObject({ requests_per_minute: 321, concurrency: 7 })
})

test('who only reads sees keys and settings, and can change neither', async () => {
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
  const [application] = dashboard.server.demo.applications
  await visit(`/applications/${application?.id}?tab=keys`)
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  expect(await page.getByRole('button', { name: /Revoke|Issue/ }).count()).toBe(0)
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await page.getByRole('combobox', { name: 'Ceiling' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Playground' }).count()).toBe(0)
  await visit('/applications/app_01h455vb4pex5vsknk084sn02q')
  await page.getByText('There is no such Application').waitFor()
})
