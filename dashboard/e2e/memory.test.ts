import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose, confirmed } from './support/dialogs.ts'
import { saveView } from './support/views.ts'

const dashboard = await startDashboard()

test('memory: memories are filtered by owner and scope, corrected and erased', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/memory' })
  await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor()
  await page.getByRole('cell', { name: /^Since October/ }).waitFor()
  // Objects are shown by name; their ids are in the tooltip.
  await page.getByRole('row', { name: /^The form for returns.*support Application/ }).waitFor()
  expect(
    await page
      .getByRole('table')
      .getByText(/(app|ws)_/)
      .count(),
  ).toBe(0)
  await expectAccessible(page)

  await choose(page, 'Scope', 'Department')
  await page.waitForURL('**scope=department*')
  await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('cell', { name: /^Since October/ }).waitFor()
  expect(await page.getByRole('cell', { name: /^Alice prefers/ }).count()).toBe(0)
  await saveView(page, 'Of departments')
  await page.getByRole('textbox', { name: 'Department' }).fill('legal')
  await page.getByText('No matching memories').waitFor()

  await page.getByRole('button', { name: 'Of departments · modified' }).click()
  await page.getByRole('menuitem', { name: 'Discard changes' }).click()
  await page.getByRole('cell', { name: /^Since October/ }).waitFor()

  await visit('/memory?user=alice')
  await page.getByRole('button', { name: /^Edit: Alice/ }).click()
  await page.getByLabel('Content').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Enter the content, or erase the memory instead').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Content').fill('Alice prefers long answers.')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('cell', { name: /^Alice prefers long answers/ }).waitFor()
  expect(await page.getByRole('cell', { name: /^Alice prefers short answers/ }).count()).toBe(0)
  await choose(page, 'Versions', 'With history')
  await page.getByRole('cell', { name: /^Alice prefers short answers.*Superseded/ }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Erase all memories of alice' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Erase all memories of alice' }).click()
  await page.getByText('No matching memories').waitFor()
  await visit('/memory?user=bob')
  await confirmed(page, /^Erase: Bob/, /^Erase$/)
  await page.getByText('No matching memories').waitFor()
  expect(consoleErrors).toEqual([])
})

test('memory: auditor cannot change memories', async () => {
  const { page } = await dashboard.signedIn({ role: 'auditor', at: '/memory' })
  await page.getByRole('cell', { name: /^Since October/ }).waitFor()
  expect(await page.getByRole('button', { name: /^(Edit|Erase)/ }).count()).toBe(0)
})
