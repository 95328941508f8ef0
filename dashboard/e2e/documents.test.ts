import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import { expect, test } from 'vitest'
import { AXE } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const PAGES = ['', 'start/quick-start', 'concepts/pipeline', 'guides/first-hour', 'troubleshooting', 'comparison']

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

test('API reference: renders without errors under its content security policy', async () => {
  const { page, consoleErrors } = await dashboard.windows.open()
  const response = await page.goto('/docs/api/')
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'")
  await page.getByRole('heading', { name: 'Gatehouse' }).first().waitFor({ timeout: 60_000 })
  await page.getByText('/v1/chat/completions').first().waitFor()
  expect(consoleErrors).toEqual([])
})
