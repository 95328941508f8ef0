import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromId } from '../../server/src/platform/lib/id.ts'
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

test('documents: one that an older version read shows that its warnings are unknown, until its file is uploaded again', async () => {
  const { admin, server } = dashboard
  const { id } = await admin.create('/collections', { name: 'older', acl: 'everyone', classification: 'internal' })
  const upload = (key: string) => admin.post(`/collections/${id}/documents`, { documents: [{ key, content: PAGE }] })
  await upload('harbour.html')
  await upload('https://pages.invalid/harbour.html')
  const older = { warnings: null }
  await server.context.database.db.updateTable('knowledge_document').set(older).where('title', '=', 'Harbour').execute()
  await upload('newer.html')

  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
  const table = page.getByRole('table', { name: 'Documents' })
  await choose(page, 'Status', 'Warnings unknown')
  await expect.poll(() => table.getByRole('link').count()).toBe(2)
  await table.getByText('Warnings unknown').first().waitFor()
  await expectAccessible(page)
  const rows = table.getByRole('row').filter({ hasText: 'harbour.html' })
  await rows.filter({ hasText: 'https://' }).getByRole('link').click()
  await page.getByRole('button', { name: 'Fetch again' }).click()
  await page.getByText('The newest upload failed').waitFor()
  await page.getByText('Fetch it again to read it with this version.').waitFor()
  await expectAccessible(page)
  await page.goBack()
  await rows.filter({ hasNotText: 'https://' }).getByRole('link').click()
  await page.getByText('Upload the file again to read it with this version.').waitFor()
  await upload('harbour.html')
  await page.getByText('Text that is hidden from readers was left out. 2 times').waitFor({ timeout: 20_000 })
  expect(consoleErrors).toEqual([])
})

test('documents: list and page follow an upload while it is queued and indexed', async () => {
  const { admin } = dashboard
  const { id } = await admin.create('/collections', { name: 'followed', acl: 'everyone', classification: 'internal' })
  const { data } = await admin.post(`/collections/${id}/documents`, { documents: [{ key: 'gulls.md', content: '# Gulls' }] })
  const [{ document_id: documentId }] = data
  // As another node that works on it: the states last until the test ends them.
  const setState = (state: 'queued' | 'parsed' | 'indexed') =>
    dashboard.server.context.db
      .updateTable('knowledge_document')
      .set({ state })
      .where('id', '=', fromId('doc', documentId) ?? '')
      .execute()
  await setState('queued')
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
  const row = page.getByRole('table', { name: 'Documents' }).getByRole('row', { name: /Gulls/ })
  await row.getByText('Queued').waitFor()
  await page.getByText('1 document is queued.').waitFor()
  await expectAccessible(page)
  await setState('parsed')
  await page.getByText('1 document is being indexed.').waitFor()
  await row.getByText('Indexing').waitFor()
  await setState('indexed')
  await page.getByText('1 document is being indexed.').waitFor({ state: 'detached' })
  await row.getByText('Indexing').waitFor({ state: 'detached' })

  await setState('queued')
  await visit(`/knowledge/documents/${documentId}`)
  await page.getByText('The newest upload is queued').waitFor()
  await page.getByText(/^Until it is indexed, searches find the version before it/).waitFor()
  await expectAccessible(page)
  await setState('parsed')
  await page.getByText('The newest upload is being indexed').waitFor()
  await setState('indexed')
  await page.getByText('The newest upload is being indexed').waitFor({ state: 'detached' })
  expect(consoleErrors).toEqual([])
})

test('documents: the list of failed uploads has their reasons and a retry', async () => {
  const { admin } = dashboard
  const { id } = await admin.create('/collections', { name: 'failed', acl: 'everyone', classification: 'internal' })
  const { data } = await admin.post(`/collections/${id}/documents`, { documents: [{ key: 'blank.md', content: ' ' }] })
  const [{ document_id: documentId, error }] = data
  const failedAt = (await admin.get(`/documents/${documentId}`)).failure.at
  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}?only=failed` })
  const row = page.getByRole('table', { name: 'Documents' }).getByRole('row', { name: /blank/ })
  await row.getByText(error.message).waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Retry blank.md' }).click()
  await expect.poll(async () => (await admin.get(`/documents/${documentId}`)).failure?.at ?? failedAt).not.toBe(failedAt)
  expect(consoleErrors).toEqual([])
})

test('uploads: README.md of two folders are two documents', async () => {
  const { admin } = dashboard
  const parent = await mkdtemp(join(tmpdir(), 'gatehouse-folders-'))
  const { id } = await admin.create('/collections', { name: 'two folders', acl: 'everyone', classification: 'internal' })
  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
  for (const name of ['north', 'south']) {
    await mkdir(join(parent, name))
    await writeFile(join(parent, name, 'README.md'), `Read the ${name}.`)
    await page.getByLabel('Folder', { exact: true }).setInputFiles(join(parent, name))
    const uploads = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
    await uploads
      .filter({ hasText: `${name}/README.md` })
      .getByText('Added')
      .waitFor()
  }
  const { data } = await admin.get(`/documents?collection=${id}`)
  expect(data.map(({ key }: Json) => key)).toEqual(['north/README.md', 'south/README.md'])
  expect(consoleErrors).toEqual([])
})
