import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminClient } from '../../server/test/admin/client.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { screenshot } from './support/screenshot.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

/** Sends a chat request; refusals are expected. */
const sendChat = (content: string) => {
  const [application] = dashboard.server.demo.applications
  const body = { model: 'demo-mini', messages: [{ role: 'user', content }], governance: { user: { id: 'alice' } } }
  return adminClient(dashboard.server).send('POST', `/applications/${application?.id}/chat`, body)
}

test('Home: shows items that need attention, traffic and latency, and links to the reviews', async () => {
  await sendChat('Good morning')
  const held = await sendChat('Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.')
  expect(held.status).toBe(409)
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  await visit('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('1 request waits for approval').waitFor()
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  await page.getByRole('table', { name: 'Latency by stage' }).getByText('classify').waitFor()
  await page.getByText('Healthy').first().waitFor()
  // The demo's models have prices.
  await page.getByText(/^Cost 0\.0\d+/).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'home')
  await page.getByText('Week', { exact: true }).click()
  await page.waitForURL('**period=7d*')
  await attention.getByRole('link', { name: /Review: 1 request/ }).click()
  await page.waitForURL('**/dashboard/reviews?*')
  expect(consoleErrors).toEqual([])
})

test('period: start moves forward while the page is open', async () => {
  const { page, visit } = await dashboard.signedIn()
  await page.clock.install()
  const starts: number[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.endsWith('/overview')) starts.push(Date.parse(url.searchParams.get('from') ?? ''))
  })
  await visit('/?period=1h')
  await page.getByRole('heading', { name: 'Latency by stage' }).waitFor()
  await page.clock.fastForward('10:00')
  const moved = () => (starts.at(-1) ?? 0) - (starts[0] ?? 0)
  await expect.poll(moved, { timeout: 20_000 }).toBeGreaterThanOrEqual(9 * 60_000)
})

test('Home: reviewer sees providers without links', async () => {
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'))
  await visit('/')
  await page.getByRole('heading', { name: 'Providers' }).waitFor()
  expect(
    await page
      .getByRole('main')
      .getByRole('link', { name: /stub|demo/ })
      .count(),
  ).toBe(0)
})
