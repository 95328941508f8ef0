import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const dashboard = await startDashboard()
const { admin } = dashboard

test('Home: shows items that need attention, traffic and latency, and links to the reviews', async () => {
  await dashboard.chat('Good morning')
  const held = await dashboard.chat('Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.')
  expect(held.status).toBe(409)
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/' })
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('1 request waits for approval').waitFor()
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  await page.getByRole('table', { name: 'Latency by stage' }).getByText('classify').waitFor()
  await page.getByText('Healthy').first().waitFor()
  // The demo's models have prices.
  await page
    .getByText(/^\$0\.0\d+$/)
    .first()
    .waitFor()
  await page.getByRole('table', { name: 'Top users' }).getByRole('row').nth(1).waitFor()
  await expectAccessible(page)
  await page.getByText('Week', { exact: true }).click()
  await page.waitForURL('**period=7d*')
  await page.getByRole('button', { name: 'Custom' }).click()
  const previousMonth = page.getByRole('button', { name: 'Previous month' })
  await previousMonth.waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await previousMonth.waitFor({ state: 'hidden' })
  await attention.getByRole('link', { name: /Review: 1 request/ }).click()
  await page.waitForURL(/\/dashboard\/reviews(\/rev_\w+)?\?/)
  expect(consoleErrors).toEqual([])
})

test('Home and an Application: the charts count by outcome, as the audit log does, and open its records', async () => {
  expect((await dashboard.chat('Good morning', { model: 'unknown-model' })).status).toBeGreaterThanOrEqual(400)
  const { page, visit } = await dashboard.signedIn({ at: '/' })
  const chart = page.getByRole('region', { name: 'Requests over time' })
  await chart.getByRole('link', { name: 'Refused', exact: true }).waitFor()
  await chart.getByRole('button', { name: 'Show as table: Requests by outcome' }).click()
  const table = chart.getByRole('table', { name: 'Requests by outcome' })
  const names = await table.getByRole('columnheader').allTextContents()
  const cells = await table
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((one) => one.textContent)))
  const { from } = await admin.get('/usage')
  for (const [column, name] of names.entries()) {
    if (name === 'Time' || name === 'No outcome') continue
    const { data } = await admin.get(`/audit?limit=100&from=${from}&outcome=${name.toLowerCase().replace('allowed, ', '')}`)
    expect(
      cells.reduce((sum, row) => sum + Number(row[column]), 0),
      name,
    ).toBe(data.length)
  }
  await expectAccessible(page)
  await chart.getByRole('link', { name: 'Refused', exact: true }).click()
  await page.waitForURL(/\/dashboard\/audit\?(?=.*outcome=refused)(?=.*period=24h)/)
  await page
    .getByRole('table', { name: 'Records' })
    .getByText(/^Refused/)
    .first()
    .waitFor()
  const [application] = (await admin.get('/applications')).data
  await visit(`/applications/${application.id}`)
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page.getByRole('link', { name: 'Allowed', exact: true }).click()
  await page.waitForURL(/\/dashboard\/audit\?(?=.*outcome=allowed)(?=.*application=app_)/)
})

test('period: start moves forward while the page is open', async () => {
  const { page, visit } = await dashboard.signedIn({ window: await dashboard.windows.openNew() })
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
  await expect.poll(moved).toBeGreaterThanOrEqual(9 * 60_000)
})

test('Home: reviewer sees providers without links', async () => {
  const { page } = await dashboard.signedIn({ role: 'reviewer', at: '/' })
  const health = page.getByRole('region', { name: 'Health', exact: true })
  await health.getByText('demo', { exact: true }).waitFor()
  expect(await health.getByRole('link', { name: 'demo', exact: true }).count()).toBe(0)
})

test('checklist: one line with the next step, shows all steps, and can be dismissed', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/' })
  const checklist = page.getByRole('region', { name: 'Get started' })
  await checklist.getByRole('link', { name: 'Next: Add your provider' }).waitFor()
  await checklist.getByRole('button', { name: 'Show steps' }).click()
  await checklist.getByRole('listitem').filter({ hasText: 'Done' }).getByText('Send the first request').waitFor()
  await expectAccessible(page)
  await checklist.getByRole('listitem').getByRole('link', { name: 'Add your provider' }).click()
  await page.waitForURL('**/dashboard/providers*')
  await visit('/')
  await checklist.getByRole('button', { name: 'Dismiss' }).click()
  await checklist.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  expect(await checklist.count()).toBe(0)
  expect(consoleErrors).toEqual([])
})

test('checklist: ticks a step itself while the page is open in an empty Workspace', async () => {
  const workspace = await admin.workspace('empty')
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/?workspace=empty' })
  const checklist = page.getByRole('region', { name: 'Get started' })
  const step = checklist.getByRole('listitem').filter({ hasText: 'Create an Application' })
  await step.getByText('To do').waitFor()
  await admin.create('/applications', { name: 'first' }, { workspace })
  await step.getByText('Done').waitFor()
  await expectAccessible(page)
  await expect.poll(() => page.getByText('This Workspace has demo data.').count()).toBe(0)
  expect(consoleErrors).toEqual([])
})

// The last test, because it removes what the others use.
test('demo: a dialog shows what removing it deletes, and its typed name removes it', async () => {
  await dashboard.admin.create('/applications', { name: 'billing' })
  const reviewer = await dashboard.signedIn({ role: 'reviewer', at: '/' })
  await reviewer.page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  expect(await reviewer.page.getByText('This Workspace has demo data.').count()).toBe(0)

  const { page, visit, consoleErrors } = await dashboard.signedIn()
  await visit('/')
  await page.getByRole('button', { name: 'Remove demo data…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove demo data' })
  await dialog.getByRole('note').getByText('1 Application: billing').waitFor()
  await dialog.getByRole('list', { name: 'Deleted with the Workspace' }).getByText('3 Applications').waitFor()
  await expectAccessible(page)
  const submit = dialog.getByRole('button', { name: 'Remove demo data' })
  await dialog.getByLabel('Type demo to confirm').fill('dem')
  expect(await submit.isDisabled()).toBe(true)
  await dialog.getByLabel('Type demo to confirm').fill('demo')
  await submit.click()
  const checklist = page.getByRole('region', { name: 'Get started' })
  await checklist.getByText('of 6 steps done').waitFor()
  await expect.poll(() => page.getByText('This Workspace has demo data.').count()).toBe(0)
  await page.getByText('empty', { exact: true }).waitFor()
  // The page may have asked for the removed Workspace.
  expect(consoleErrors.filter((error) => !error.includes('404'))).toEqual([])
})
