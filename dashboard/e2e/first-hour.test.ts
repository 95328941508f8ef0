import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { STAGES } from '../../server/src/pipeline/endpoints.ts'
import type { Json } from '../../server/test/admin/client.ts'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { startScriptedProvider } from '../../server/test/support/scripted-provider.ts'
import type { Window } from './support/browser.ts'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'
import { choose, dialogsClosed, takeSecret } from './support/dialogs.ts'
import { firstLogin, invite, setPassword } from './support/sign-in.ts'

const run = promisify(execFile)

const OWNER = { name: 'Olga Owner', email: 'olga@example.com', password: 'correct horse battery' }
const REVIEWER = { name: 'Rita Reviewer', email: 'rita@example.com', password: 'another horse battery' }
const WORKSPACE = 'travel'
const RULE = 'approve-bank-details'

const upstream = await closeAfterAll(startScriptedProvider())
const dashboard = await startDashboard({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' })

test('first hour: from the first sign-in through all steps of the checklist to the verified record of an approved completion', async () => {
  const { page, consoleErrors } = await dashboard.windows.openNew({ permissions: ['clipboard-read', 'clipboard-write'] })
  await firstLogin(dashboard, page, OWNER)
  await createWorkspace(page)
  await expectSteps(page, 0)
  await addProvider(page)
  await expectSteps(page, 1)
  const apiKey = await createKeyAndSendRequest(page)
  await expectSteps(page, 3)
  await addDocumentsAndMemory(page)
  await expectSteps(page, 4)
  await publishTemplate(page)
  await expectSteps(page, 5)
  const reviewer = await inviteReviewer(page)
  await go(page, 'Home')
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  await checklist(page).waitFor({ state: 'detached' })
  const auditId = await approveForWaitingClient(reviewer, apiKey)
  await verifyRecord(page, auditId)
  expect([...consoleErrors, ...reviewer.consoleErrors]).toEqual([])
})

const checklist = (page: Page) => page.getByRole('region', { name: 'Get started' })

/** The checklist of Home shows so many steps as done. */
async function expectSteps(page: Page, done: number): Promise<void> {
  await go(page, 'Home')
  await checklist(page).getByText(`${done} of 6 steps done`).waitFor()
}

async function createWorkspace(page: Page): Promise<void> {
  await go(page, 'Workspace')
  await page.getByRole('button', { name: 'Create Workspace' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(WORKSPACE)
  await button(page, 'Create').click()
  await page.getByRole('button', { name: `Workspace: ${WORKSPACE}` }).waitFor()
  await dialogsClosed(page)
}

/** Adds the provider, tests the connection and adds its model. */
async function addProvider(page: Page): Promise<void> {
  await checklist(page).getByRole('link', { name: 'Add your provider' }).click()
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('inhouse')
  await page.getByLabel('Base URL').fill(upstream.url)
  await page.getByLabel('API key').fill('sk-scripted')
  await button(page, 'Add').click()
  await page.getByRole('heading', { name: 'inhouse', exact: true }).waitFor()
  await dialogsClosed(page)
  await button(page, 'Test connection to inhouse').click()
  await page.getByText('Connection successful. 1 model is available.').waitFor()
  await button(page, 'Add selected models').click()
  await page.getByText('1 model added.').waitFor()
  await page.keyboard.press('Escape')
  await dialogsClosed(page)
  await page
    .getByRole('table', { name: 'Models' })
    .getByRole('row', { name: /^scripted/ })
    .waitFor()
}

/** Runs the command that the dialog of the new key shows, opens its record, and returns the key. */
async function createKeyAndSendRequest(page: Page): Promise<string> {
  await checklist(page).getByRole('link', { name: 'Create an Application' }).click()
  await page.getByLabel('Name').fill('travel-desk')
  await button(page, 'Create').click()
  await button(page, 'Create key').first().click()
  await page.getByLabel('Name').fill('production')
  await button(page, 'Create').click()
  const dialog = page.getByRole('dialog', { name: 'Key created' })
  await dialog.getByText('Waiting for the first request…').waitFor()
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  await expect.poll(() => clipboard(page)).toMatch(/^g\w_/)
  const apiKey = await clipboard(page)
  await dialog.getByRole('button', { name: 'Copy code for curl' }).click()
  await expect.poll(() => clipboard(page)).toContain('curl')
  const { stdout } = await run('sh', ['-c', await clipboard(page)], { env: { ...process.env, GATEHOUSE_KEY: apiKey } })
  expect(JSON.parse(stdout).choices[0].message.content).toBe('You said: Hello')
  await dialog.getByText('First request received').waitFor()
  await dialog.getByRole('link', { name: 'Open audit record' }).click()
  await page.waitForURL('**/dashboard/audit/aud_*')
  await page.getByText('scripted').first().waitFor()
  return apiKey
}

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

/** Creates a collection, and enables memory for the Application. */
async function addDocumentsAndMemory(page: Page): Promise<void> {
  await checklist(page).getByRole('link', { name: 'Add documents and memory' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('handbook')
  await button(page, 'Create').click()
  await page.getByRole('heading', { name: 'handbook', exact: true }).waitFor()
  await dialogsClosed(page)
  await go(page, 'Applications')
  await page.getByRole('link', { name: 'travel-desk' }).click()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('switch', { name: 'Enable memory' }).press('Space')
  await button(page, 'Save').click()
  await page.getByText('Saved. The settings apply to the next request.').waitFor()
}

async function publishTemplate(page: Page): Promise<void> {
  await checklist(page).getByRole('link', { name: 'Publish a policy' }).click()
  await page.getByRole('button', { name: 'Create draft' }).first().click()
  await page.getByText('Ready to publish').waitFor()
  await page.getByRole('tab', { name: 'Rules' }).click()
  await button(page, 'Add from template').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Search' }).fill('bank details')
  await button(page, 'Add Approve bank details').click()
  await page.getByRole('dialog').getByText('Added', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true, disabled: false }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('Bank details need an approval')
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', disabled: false }).click()
  await page.getByRole('heading', { name: 'policies v1' }).waitFor()
  await page.getByRole('cell', { name: RULE }).waitFor()
}

/** Invites an operator for this Workspace alone, who accepts in a new window. Returns that window. */
async function inviteReviewer(page: Page): Promise<Window> {
  await checklist(page).getByRole('link', { name: 'Invite a reviewer' }).click()
  await invite(page, REVIEWER)
  await choose(page, 'Role in all Workspaces', 'None')
  await choose(page, 'Add Workspace', WORKSPACE)
  await choose(page, `Role in ${WORKSPACE}`, 'Reviewer')
  await button(page, 'Create invitation link').click()
  const link = await takeSecret(page)

  const window = await dashboard.windows.open()
  await window.page.goto(link)
  await setPassword(window.page, REVIEWER.password)
  await window.page.getByRole('button', { name: `${REVIEWER.name}, account menu` }).waitFor()
  return window
}

/** Returns the id of the client's audit record. */
async function approveForWaitingClient({ page }: Window, apiKey: string): Promise<string> {
  await go(page, 'Reviews')
  await page.getByText('Nothing pending review').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const client = new OpenAI({ baseURL: `${dashboard.server.base}/v1`, apiKey, maxRetries: 0 })
  const response = client.chat.completions.create({
    model: 'scripted',
    messages: [{ role: 'user', content: 'The IBAN of the museum is DE89 3704 0044 0532 0130 00.' }],
    governance: { user: { id: 'gus' }, wait_for_approval_seconds: 120 },
  } as never) as unknown as Promise<Json>
  await page.getByRole('link', { name: /Held completion/ }).click()
  await page.getByRole('region', { name: 'Held completion' }).getByText('You said: The IBAN of the museum').waitFor()
  await page.getByRole('link', { name: RULE, exact: true }).waitFor()
  await page.getByLabel('Comment').fill('as in the contract')
  await page.getByRole('button', { name: 'Approve', disabled: false }).click()
  await sendNow(page)
  await page.getByText('Approved. Request released.').waitFor()
  const { choices, governance } = await response
  expect(choices[0].message.content).toContain('DE89 3704 0044 0532 0130 00')
  return governance.audit_id
}

/** The owner finds the record of the approved completion and verifies it. */
async function verifyRecord(page: Page, auditId: string): Promise<void> {
  await go(page, 'Audit log')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The audit log is intact').waitFor()
  await page.keyboard.press('Escape')
  // The export signs a checkpoint over all records.
  await button(page, 'Export').click()
  await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download JSON lines' }).click()])
  // The dialog stays open for the command that verifies the file.
  await page.keyboard.press('Escape')
  await dialogsClosed(page)
  const approved = page.getByRole('table', { name: 'Records' }).getByRole('row', { name: new RegExp(`Allowed.*${RULE}`) })
  await approved.first().getByRole('link').first().click()
  await page.waitForURL(`**/dashboard/audit/${auditId}*`)
  for (const [index, stage] of STAGES.entries()) await page.getByText(`${index + 1}. ${stage}`, { exact: true }).waitFor()
  await page.getByText(RULE).first().waitFor()
  await button(page, 'Verify record').click()
  await page.getByText('Record verified', { exact: true }).waitFor()
  expect(await page.getByText('✗').count()).toBe(0)
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const go = (page: Page, label: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).click()
