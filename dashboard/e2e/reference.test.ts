import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test('the reference of the API is drawn under its content security policy, without a complaint', async () => {
  const { page, complaints } = await dashboard.window()
  const answer = await page.goto('/docs')
  expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'")
  await page.getByRole('heading', { name: 'Gatehouse' }).first().waitFor()
  await page.getByText('/v1/chat/completions').first().waitFor()
  expect(complaints).toEqual([])
})
