import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207, and tell jane.roe@brightwater.example.com.'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test('a chat is answered, streamed, decided without a model, and held; its twelve stages stand beside it', async () => {
  const { page, visit, complaints } = await dashboard.signedIn()
  await visit('/playground')
  await page.getByRole('combobox', { name: 'Application' }).click()
  await page.getByRole('option').first().click()
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text)
    await page.keyboard.press('Enter')
  }
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await page.getByLabel('Message').click()
  await say('Good morning')
  await stages.last().waitFor()
  expect(await stages.count()).toBe(12)
  expect(await page.getByRole('log').getByText('allowed').count()).toBe(1)
  await expectAccessible(page)

  await page.getByRole('combobox', { name: 'User of the directory' }).click()
  await page.getByRole('option', { name: 'alice' }).click()
  await page.waitForURL('**as=alice*')
  await page.getByLabel('Streamed').click()
  await page.getByLabel('Message').click()
  await say('Which travel costs are paid?')
  await page.getByRole('log').getByText('user verified').waitFor()

  await page.getByLabel('Dry run').click()
  await page.getByLabel('Message').click()
  await say(PAYMENT)
  await page.getByRole('log').getByText('dry run').waitFor()
  await page.getByLabel('Dry run').click()
  await page.getByLabel('Message').click()
  await say(PAYMENT)
  await page.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  await stages.getByText('stopped here').waitFor()
  await expectAccessible(page)
  await portrait(page, 'playground')
  await page.getByRole('button', { name: 'Show its stages' }).first().click()
  await stages.getByText('stopped here').waitFor({ state: 'detached' })
  expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([])
})

test('who may not play is told so', async () => {
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'auditor'))
  await visit('/playground')
  await page.getByRole('heading', { name: 'This page needs the scope playground:use' }).waitFor()
})
