import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

const STORY_MS = 240_000

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test(
  'memories are found by owner and by scope, corrected, and erased',
  async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/memory')
    await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor()
    await page.getByRole('cell', { name: /^Since October/ }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'memory')

    await page.getByRole('combobox', { name: 'Shared with' }).click()
    await page.getByRole('option', { name: 'department' }).click()
    await page.waitForURL('**scope=department*')
    await page.getByRole('cell', { name: /^Alice prefers short answers/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Department').fill('legal')
    await page.getByText('Nothing is remembered like that').waitFor()

    await visit('/memory?user=alice')
    await page.getByRole('button', { name: /^Correct: Alice/ }).click()
    await page.getByLabel('What is right').fill('')
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    await page.getByText('To forget it, erase it').waitFor()
    await page.getByLabel('What is right').fill('Alice prefers long answers.')
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    await page.getByRole('cell', { name: /^Alice prefers long answers/ }).waitFor()
    expect(await page.getByRole('cell', { name: /^Alice prefers short answers/ }).count()).toBe(0)
    await page.getByLabel('With history').check({ force: true })
    await page.getByRole('cell', { name: /^Alice prefers short answers.*replaced/ }).waitFor()
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Erase all of alice' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Erase all of alice' }).click()
    await page.getByText('Nothing is remembered like that').waitFor()
    await visit('/memory?user=bob')
    await page.getByRole('button', { name: /^Erase: Bob/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByText('Nothing is remembered like that').waitFor()
    expect(complaints).toEqual([])
  },
  STORY_MS,
)

test(
  'an auditor reads and changes nothing; who may only look is not even shown what is remembered',
  async () => {
    const auditor = await dashboard.signedIn(await operatorOf(dashboard, 'auditor'))
    await auditor.visit('/memory')
    await auditor.page.getByRole('cell', { name: /^Since October/ }).waitFor()
    expect(await auditor.page.getByRole('button', { name: /^(Correct|Erase)/ }).count()).toBe(0)

    const reader = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
    await reader.visit('/memory')
    await reader.page.getByRole('heading', { name: 'This page needs the scope memory:read' }).waitFor()
    expect(await reader.page.getByRole('link', { name: 'Memory' }).count()).toBe(0)
  },
  STORY_MS,
)
