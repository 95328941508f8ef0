import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { BUCKET_KEYS, startBucket } from '../../server/test/support/bucket.ts'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { runRecurringJob } from '../../server/test/support/recurring-jobs.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose, confirmed, dialogsClosed } from './support/dialogs.ts'

const dashboard = await startDashboard({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' })
const bucket = await closeAfterAll(startBucket())
const { admin } = dashboard

const openCollection = async (name: string) => {
  const { id } = await admin.create('/collections', { name, acl: 'everyone', classification: 'internal' })
  return { id, ...(await dashboard.signedIn({ at: `/knowledge/${id}` })) }
}

describe('sources of knowledge', () => {
  test('an operator creates, runs, edits and deletes a source', async () => {
    bucket.state.objects.set('wiki/lamp.md', '# The lamp\n\nTrim the wick.')
    const { id, page, consoleErrors } = await openCollection('copied')
    await page.getByText('No sources yet').waitFor()
    await page.getByRole('button', { name: 'Create source' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Needs the clone URL').waitFor()
    await expectAccessible(page)
    await choose(page, 'Kind', 'S3 bucket')
    await dialog.getByText('s3:ListBucket').waitFor()
    await dialog.getByLabel('Name', { exact: false }).first().fill('wiki')
    await dialog.getByLabel('Bucket URL').fill('http://s3.example.com/bucket')
    await dialog.getByLabel('Folder').fill('wiki')
    await dialog.getByLabel('Region').fill(BUCKET_KEYS.region)
    await dialog.getByLabel('Secret access key').fill(BUCKET_KEYS.secretAccessKey)
    await submit(page, 'Create')
    await dialog.getByText('Enter the access key ID').waitFor()
    await dialog.getByLabel('Access key ID').fill(BUCKET_KEYS.accessKeyId)
    await submit(page, 'Create')
    await dialog.getByText('Must begin with https://').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Bucket URL').fill(bucket.url)
    await dialog.getByRole('radio', { name: 'Only these' }).check()
    await dialog.getByLabel('Groups', { exact: true }).fill('keepers')
    await page.keyboard.press('Enter')
    await submit(page, 'Create')
    await dialogsClosed(page)

    const row = page.getByRole('table', { name: 'Sources' }).getByRole('row', { name: /wiki/ })
    await row.getByText('1 added').waitFor({ timeout: 30_000 })
    await page.getByRole('link', { name: 'The lamp' }).waitFor()
    await expectAccessible(page)
    const [source] = (await admin.get(`/knowledge/sources?collection=${id}`)).data
    expect(source).toMatchObject({ folder: 'wiki/', acl: { groups: ['keepers'] }, has_secret: true, failure: null })

    bucket.state.objects.set('wiki/oil.md', '# Oil\n\nFill the oil.')
    await row.getByRole('button', { name: 'Edit wiki' }).click()
    await dialog.getByText('One is stored.').waitFor()
    await dialog.getByRole('radio', { name: 'Readers of the collection' }).check()
    await submit(page, 'Save')
    await dialogsClosed(page)
    expect(await admin.get(`/knowledge/sources/${source.id}`)).toMatchObject({ acl: null, has_secret: true })
    await row.getByRole('button', { name: 'Synchronise now' }).click()
    await row.getByText('1 added').waitFor({ timeout: 30_000 })
    await row.getByText('1 unchanged').waitFor({ timeout: 30_000 })

    bucket.state.objects.clear()
    await row.getByRole('button', { name: 'Synchronise now' }).click()
    await row.getByText('2 of 2 files are missing').waitFor({ timeout: 30_000 })
    await confirmed(page, 'Delete missing files', 'Delete missing files')
    await dialogsClosed(page)
    await row.getByText('2 deleted').waitFor({ timeout: 30_000 })

    await row.getByText('Changing readers').waitFor()
    await runRecurringJob(dashboard.server.context, 'change the access lists of sources')
    await row.getByText('Changing readers').waitFor({ state: 'detached', timeout: 20_000 })
    await confirmed(page, 'Delete wiki', 'Delete')
    await page.getByText('No sources yet').waitFor()
    // Only the refused address.
    expect(consoleErrors).toEqual([expect.stringContaining('status of 400')])
  })

  test('a stored secret is removed only on request, and a taken name is refused at its field', async () => {
    const { id, page } = await openCollection('secrets')
    const settings = { collection_id: id, kind: 'git', url: 'https://git.invalid/wiki.git', enabled: false }
    const source = await admin.create('/knowledge/sources', { ...settings, name: 'archive', secret: 'token' })
    const row = page.getByRole('table', { name: 'Sources' }).getByRole('row', { name: /archive/ })
    await row.getByText('Disabled').waitFor()
    expect(await row.getByRole('button', { name: 'Synchronise now' }).isDisabled()).toBe(true)
    const dialog = page.getByRole('dialog')
    await row.getByRole('button', { name: 'Edit archive' }).click()
    await dialog.getByLabel('Clone URL').fill('https://elsewhere.invalid/wiki.git')
    await submit(page, 'Save')
    await dialog.getByText('Must be given again').waitFor()
    await dialog.getByLabel('Remove the stored secret').check()
    await submit(page, 'Save')
    await dialogsClosed(page)
    expect(await admin.get(`/knowledge/sources/${source.id}`)).toMatchObject({
      url: 'https://elsewhere.invalid/wiki.git',
      has_secret: false,
    })
    await page.getByRole('button', { name: 'Create source' }).click()
    await dialog.getByLabel('Name', { exact: false }).first().fill('archive')
    await dialog.getByLabel('Clone URL').fill('https://git.invalid/wiki.git')
    await submit(page, 'Create')
    await dialog.getByText('Source name is already taken').waitFor()
  })

  test('the page of a collection shows the last run with its failure, and starts another', async () => {
    const { id } = await admin.create('/collections', { name: 'failing', acl: 'everyone', classification: 'internal' })
    const settings = { collection_id: id, kind: 's3', url: 'https://bucket.invalid/wiki', folder: 'travel' }
    const source = await admin.create('/knowledge/sources', { ...settings, name: 'wiki' })
    const lastRun = async (): Promise<string | null> => (await admin.get(`/knowledge/sources/${source.id}`)).last_sync?.at ?? null
    await expect.poll(lastRun, { timeout: 20_000 }).not.toBeNull()

    const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/${id}` })
    const table = page.getByRole('table', { name: 'Sources' })
    const row = table.getByRole('row', { name: /wiki › travel/ }).filter({ hasText: 'Failed' })
    await row.getByText('The server could not be reached, or closed the connection.').waitFor()
    await expectAccessible(page)

    const first = await lastRun()
    await row.getByRole('button', { name: 'Synchronise now' }).click()
    await expect.poll(lastRun, { timeout: 20_000 }).not.toBe(first)
    expect(consoleErrors).toEqual([])
  })
})

const submit = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
