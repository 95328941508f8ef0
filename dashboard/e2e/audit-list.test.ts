import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible, expectNoFindings } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const addFilter = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('menuitem', { name }).click()
}

const dashboard = await startDashboard()
const { headers } = await dashboard.chat('Answer jane.roe@brightwater.example.com that we agree.')
const auditId = headers.get('x-audit-id') ?? ''

test('filters: are in the URL and in their fields, which a navigation link clears', async () => {
  const { page, visit } = await dashboard.signedIn()
  const user = page.getByRole('combobox', { name: 'User ID' })
  const clear = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' })
  await visit('/audit?user=alice&status=200')
  await page.getByRole('table', { name: 'Records' }).waitFor()
  expect(await user.inputValue()).toBe('alice')
  await clear.click()
  await page.waitForURL((url) => !url.searchParams.has('user'))
  await expect.poll(() => user.inputValue()).toBe('')
  expect(await page.getByRole('button', { name: 'HTTP status: 200' }).count()).toBe(0)
  await user.fill('unknown-user')
  await page.getByText('No matching records').waitFor()
  expect(new URL(page.url()).searchParams.get('user')).toContain('unknown-user')
  // A user is suggested while one types, and found by the keyed hash.
  await user.fill('ali')
  await page.getByRole('option', { name: 'alice' }).click()
  await page.waitForURL('**user=alice*')
  await page.getByRole('table', { name: 'Records' }).locator(`a[href*="${auditId}"]`).waitFor()
})

test('filters: both apply when two fields are filled within 350 ms, on a phone too', async () => {
  const { page } = await dashboard.signedIn({ isNarrow: true, at: '/audit' })
  await page.getByRole('table', { name: 'Records' }).waitFor()
  await page.getByRole('button', { name: 'Filters' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('combobox', { name: 'User ID' }).fill('alice')
  await sheet.getByRole('textbox', { name: 'Status' }).fill('409')
  await page.waitForURL('**status=*')
  await page.getByText('No matching records').waitFor()
  const { searchParams } = new URL(page.url())
  expect([searchParams.get('user'), searchParams.get('status')]).toEqual(['alice', expect.stringContaining('409')])
  await expectAccessible(page)
  await sheet.getByRole('button', { name: 'Show results' }).click()
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor()
})

test('filters: a status class finds its records, and an invalid status shows an error', async () => {
  const { page } = await dashboard.signedIn({ at: '/audit?endpoint=chat' })
  const rows = page.getByRole('table', { name: 'Records' }).getByRole('row')
  await rows.nth(1).waitFor()
  await addFilter(page, 'HTTP status')
  await page.getByRole('textbox', { name: 'Status' }).fill('5xx')
  await page.getByText('No matching records').waitFor()
  await page.getByRole('textbox', { name: 'Status' }).fill('2xx')
  await rows.nth(1).waitFor()
  await page.getByRole('textbox', { name: 'Status' }).fill('many')
  await page.getByText('Enter a status such as 404, or a class such as 5xx.').first().waitFor()
  await expect.poll(() => rows.count()).toBe(0)
  await expectAccessible(page)
})

test('filters: all of more than 100 Applications can be selected', async () => {
  const admin = dashboard.admin
  for (let number = 1; number <= 103; number += 1) await admin.create('/applications', { name: `numbered ${number}` })
  const { page } = await dashboard.signedIn({ at: '/audit' })
  await addFilter(page, 'Application')
  await page.getByRole('combobox', { name: 'Application' }).fill('numbered 103')
  await page.getByRole('option', { name: 'numbered 103' }).click()
  await page.waitForURL('**application=app_*')
})

test('list: scrolling and a button load later pages, only rows around the visible ones are in the page, and Tab goes on below them', async () => {
  const { page } = await dashboard.signedIn({ at: '/audit?endpoint=admin' })
  const table = page.getByRole('table', { name: 'Records' })
  await table.getByRole('row').nth(20).waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  const scrolled = page.getByRole('group', { name: 'Records' })
  const toEnd = () => scrolled.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  const countRows = async () => {
    await toEnd()
    return table.getAttribute('aria-rowcount')
  }
  await expect.poll(countRows).not.toBe('-1')
  const rows = Number(await table.getAttribute('aria-rowcount'))
  expect(rows).toBeGreaterThan(102)
  expect(await table.locator('tr[data-index]').count()).toBeLessThan(80)
  // The last page may have arrived after the list was scrolled.
  const countLast = async () => {
    await toEnd()
    return table.locator(`tr[aria-rowindex="${rows}"]`).count()
  }
  await expect.poll(countLast).toBe(1)
  await scrolled.evaluate((element) => element.scrollTo(0, 0))
  await table.locator('tr[data-index="0"]').getByRole('link').focus()
  const focusedRow = () => page.evaluate("Number(document.activeElement?.closest('tr')?.dataset.index ?? -1)")
  for (let row = 1; row <= 45; row += 1) {
    await page.keyboard.press('Tab')
    await expect.poll(focusedRow).toBe(row)
  }
})

test('list: rows fill the window after cards of a phone have become lines', async () => {
  const { page } = await dashboard.signedIn({ isNarrow: true, at: '/audit?endpoint=admin' })
  const row = page.getByRole('table', { name: 'Records' }).locator('tr[data-index]')
  await row.nth(3).waitFor()
  const narrow = await row.count()
  await page.setViewportSize({ width: 1280, height: 800 })
  // Lines are 29 pixels high, and the list 660.
  await expect.poll(() => row.count()).toBeGreaterThanOrEqual(Math.max(narrow, 23))
})

test('list: rows are in the page again when one comes back to a list of more than 100', async () => {
  const { page } = await dashboard.signedIn({ at: '/applications' })
  const table = page.getByRole('table', { name: 'Applications' })
  await table.waitFor()
  const more = page.getByRole('button', { name: 'Show more' })
  const showMore = async () => {
    if (await more.isVisible()) await more.click()
    return Number(await table.getAttribute('aria-rowcount'))
  }
  await expect.poll(showMore).toBeGreaterThan(103)
  await table.getByRole('row').nth(5).getByRole('link').first().click()
  await page.waitForURL('**/applications/app_*')
  await page.goBack()
  await table.getByRole('row').nth(10).waitFor()
})

test('list: rows are cards on a phone, with all columns as pairs of label and value, and remain a table', async () => {
  const { page } = await dashboard.signedIn({ isNarrow: true, at: '/audit?endpoint=chat' })
  const row = page.getByRole('table', { name: 'Records' }).getByRole('row').nth(1)
  await row.waitFor()
  for (const label of ['Event', 'Actor', 'Application', 'Outcome', 'Status', 'Rules', 'Model', 'Cost', 'Latency'])
    expect(await row.locator(`[role=cell][data-label="${label}"]`).isVisible(), label).toBe(true)
  const boxes = await row.getByRole('cell').evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect()))
  expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(380)
  expect(new Set(boxes.filter(({ height }) => height > 0).map(({ left }) => left)).size).toBe(1)
  await expectAccessible(page)
})

