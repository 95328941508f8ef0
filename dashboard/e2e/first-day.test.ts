import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STAGES } from '../../server/src/pipeline/endpoints.ts'
import type { Json } from '../../server/test/admin/client.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { firstLogin } from './support/first-login.ts'
import { operatorOf } from './support/operator.ts'

const LONG_TEST_MS = 240_000
const OWNER = { name: 'Olga Owner', email: 'olga@example.com', password: 'correct horse battery' }
const RULE = 'guests-need-approval'
const WRONG = 'when: user.roll == "guest"'
const RIGHT = 'when: user.role == "guest"'
const RULE_WITH_ERROR = `
  - id: ${RULE}
    description: Completions for guests require approval.
    at: [output]
    ${WRONG}
    verdict: require_approval
    hold_expires_in: 10m
`

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test(
  'first day: from the first sign-in to the verified record of an approved completion',
  async () => {
    const { page, consoleErrors } = await dashboard.window()
    await signIn(page)
    const apiKey = await createApplication(page, 'travel-desk')
    await usePlayground(page, 'dave')
    await publishRuleForGuests(page)
    const auditId = await approveForWaitingClient(page, apiKey)
    await verifyRecord(page, auditId)
    expect(consoleErrors).toEqual([])
  },
  LONG_TEST_MS,
)

/** Uses the link of the first start, then signs out and in with the password. */
async function signIn(page: Page): Promise<void> {
  await firstLogin(dashboard, page, OWNER)
  await page.getByRole('button', { name: `${OWNER.name}, account menu` }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill(OWNER.email)
  await page.getByLabel('Password').first().fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

/** Returns the API key. */
async function createApplication(page: Page, name: string): Promise<string> {
  await go(page, 'Applications')
  await page.getByRole('button', { name: 'Create Application' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('production')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await page.getByRole('dialog', { name: 'Key created' }).locator('code').textContent()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  return key ?? ''
}

async function usePlayground(page: Page, guest: string): Promise<void> {
  await page.getByRole('link', { name: 'Open playground' }).click()
  await page.getByRole('combobox', { name: 'Directory user' }).click()
  await page.getByRole('option', { name: guest }).click()
  await page.waitForURL(`**as=${guest}*`)
  await page.getByRole('combobox', { name: 'Model' }).fill('demo-mini')
  await page.getByLabel('Message').fill('Good morning')
  await page.getByRole('button', { name: 'Send', disabled: false }).waitFor()
  await page.getByLabel('Message').press('Enter')
  const log = page.getByRole('log', { name: 'Chat' })
  await log.getByText('I am the built-in demonstration model').waitFor()
  await log.getByText('Allowed').waitFor()
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await stages.last().waitFor()
  await expect.poll(() => stages.count()).toBe(12)
}

/** Adds a rule with an error, corrects it at its line, replays and publishes the draft. */
async function publishRuleForGuests(page: Page): Promise<void> {
  await go(page, 'Policies')
  await page.getByRole('link', { name: 'Create draft' }).click()
  await page.getByText('Ready to publish').waitFor()
  await page.getByRole('textbox', { name: 'Policy document' }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(RULE_WITH_ERROR)
  await page.getByRole('tab', { name: 'Problems (1)' }).waitFor()
  await page.getByRole('button', { name: /^Line \d+$/ }).click()
  await page.locator('.cm-activeLine', { hasText: WRONG }).waitFor()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.insertText(RIGHT)
  await page.getByText('Ready to publish').waitFor()

  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
  const changed = page.getByRole('list', { name: 'Changed decisions' }).getByRole('listitem')
  await changed.getByText(`+ ${RULE}`).waitFor()
  expect(await changed.count()).toBe(1)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('heading', { name: 'demo v2' }).waitFor()
}

/** Returns the id of the client's audit record. */
async function approveForWaitingClient(page: Page, apiKey: string): Promise<string> {
  await go(page, 'Reviews')
  await page.getByText('No pending reviews').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const client = new OpenAI({ baseURL: `${dashboard.server.base}/v1`, apiKey, maxRetries: 0 })
  const response = client.chat.completions.create({
    model: 'demo-mini',
    messages: [{ role: 'user', content: 'Draft a note that the museum is closed on Monday.' }],
    governance: { user: { id: 'gus', role: 'guest' }, wait_for_approval_seconds: 120 },
  } as never) as unknown as Promise<Json>
  await page.getByRole('link', { name: /Held completion/ }).click()
  await page.getByText('Here is a draft.').waitFor()
  await page.getByRole('link', { name: RULE, exact: true }).waitFor()
  // The operator who created the API key of a request cannot decide on it.
  await page.getByText('Another operator must decide').waitFor()
  const reviewer = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'))
  await reviewer.page.goto(page.url())
  await reviewer.page.getByLabel('Comment').fill('the facts are correct')
  await reviewer.page.getByRole('button', { name: 'Approve' }).click()
  await reviewer.page.getByText('Approved. Request released.').waitFor()
  const { choices, governance } = await response
  expect(choices[0].message.content).toContain('the museum is closed on Monday')
  return governance.audit_id
}

async function verifyRecord(page: Page, auditId: string): Promise<void> {
  await go(page, 'Audit log')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The audit log is intact').waitFor()
  await page.keyboard.press('Escape')
  // The export signs a checkpoint over all records.
  await page.getByRole('button', { name: 'Export' }).click()
  await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
  await page.getByRole('combobox', { name: 'Verdict' }).click()
  await page.getByRole('option', { name: 'Held' }).click()
  await page.waitForURL('**verdict=require_approval*')
  const held = page.getByRole('table', { name: 'Records' }).getByRole('row', { name: /Held .*travel-desk/ })
  await held.first().getByRole('link').click()
  await page.waitForURL(`**/dashboard/audit/${auditId}`)
  for (const [index, stage] of STAGES.entries()) await page.getByText(`${index + 1}. ${stage}`, { exact: true }).waitFor()
  await page.getByText(`${RULE} (require_approval)`).waitFor()
  await page.getByRole('button', { name: 'Verify record' }).click()
  await page.getByText('Record verified', { exact: true }).waitFor()
  expect(await page.getByText('✗').count()).toBe(0)
}

const go = (page: Page, label: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).click()
