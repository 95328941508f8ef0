import { expect, test } from 'vitest'
import type { Json } from '../../server/test/admin/client.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose } from './support/dialogs.ts'

const dashboard = await startDashboard()

const PAGE = '<html><title>Harbour</title><body><p>Boats moor here.</p><p hidden>Hidden</p><p hidden>Hidden</p></body></html>'

test('documents: failures and warnings are shown, and documents are found by title and key', async () => {
  const { admin } = dashboard
  const { id } = await admin.create('/collections', { name: 'told', acl: 'everyone', classification: 'internal' })
  const upload = async (key: string, content: string): Promise<Json> => {
    const { data } = await admin.post(`/collections/${id}/documents`, { documents: [{ key, content }] })
    return data[0]
  }
  await upload('harbour.html', PAGE)
  await upload('guides/tides.md', '# Tides')
  await upload('guides/tides.md', ' ')
  const { document_id: empty } = await upload('empty.md', ' ')

  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
  const table = page.getByRole('table', { name: 'Documents' })
  await table
    .getByRole('row', { name: /harbour/ })
    .getByText('1 warning')
    .waitFor()
  await table
    .getByRole('row', { name: /empty\.md/ })
    .getByText('Failed')
    .waitFor()
  await expectAccessible(page)

  await page.getByLabel('Title or key').fill('GUIDES tid')
  await expect.poll(() => table.getByRole('link').allTextContents()).toEqual(['Tides'])
  await table.getByRole('link', { name: 'Tides' }).click()
  await page.getByText('The newest upload failed').waitFor()
  await page.getByText('Searches still find the version before it.').waitFor()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'told' }).click()
  await choose(page, 'Status', 'Failed')
  await expect.poll(async () => (await table.getByRole('link').allTextContents()).toSorted()).toEqual(['Tides', 'empty.md'])
  await table.getByRole('link', { name: 'empty.md' }).click()
  await page.getByText('The document has no content, and no search finds it.').waitFor()
  const failedAt = (await admin.get(`/documents/${empty}`)).failure.at
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(async () => (await admin.get(`/documents/${empty}`)).failure?.at ?? failedAt).not.toBe(failedAt)

  await page.getByRole('link', { name: 'told' }).click()
  await table.getByRole('link', { name: 'Harbour' }).click()
  await page.getByText('Text that is hidden from readers was left out. 2 times').waitFor()
  expect(consoleErrors).toEqual([])
})
