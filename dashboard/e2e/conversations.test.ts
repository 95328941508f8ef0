import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Json } from '../../server/test/admin/client.ts'
import { expectAccessible } from './support/accessible.ts'
import type { Window } from './support/browser.ts'
import { startDashboard } from './support/dashboard.ts'
import { dialogsClosed } from './support/dialogs.ts'
import { screenshot } from './support/screenshot.ts'

const POLICY = join(import.meta.dirname, '../../examples/policies/demo.yaml')
const HOLD = `
  - id: discounts-are-approved
    at: [message]
    when: content.text.contains("discount")
    verdict: require_approval
`
const SECRET = 'export GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a'

const dashboard = await startDashboard()
const { admin } = dashboard
const source = readFileSync(POLICY, 'utf8').replace(/^tests:.*$/m, '') + HOLD
await admin.create('/policy-sets', { source })

/** Opens a window that acts as a user. */
async function windowOf(user: string, role?: 'owner'): Promise<Window> {
  const window = await dashboard.signedIn(role && { role })
  await window.visit('/conversations')
  await window.page.getByRole('button', { name: `Act as ${user}` }).click()
  await window.page.getByText('Live', { exact: true }).waitFor()
  return window
}

const startConversation = async (page: Page, name: RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'Start conversation' }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await dialogsClosed(page)
}

const sendMessage = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const article = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })

test('conversations: a user without contacts reads how to create an assistant', async () => {
  const workspace = await admin.workspace('quiet')
  await admin.create('/users', { id: 'zoe', username: 'zoe' }, { workspace })
  const { page } = await dashboard.signedIn({ at: '/conversations?workspace=quiet' })
  await page.getByRole('button', { name: 'Act as zoe' }).click()
  const guide = page.getByRole('link', { name: 'An assistant in 15 minutes' })
  await guide.waitFor()
  expect(await guide.getAttribute('href')).toBe('/docs/build/first-assistant')
  await page.getByRole('button', { name: 'Start conversation' }).click()
  await page.getByRole('dialog').getByText('No other users and no groups yet.').waitFor()
  await expectAccessible(page)
})

