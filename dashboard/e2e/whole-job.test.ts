import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STAGES } from '../../server/src/pipeline/stages.ts'
import type { Json } from '../../server/test/admin/client.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { firstLogin } from './support/first-login.ts'
import { operatorOf } from './support/operator.ts'

const STORY_MS = 240_000
const OWNER = { name: 'Olga Owner', email: 'olga@example.com', password: 'correct horse battery' }
const RULE = 'guests-are-answered-by-people'
const WRONG = 'when: user.roll == "guest"'
const RIGHT = 'when: user.role == "guest"'
const RULE_WITH_A_SLIP = `
  - id: ${RULE}
    description: What a guest is told, somebody reads first.
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
  'the whole job: from the first login to the proof that a held answer was approved',
  async () => {
    const { page, complaints } = await dashboard.window()
    await comeIn(page)
    const apiKey = await makeApplication(page, 'travel-desk')
    await tryIt(page, 'dave')
    await holdAnswersToGuests(page)
    const auditId = await approveWhileAClientWaits(page, apiKey)
    await followAndProve(page, auditId)
    expect(complaints).toEqual([])
  },
  STORY_MS,
)

/** By the link of the first start; then once more as on any other day. */
async function comeIn(page: Page): Promise<void> {
  await firstLogin(dashboard, page, OWNER)
  await page.getByRole('button', { name: `${OWNER.name}, account menu` }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByLabel('Password').first().fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}

/** Answers its key, which the page shows this once. */
async function makeApplication(page: Page, name: string): Promise<string> {
  await go(page, 'Applications')
  await page.getByRole('button', { name: 'New Application' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Issue a key' }).click()
  await page.getByLabel('Name').fill('production')
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  const key = await page.getByRole('dialog', { name: 'The new key' }).locator('code').textContent()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  return key ?? ''
}

async function tryIt(page: Page, guest: string): Promise<void> {
  await page.getByRole('link', { name: 'Try it' }).click()
  await page.getByRole('combobox', { name: 'User of the directory' }).click()
  await page.getByRole('option', { name: guest }).click()
  await page.getByRole('combobox', { name: 'Model' }).fill('demo-mini')
  await page.getByLabel('Message').fill('Good morning')
  await page.keyboard.press('Enter')
  const log = page.getByRole('log', { name: 'Chat' })
  await log.getByText('I am the built-in demonstration model').waitFor()
  await log.getByText('allowed').waitFor()
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await stages.last().waitFor()
  expect(await stages.count()).toBe(12)
}

/** Adds a rule to the policies in force: with a slip, which is mended at its line; and published, once it is seen to change what it should. */
async function holdAnswersToGuests(page: Page): Promise<void> {
  await go(page, 'Policies')
  await page.getByRole('link', { name: 'Write a draft' }).click()
  await page.getByText('It can be published').waitFor()
  await page.getByRole('textbox', { name: 'Policy document' }).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(RULE_WITH_A_SLIP)
  await page.getByRole('tab', { name: 'Problems (1)' }).waitFor()
  await page.getByRole('button', { name: /^Line \d+$/ }).click()
  expect(await page.locator('.cm-activeLine').textContent()).toContain(WRONG)
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+End')
  await page.keyboard.insertText(RIGHT)
  await page.getByText('It can be published').waitFor()

  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
  const changed = page.getByRole('list', { name: 'Changed decisions' }).getByRole('listitem')
  await changed.getByText(`+ ${RULE}`).waitFor()
  expect(await changed.count()).toBe(1)
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('heading', { name: 'demo v2' }).waitFor()
}

/** Answers the id of the client's record. */
async function approveWhileAClientWaits(page: Page, apiKey: string): Promise<string> {
  await go(page, 'Reviews')
  await page.getByText('Nothing waits').waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  const client = new OpenAI({ baseURL: `${dashboard.server.base}/v1`, apiKey, maxRetries: 0 })
  const answer = client.chat.completions.create({
    model: 'demo-mini',
    messages: [{ role: 'user', content: 'Draft a note that the museum is closed on Monday.' }],
    governance: { user: { id: 'gus', role: 'guest' }, wait_for_approval_seconds: 120 },
  } as never) as unknown as Promise<Json>
  await page.getByRole('link', { name: /Held answer/ }).click()
  await page.getByText('Here is a draft.').waitFor()
  await page.getByRole('link', { name: RULE, exact: true }).waitFor()
  // Who issued the key of a request does not decide on it.
  await page.getByText('another operator has to decide').waitFor()
  const reviewer = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'))
  await reviewer.page.goto(page.url())
  await reviewer.page.getByLabel('Comment').fill('it says what the museum says')
  await reviewer.page.getByRole('button', { name: 'Approve' }).click()
  await reviewer.page.getByText('Approved. Request released.').waitFor()
  const { choices, governance } = await answer
  expect(choices[0].message.content).toContain('the museum is closed on Monday')
  return governance.audit_id
}

async function followAndProve(page: Page, auditId: string): Promise<void> {
  await go(page, 'Audit')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The log is whole').waitFor()
  await page.keyboard.press('Escape')
  // The export signs a checkpoint over all that is there.
  await page.getByRole('button', { name: 'Export' }).click()
  await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
  await page.getByRole('combobox', { name: 'Verdict' }).click()
  await page.getByRole('option', { name: 'held' }).click()
  await page.waitForURL('**verdict=require_approval*')
  const held = page.getByRole('table', { name: 'Records' }).getByRole('row', { name: /held .*travel-desk/ })
  await held.first().getByRole('link').click()
  await page.waitForURL(`**/dashboard/audit/${auditId}`)
  for (const [index, stage] of STAGES.entries()) await page.getByText(`${index + 1}. ${stage}`, { exact: true }).waitFor()
  await page.getByText(`${RULE} (require_approval)`).waitFor()
  await page.getByRole('button', { name: 'Prove it' }).click()
  await page.getByText('Proven', { exact: true }).waitFor()
  expect(await page.getByText('✗').count()).toBe(0)
}

const go = (page: Page, label: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).click()
