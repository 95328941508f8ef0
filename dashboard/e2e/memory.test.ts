import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { screenshot } from './support/screenshot.ts'

const LONG_TEST_MS = 240_000

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test(
  'memory: memories are filtered by owner and scope, corrected and erased',
  async () => {
    const { page, visit, consoleErrors } = await dashboard.signedIn()
    await visit('/memory')
    await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor()
    await page.getByRole('cell', { name: /^Since October/ }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'memory')

    await page.getByRole('combobox', { name: 'Scope' }).click()
    await page.getByRole('option', { name: 'department' }).click()
    await page.waitForURL('**scope=department*')
    await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Department').fill('legal')
    await page.getByText('No matching memories').waitFor()

    await visit('/memory?user=alice')
    await page.getByRole('button', { name: /^Correct: Alice/ }).click()
    await page.getByLabel('Content').fill('')
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    await page.getByText('Enter the corrected content, or erase the memory').waitFor()
    await page.getByLabel('Content').fill('Alice prefers long answers.')
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    await page.getByRole('cell', { name: /^Alice prefers long answers/ }).waitFor()
    expect(await page.getByRole('cell', { name: /^Alice prefers short answers/ }).count()).toBe(0)
    await page.getByLabel('Show history').press('Space')
    await page.getByRole('cell', { name: /^Alice prefers short answers.*Superseded/ }).waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Erase all memories of alice' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Erase all memories of alice' }).click()
    await page.getByText('No matching memories').waitFor()
    await visit('/memory?user=bob')
    await page.getByRole('button', { name: /^Erase: Bob/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByText('No matching memories').waitFor()
    expect(consoleErrors).toEqual([])
  },
  LONG_TEST_MS,
)

test(
  'memory: auditor cannot change memories, and the role read_only cannot see them',
  async () => {
    const auditor = await dashboard.signedIn(await operatorOf(dashboard, 'auditor'))
    await auditor.visit('/memory')
    await auditor.page.getByRole('cell', { name: /^Since October/ }).waitFor()
    expect(await auditor.page.getByRole('button', { name: /^(Correct|Erase)/ }).count()).toBe(0)

    const reader = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
    await reader.visit('/memory')
    await reader.page.getByRole('heading', { name: 'This page requires the scope memory:read' }).waitFor()
    expect(await reader.page.getByRole('link', { name: 'Memory' }).count()).toBe(0)
  },
  LONG_TEST_MS,
)