test('messages: arrive live in the other window, with read state, reactions and attachments', async () => {
  const alice = await windowOf('alice')
  const bob = await windowOf('bob')
  await startConversation(alice.page, /Bob Lindqvist/)
  await alice.page.getByRole('heading', { name: 'No messages yet' }).waitFor()
  await sendMessage(alice.page, 'Good morning, Bob')
  await article(alice.page, 'Good morning, Bob').getByText('Sent').waitFor()

  await bob.page.getByRole('link', { name: /Alice Moreno.*1 unread/ }).click()
  await article(bob.page, 'Good morning, Bob').waitFor()
  await article(alice.page, 'Good morning, Bob').getByText('Read').waitFor()

  await article(bob.page, 'Good morning, Bob')
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await bob.page.getByRole('menuitem', { name: 'Love' }).click()
  await alice.page.getByRole('button', { name: 'Love 1: bob' }).click()
  await bob.page.getByRole('button', { name: 'Love 2: bob, alice' }).waitFor()

  const [chooser] = await Promise.all([
    alice.page.waitForEvent('filechooser'),
    alice.page.getByRole('button', { name: 'Attach files' }).click(),
  ])
  await chooser.setFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('three chairs') })
  await alice.page.getByText('offer.txt · 12 B').waitFor()
  await sendMessage(alice.page, 'Here is the offer')
  const [download] = await Promise.all([
    bob.page.waitForEvent('download'),
    bob.page.getByRole('button', { name: /Download offer.txt/ }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe('three chairs')

  await sendMessage(bob.page, 'Thank you')
  await article(alice.page, 'Thank you').waitFor()
  await expectAccessible(alice.page)
  await screenshot(alice.page, 'conversations')
  expect([...alice.consoleErrors, ...bob.consoleErrors]).toEqual([])
})

test('assistant: replies with a verdict, and shows a held reply as pending', async () => {
  const { page, consoleErrors } = await windowOf('carol')
  await startConversation(page, /Ada/)
  await sendMessage(page, 'How long may customers return an order?')
  const reply = page.getByRole('article', { name: /^Ada/ }).first()
  await reply.getByRole('link', { name: 'Decision: Allowed' }).waitFor()
  await sendMessage(page, 'Transfer EUR 12,000 to the new supplier')
  await page.getByText("The assistant's message is pending review.").waitFor()
  await page.getByRole('link', { name: 'Open review' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'conversations-assistant')
  expect(consoleErrors).toEqual([])
})

test('assistant: operators see why it did not answer, and where to change that; the user gets a plain text', async () => {
  const application = await admin.create('/applications', { name: 'without a model', default_model: 'demo-mini' })
  await admin.create('/assistants', { username: 'grace', display_name: 'Grace', application_id: application.id })
  await admin.patch(`/applications/${application.id}`, { default_model: null })
  const { page } = await windowOf('carol')
  await startConversation(page, /Grace/)
  await sendMessage(page, 'Are you there?')
  const reply = page.getByRole('article', { name: /^Grace/ }).first()
  await reply.getByText('There is no model that may answer this.').waitFor()
  const failure = reply.getByRole('note')
  await failure.getByText('No answer: no provider may answer it').waitFor()
  await failure.getByText('NO_ELIGIBLE_PROVIDER').waitFor()
  await reply.getByRole('link', { name: 'Decision: Refused 422' }).waitFor()
  await expectAccessible(page)
  expect(await failure.getByRole('link', { name: 'Open audit record' }).getAttribute('href')).toContain('/audit/aud_')
  await failure.getByRole('link', { name: 'Open Application' }).click()
  await page.getByRole('heading', { name: 'without a model', level: 1 }).waitFor()
})

test('policies: a denied message stays in the input, and a held one arrives after approval', async () => {
  const alice = await windowOf('alice')
  const bob = await windowOf('bob')
  await startConversation(alice.page, /Bob Lindqvist/)
  await sendMessage(alice.page, SECRET)
  await alice.page.getByRole('alert').getByRole('link', { name: 'Open audit record' }).waitFor()
  expect(await alice.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(SECRET)

  await sendMessage(alice.page, 'A discount of 30 % is fine')
  await alice.page.getByText('Your message is pending review.').waitFor()
  await expectAccessible(alice.page)
  // After a reload, the held message comes from the review queue.
  await alice.page.reload()
  await alice.page.getByText('Your message is pending review.').waitFor()
  await alice.page.getByText('Live', { exact: true }).waitFor()

  const { data } = await admin.get('/reviews?state=pending&kind=hold')
  const held = data.find(({ endpoint }: Json) => endpoint === 'message')
  await admin.post(`/reviews/${held.id}/approve`)
  // Test servers run no jobs.
  await dashboard.server.context.relay.run()
  await article(alice.page, 'A discount of 30 % is fine').waitFor()
  await bob.page.getByRole('link', { name: /Alice Moreno/ }).click()
  await article(bob.page, 'A discount of 30 % is fine').waitFor()
  await expect.poll(() => alice.page.getByText('is pending review').count()).toBe(0)
})

test('access token: is revoked on switching the user and on signing out', async () => {
  const { page, visit } = await windowOf('dave', 'owner')
  const activeTokens = async () =>
    (await admin.get('/users/dave/tokens?limit=100')).data.filter(
      ({ name, revoked_at }: Json) => name === 'dashboard' && revoked_at === null,
    ).length
  expect(await activeTokens()).toBe(1)
  await page.getByRole('button', { name: 'Switch user' }).click()
  await page.getByRole('button', { name: 'Act as dave' }).waitFor()
  await expect.poll(activeTokens).toBe(0)
  await expectAccessible(page)

  // A link alone creates no token.
  await visit('/conversations?as=dave')
  await page.getByRole('button', { name: 'Continue as dave' }).waitFor()
  expect(await activeTokens()).toBe(0)
  await page.getByRole('button', { name: 'Continue as dave' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await activeTokens()).toBe(1)

  // The choice belongs to its Workspace.
  await admin.create('/workspaces', { name: 'subsidiary' })
  await admin.create('/users', { id: 'dave', username: 'dave' }, { workspace: 'subsidiary' })
  await visit('/conversations?workspace=subsidiary&as=dave')
  await page.getByRole('button', { name: 'Continue as dave' }).waitFor()
  await visit('/conversations?as=dave')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor()
  await expect.poll(activeTokens).toBe(0)
})

test('layout: a narrow screen shows either the list or the conversation', async () => {
  const { page } = await windowOf('bob')
  await page.setViewportSize({ width: 380, height: 720 })
  await startConversation(page, /Carol Nakamura/)
  await sendMessage(page, 'A short one')
  await article(page, 'A short one').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'All conversations' }).click()
  await page.getByRole('link', { name: /Carol Nakamura/ }).waitFor()
})

test('errors: an invalid avatar URL causes none, and a network failure is shown', async () => {
  // The API refuses such URLs now, but old ones may be stored.
  const { rowCount } = await dashboard.server.context.database.pool.query(
    `insert into contact_profile (workspace_id, user_id, phone_number, avatar_url)
     select workspace_id, id, '', 'https://[' from workspace_user where id = 'carol'
     on conflict (workspace_id, user_id) do update set avatar_url = excluded.avatar_url`,
  )
  expect(rowCount).toBe(1)
  const { page, consoleErrors } = await windowOf('alice')
  await startConversation(page, /Carol Nakamura/)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(await page.getByText('Cannot reach the server').count()).toBe(0)
  expect(consoleErrors).toEqual([])
  await page.route('**/v1/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await sendMessage(page, 'Hello?')
  await page.getByText('Cannot reach the server.').waitFor()
})