test('filters: a period is one control, with presets and a calendar', async () => {
  const { page } = await dashboard.signedIn({ at: '/audit?endpoint=chat' })
  await page.getByRole('button', { name: 'Time: Any time' }).click()
  await page.getByRole('button', { name: 'Last 24 hours' }).click()
  await page.waitForURL('**period=24h*')
  await page.getByRole('button', { name: 'Time: Last 24 hours' }).click()
  await page.getByRole('button', { name: 'Previous month' }).or(page.locator('[data-direction=previous]')).first().click()
  const days = page.locator('.mantine-DatePicker-day:not([data-outside]):not([disabled])')
  await days.nth(3).click()
  await days.nth(5).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.waitForURL('**from=*')
  await expectAccessible(page)
  const { searchParams } = new URL(page.url())
  expect([searchParams.has('period'), searchParams.get('from'), searchParams.get('to')]).toEqual([
    false,
    expect.stringMatching(/-04T00:00$/),
    expect.stringMatching(/-07T00:00$/),
  ])
})

test('views: filters and columns are saved, changed, shared and deleted', async () => {
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/audit?endpoint=chat&verdict=deny' })
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Denied chats')
  await page.getByRole('switch', { name: 'Share with the Workspace' }).press('Space')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Denied chats', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove filter: Verdict' }).click()
  await page.getByRole('button', { name: 'Denied chats · modified' }).click()
  await page.getByRole('menu').getByRole('group', { name: 'Shared views' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Delete view' }).hover()
  await expectNoFindings(page)
  await page.getByRole('menuitem', { name: 'Update' }).click()
  await page.getByRole('button', { name: 'Denied chats', exact: true }).waitFor()

  const other = await dashboard.signedIn({ role: 'reviewer' })
  await other.visit('/audit')
  await other.page.getByRole('button', { name: 'Views' }).click()
  await other.page.getByRole('menuitem', { name: 'Denied chats' }).click()
  await other.page.waitForURL('**endpoint=chat*')
  expect(new URL(other.page.url()).searchParams.has('verdict')).toBe(false)
  await other.page.getByRole('button', { name: 'Denied chats', exact: true }).click()
  expect(await other.page.getByRole('menuitem', { name: /Edit view|Delete view/ }).count()).toBe(0)

  await page.getByRole('button', { name: 'Denied chats', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete view' }).click()
  await page.getByRole('button', { name: 'Delete view' }).click()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByText('No saved views').waitFor()
  expect(consoleErrors).toEqual([])
})

test('list: sorts by a column, filters by an added filter and hides a column', async () => {
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/audit?endpoint=chat' })
  const table = page.getByRole('table', { name: 'Records' })
  await table.getByRole('button', { name: 'Latency' }).click()
  await page.waitForURL('**sort=-latency')
  await table.locator('th[aria-sort=descending]').waitFor()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Cost' }).uncheck()
  await table.getByRole('columnheader', { name: 'Cost' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await addFilter(page, 'Provider')
  await page.getByRole('textbox', { name: 'Provider' }).fill('unknown-provider')
  await page.getByText('No matching records').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await table.getByRole('row').nth(1).waitFor()
  expect(new URL(page.url()).searchParams.has('provider')).toBe(false)
  expect(consoleErrors).toEqual([])
})
