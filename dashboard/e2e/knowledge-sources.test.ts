import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'

const dashboard = await startDashboard()

test('sources: the page of a collection shows the last run with its failure, and starts another', async () => {
  const { admin } = dashboard
  const { id } = await admin.create('/collections', { name: 'copied', acl: 'everyone', classification: 'internal' })
  const settings = { collection_id: id, kind: 's3', url: 'https://bucket.invalid/wiki', folder: 'travel' }
  const source = await admin.create('/knowledge/sources', { ...settings, name: 'wiki' })
  await admin.create('/knowledge/sources', { ...settings, name: 'archive', enabled: false })
  const lastRun = async (): Promise<string | null> => (await admin.get(`/knowledge/sources/${source.id}`)).last_sync?.at ?? null
  await expect.poll(lastRun, { timeout: 20_000 }).not.toBeNull()

  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
  const table = page.getByRole('table', { name: 'Sources' })
  const row = table.getByRole('row', { name: /wiki › travel/ }).filter({ hasText: 'Failed' })
  await row.getByText('The server could not be reached, or closed the connection.').waitFor()
  await table
    .getByRole('row', { name: /archive/ })
    .getByText('Disabled')
    .waitFor()
  await expectAccessible(page)

  const first = await lastRun()
  await row.getByRole('button', { name: 'Synchronise now' }).click()
  await expect.poll(lastRun, { timeout: 20_000 }).not.toBe(first)
  expect(consoleErrors).toEqual([])
})
