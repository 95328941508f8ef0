import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'vitest'
import { AXE } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const PAGES = [
  '',
  'start/quick-start',
  'build/chat',
  'concepts/pipeline',
  'guides/first-hour',
  'troubleshooting',
  'api/',
  'api/gateway-messages',
]

execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/build-site.mjs')], { stdio: 'pipe' })
const dashboard = await startDashboard()

test.each(PAGES)('documents: /docs/%s loads only from this server, without errors and grave axe findings', async (path) => {
  const { page, consoleErrors } = await dashboard.windows.open()
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(dashboard.server.base)) foreign.push(request.url())
  })
  await page.goto(`/docs/${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor({ state: 'attached' })
    const { violations } = (await page.evaluate('axe.run(document)')) as AxeResults
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  }
  expect([foreign, consoleErrors]).toEqual([[], []])
})

test('documents: search finds a page', async () => {
  const { page, consoleErrors } = await dashboard.windows.open()
  await page.goto('/docs/')
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('POLICY_REVIEW_PENDING')
  await page.getByRole('option').first().waitFor()
  expect(consoleErrors).toEqual([])
})

test.each([
  ['memory api', 'build/memory'],
  ['create access token user', 'build/(users|first-assistant)'],
  ['team', 'guides|build|start|dashboard|api|configuration'],
  ['stream chat completion', 'build/streaming'],
])('documents: the search for “%s” finds a guide first', async (words, expected) => {
  const { page } = await dashboard.windows.open()
  await page.goto('/docs/')
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill(words)
  const first = page.getByRole('option').first().getByRole('link')
  await expect.poll(() => first.getAttribute('href')).toMatch(new RegExp(`^/docs/(${expected})`))
})

test('documents: the page is copied as Markdown', async () => {
  const { page, consoleErrors } = await dashboard.windows.open()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/docs/build/chat')
  await page.getByRole('button', { name: 'Copy page' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^# Chat\n/)
  expect(consoleErrors).toEqual([])
})

test('API reference: leads from an operation to its examples and back to the documents', async () => {
  const { page, consoleErrors } = await dashboard.windows.open()
  await page.goto('/docs/api/')
  await page.getByRole('link', { name: 'Messages (Anthropic)' }).last().click()
  await page.getByText('"stop_reason"').first().waitFor()
  await page.getByRole('link', { name: 'Back to the documents' }).click()
  await page.getByRole('heading', { name: 'Gatehouse documentation' }).waitFor()
  expect(consoleErrors).toEqual([])
})
