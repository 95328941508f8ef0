import { expect, test } from 'vitest'
import { startDashboard } from './support/dashboard.ts'

const dashboard = await startDashboard()

test('API reference: renders without errors under its content security policy', async () => {
  const { page, consoleErrors } = await dashboard.windows.open()
  const response = await page.goto('/docs/api/')
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'")
  await page.getByRole('heading', { name: 'Gatehouse' }).first().waitFor({ timeout: 60_000 })
  await page.getByText('/v1/chat/completions').first().waitFor()
  expect(consoleErrors).toEqual([])
})
