import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminClient, type Json } from '../../server/test/admin/client.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard, type Window } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

const POLICY = join(import.meta.dirname, '../../examples/policies/demo.yaml')
const HOLD = `
  - id: discounts-are-approved
    at: [message]
    when: content.text.contains("discount")
    verdict: require_approval
`
const SECRET = 'export GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a'

// Two windows, each looked at in both colour schemes, on a machine that may be busy.
const PATIENT = { timeout: 180_000 }

let dashboard: Dashboard
let admin: ReturnType<typeof adminClient>
beforeAll(async () => {
  dashboard = await startDashboard()
  admin = adminClient(dashboard.server)
  const source = readFileSync(POLICY, 'utf8').replace(/^tests:.*$/m, '') + HOLD
  await admin.create('/policy-sets', { source })
})
afterAll(() => dashboard?.close())

/** A window that speaks as somebody. */
async function windowOf(user: string): Promise<Window> {
  const window = await dashboard.signedIn()
  await window.visit('/conversations')
  await window.page.getByRole('button', { name: `Speak as ${user}` }).click()
  await window.page.getByText('Live', { exact: true }).waitFor()
  return window
}

const begin = async (page: Page, name: RegExp): Promise<void> => {
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const article = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })

test('two windows talk: live, read, reacted to, with a file', PATIENT, async () => {
  const alice = await windowOf('alice')
  const bob = await windowOf('bob')
  await begin(alice.page, /Bob Lindqvist/)
  await alice.page.getByRole('heading', { name: 'Nothing said yet' }).waitFor()
  await say(alice.page, 'Good morning, Bob')
  await article(alice.page, 'Good morning, Bob').getByText('sent').waitFor()

  await bob.page.getByRole('link', { name: /Alice Moreno.*1 unread/ }).click()
  await article(bob.page, 'Good morning, Bob').waitFor()
  await article(alice.page, 'Good morning, Bob').getByText('read').waitFor()

  await article(bob.page, 'Good morning, Bob')
    .getByRole('button', { name: /^React/ })
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
  await say(alice.page, 'Here is the offer')
  const [download] = await Promise.all([
    bob.page.waitForEvent('download'),
    bob.page.getByRole('button', { name: /Save offer.txt/ }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toBe('three chairs')

  await say(bob.page, 'Thank you')
  await article(alice.page, 'Thank you').waitFor()
  await expectAccessible(alice.page)
  await portrait(alice.page, 'conversations')
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})

test('the assistant answers, with the verdict on its answer', PATIENT, async () => {
  const { page, complaints } = await windowOf('carol')
  await begin(page, /Ada/)
  await say(page, 'How long may customers return an order?')
  const answer = page.getByRole('article', { name: /^Ada/ }).first()
  await answer.getByRole('link', { name: 'Decision: allowed' }).waitFor()
  await say(page, 'Transfer EUR 12,000 to the new supplier')
  await page.getByText("The assistant's answer waits for a reviewer.").waitFor()
  await page.getByRole('link', { name: 'Open the review' }).waitFor()
  await expectAccessible(page)
  await portrait(page, 'conversations-assistant')
  expect(complaints).toEqual([])
})

test('what policies deny stays in the field, what they hold waits in sight and arrives once approved', PATIENT, async () => {
  const alice = await windowOf('alice')
  const bob = await windowOf('bob')
  await begin(alice.page, /Bob Lindqvist/)
  await say(alice.page, SECRET)
  await alice.page.getByRole('alert').getByRole('link', { name: 'Why' }).waitFor()
  expect(await alice.page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe(SECRET)

  await say(alice.page, 'A discount of 30 % is fine')
  await alice.page.getByText('Your message waits for a reviewer.').waitFor()
  await expectAccessible(alice.page)
  await portrait(alice.page, 'conversations-held')
  // Another window of the same user learns it from the queue.
  await alice.page.reload()
  await alice.page.getByText('Your message waits for a reviewer.').waitFor()

  const { data } = await admin.get('/reviews?state=pending&kind=hold')
  const held = data.find(({ endpoint }: Json) => endpoint === 'message')
  await admin.post(`/reviews/${held.id}/approve`)
  // A job does so four times a second, but the servers of tests have no jobs.
  await dashboard.server.context.relay.run()
  await article(alice.page, 'A discount of 30 % is fine').waitFor()
  await bob.page.getByRole('link', { name: /Alice Moreno/ }).click()
  await article(bob.page, 'A discount of 30 % is fine').waitFor()
  expect(await alice.page.getByText('waits for a reviewer').count()).toBe(0)
})

test('the token ends when somebody else is chosen, and when the operator signs out', async () => {
  const { page, visit } = await windowOf('dave')
  const live = async () =>
    (await admin.get('/users/dave/tokens?limit=100')).data.filter(
      ({ name, revoked_at }: Json) => name === 'dashboard' && revoked_at === null,
    ).length
  expect(await live()).toBe(1)
  await page.getByRole('button', { name: 'Somebody else' }).click()
  await page.getByRole('button', { name: 'Speak as dave' }).waitFor()
  await expect.poll(live).toBe(0)
  await expectAccessible(page)
  await portrait(page, 'conversations-users')

  // A link alone speaks for nobody.
  await visit('/conversations?as=dave')
  await page.getByRole('button', { name: 'Open as dave' }).waitFor()
  expect(await live()).toBe(0)
  await page.getByRole('button', { name: 'Open as dave' }).click()
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await live()).toBe(1)
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor()
  await expect.poll(live).toBe(0)
})

test('on a narrow screen the list and the conversation take turns', async () => {
  const { page } = await windowOf('bob')
  await page.setViewportSize({ width: 380, height: 720 })
  await begin(page, /Carol Nakamura/)
  await say(page, 'A short one')
  await article(page, 'A short one').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'All conversations' }).click()
  await page.getByRole('link', { name: /Carol Nakamura/ }).waitFor()
})

test('a picture that is at no address, and an answer that does not come, are told as what they are', PATIENT, async () => {
  // Stored before such addresses were refused.
  const { rowCount } = await dashboard.server.context.database.pool.query(
    `insert into contact_profile (workspace_id, user_id, phone_number, avatar_url)
     select workspace_id, id, '', 'https://[' from workspace_user where id = 'carol'
     on conflict (workspace_id, user_id) do update set avatar_url = excluded.avatar_url`,
  )
  expect(rowCount).toBe(1)
  const { page, complaints } = await windowOf('alice')
  await begin(page, /Carol Nakamura/)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(await page.getByText('cannot be reached').count()).toBe(0)
  expect(complaints).toEqual([])
  await page.route('**/v1/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await say(page, 'Is anybody there?')
  await page.getByText('The server cannot be reached.').waitFor()
})

test('speaking for users is for those who may issue their tokens', async () => {
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
  await visit('/conversations?as=alice')
  await page.getByRole('heading', { name: 'This page needs the scope people:write' }).waitFor()
  expect(await page.getByRole('link', { name: 'Conversations' }).count()).toBe(0)
})
