import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { policyDocument } from '../../server/test/support/marker-policies.ts'
import { expectNoFindings } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { decisionsSent, sendNow } from './support/decisions.ts'

const dashboard = await startDashboard()
await dashboard.admin.create('/workspaces', { name: 'Elsewhere' })
const rule = (id: string, fields: object) => ({ id, at: ['input'], when: `content.text.contains("${id}")`, ...fields })
await dashboard.admin.create('/policy-sets', {
  source: policyDocument([
    rule('payments', { verdict: 'require_approval' }),
    rule('contracts', { verdict: 'require_approval', approvals: 2 }),
    rule('complaints', { verdict: 'escalate' }),
  ] as never),
})

const send = async (content: string, user: string) => (await dashboard.chat(content, { governance: { user: { id: user } } })).body
const hold = async (content: string, user: string): Promise<string> => (await send(content, user)).error.review_item_id
const stateOf = async (id: string): Promise<string> => (await dashboard.admin.get(`/reviews/${id}`)).state
const path = (id: string, verb: string) => `/admin/v1/reviews/${id}/${verb}`

const button = (page: Page, name: string) => page.getByRole('button', { name, disabled: false })
const messages = (page: Page) => page.locator('.mantine-Notification-root')
const row = (page: Page, id: string) => page.getByRole('list', { name: 'Queue' }).locator(`a[href*="${id}"]`)

/** Runs in the page: the time to undo passes when the test calls `undoPassed`. */
const HOLD_TIME = `(() => {
  const timers = new Map()
  const { setTimeout: start, clearTimeout: stop } = globalThis
  // No id of the browser, and not -1, which Mantine clears.
  let last = -1_000
  globalThis.setTimeout = (run, ms, ...more) => {
    if (ms !== 5000) return start(run, ms, ...more)
    last -= 1
    timers.set(last, run)
    return last
  }
  globalThis.clearTimeout = (id) => (timers.delete(id) ? undefined : stop(id))
  globalThis.undoPassed = () => { for (const run of timers.values()) run(); timers.clear() }
})()`

/** A window in which the time to undo passes when the test says so. */
async function openAt(at: string, role?: 'reviewer') {
  const window = await dashboard.windows.openNew()
  await window.page.addInitScript(HOLD_TIME)
  return dashboard.signedIn({ at, window, ...(role && { role }) })
}
const undoPassed = (page: Page) => page.evaluate('undoPassed()')

test('undo: a decision waits for five seconds, is undone with its comment, and is sent once afterwards', async () => {
  const id = await hold('payments of today', 'ann')
  const { page } = await openAt(`/reviews/${id}?kind=hold`)
  const sent = decisionsSent(page)
  const figures = page.getByRole('group', { name: 'Service levels' })
  const { pending } = await dashboard.admin.get('/reviews/statistics')
  await figures.getByText(`Pending review${pending.count}`).waitFor()
  await page.getByLabel('Comment').fill('wrong account')
  await button(page, 'Deny').click()
  await page.getByText('Denied: payments, ann. It is sent in five seconds.').waitFor()
  await page.getByRole('heading', { name: 'Outcome' }).waitFor()
  await row(page, id).waitFor({ state: 'detached' })
  await figures.getByText(`Pending review${pending.count - 1}`).waitFor()
  await expectNoFindings(page)
  await button(page, 'Undo').click()
  await row(page, id).waitFor()
  await figures.getByText(`Pending review${pending.count}`).waitFor()
  await undoPassed(page)
  expect([await page.getByLabel('Comment').inputValue(), await messages(page).count()]).toEqual(['wrong account', 0])
  expect([await stateOf(id), sent]).toEqual(['pending', []])
  await button(page, 'Deny').click()
  await button(page, 'Undo').waitFor()
  expect(sent).toEqual([])
  await undoPassed(page)
  await page.getByText('Denied. Content erased.').waitFor()
  await page.getByText('The content was erased').waitFor()
  const { state, comment } = await dashboard.admin.get(`/reviews/${id}`)
  expect([state, comment, sent]).toEqual(['denied', 'wrong account', [path(id, 'deny')]])
})

test('undo: several decisions wait, each with its undo, while the reviewer goes on, sorts and filters', async () => {
  const ids = [await hold('payments one', 'ben'), await hold('payments two', 'cleo'), await hold('payments three', 'dora')]
  const [first = '', second = '', third = ''] = ids
  const { page, consoleErrors } = await openAt(`/reviews/${first}?kind=hold&rule=payments&sort=oldest`)
  const sent = decisionsSent(page)
  await page.getByRole('switch', { name: 'Open the next item after a decision' }).click()
  for (const [id, key] of [
    [first, 'a'],
    [second, 'd'],
    [third, 'a'],
  ] as const) {
    await page.waitForURL(`**/reviews/${id}?*`)
    await page.getByRole('region', { name: 'Held request' }).getByText('payments').first().waitFor()
    await button(page, key === 'a' ? 'Approve' : 'Deny').waitFor()
    await page.keyboard.press(key)
    await page.keyboard.press('Enter')
  }
  await expect.poll(() => messages(page).count()).toBe(3)
  await page.getByText('Mine', { exact: true }).click()
  await page.getByText('No matching items').waitFor()
  expect(sent).toEqual([])
  await messages(page).filter({ hasText: 'cleo' }).getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(`**/reviews/${second}?*`)
  // The key undoes the last decision.
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  await page.keyboard.press('u')
  await page.waitForURL(`**/reviews/${third}?*`)
  await expect.poll(() => messages(page).count()).toBe(1)
  await undoPassed(page)
  await expect.poll(() => Promise.all(ids.map(stateOf))).toEqual(['approved', 'pending', 'pending'])
  expect([sent, consoleErrors]).toEqual([[path(first, 'approve')], []])
})

/** Actions that end the page, or the time to undo. */
const LEAVE: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  'closing the window': (page) => page.close({ runBeforeUnload: true }),
  'another address': (page) => page.goto('/healthz'),
  'a reload': (page) => page.reload(),
  'another page': (page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies' }).click(),
  'another Workspace': async (page) => {
    await page.getByRole('button', { name: /^Workspace/ }).click()
    await page.getByRole('menuitemradio', { name: 'Elsewhere' }).click()
  },
  'signing out': async (page) => {
    await page.getByRole('button', { name: /account menu/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
  },
}

test.each(Object.entries(LEAVE))('leaving: %s sends the decision at once, and once', async (name, act) => {
  const id = await hold(`payments of ${name}`, 'eva')
  const { page } = await openAt(`/reviews/${id}`, 'reviewer')
  const sent = decisionsSent(page)
  await button(page, 'Approve').click()
  await button(page, 'Undo').waitFor()
  expect(await stateOf(id)).toBe('pending')
  await act(page)
  await expect.poll(() => stateOf(id)).toBe('approved')
  // The browser does not report requests of a page that ends.
  expect(sent.length).toBeLessThanOrEqual(1)
  const records = await dashboard.admin.records(50)
  expect(records.filter(({ change }) => change?.action === 'review.approve' && change.object_id === id)).toHaveLength(1)
})

test('undo: escalations that are acknowledged together have one undo, and keep their comment', async () => {
  for (const user of ['finn', 'gil']) await send('complaints', user)
  const { page } = await openAt('/reviews?kind=escalation')
  const sent = decisionsSent(page)
  const acknowledge = async () => {
    await page.getByText('Select all escalations').click()
    await button(page, 'Acknowledge selected').click()
    await page.getByText('Acknowledged: 2 escalations. It is sent in five seconds.').waitFor()
    await page.getByText('No matching items').waitFor()
  }
  await acknowledge()
  await page.keyboard.press('u')
  await page.getByRole('list', { name: 'Queue' }).waitFor()
  await undoPassed(page)
  expect(sent).toEqual([])
  await acknowledge()
  await sendNow(page)
  await page.getByText('2 escalations acknowledged.').waitFor()
  expect(sent).toEqual(['/admin/v1/reviews/acknowledge'])
})

test('undo: an approval of several leaves the item in the queue, and can be undone', async () => {
  const id = await hold('contracts', 'hal')
  const { page } = await openAt(`/reviews/${id}?kind=hold`)
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  await button(page, 'Approve').click()
  await page.getByText('You approved this hold.').waitFor()
  await row(page, id).getByText('1 of 2 approvals').waitFor()
  await button(page, 'Undo').click()
  await row(page, id).getByText('0 of 2 approvals').waitFor()
  await button(page, 'Approve').waitFor()
})

test('undo: the decision on an item that expires within ten seconds is sent at once', async () => {
  const id = await hold('payments that expire', 'ida')
  const { page } = await openAt(`/reviews/${id}`)
  const { expires_at } = await dashboard.admin.get(`/reviews/${id}`)
  await page.clock.setFixedTime(Date.parse(expires_at) - 9_000)
  await button(page, 'Approve').click()
  await page.getByText('Approved. Request released.').waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
})

test('undo: a decision that the server does not get returns to the queue with its comment', async () => {
  const id = await hold('payments offline', 'jon')
  const { page } = await dashboard.signedIn({ at: `/reviews/${id}?kind=hold` })
  await page.route('**/approve', (route) => route.abort())
  await page.getByLabel('Comment').fill('known supplier')
  await button(page, 'Approve').click()
  await sendNow(page)
  await page.getByText('Not approved: payments, jon').waitFor()
  await row(page, id).waitFor()
  expect(await page.getByLabel('Comment').inputValue()).toBe('known supplier')
})

test.each([
  { width: 380, height: 800 },
  { width: 380, height: 560 },
  { width: 1280, height: 500 },
])('layout: messages do not cover the decision of the next item in $width × $height', async (size) => {
  const [first, second, third] = [
    await hold('payments a', 'kim'),
    await hold('payments b', 'kim'),
    await hold('payments c', 'kim'),
  ]
  const { page } = await openAt(`/reviews/${first}?user=kim`)
  await page.setViewportSize(size)
  await page.getByRole('switch', { name: 'Open the next item after a decision' }).click()
  for (const [id, next] of [
    [first, second],
    [second, third],
  ]) {
    await page.waitForURL(`**/reviews/${id}?*`)
    await button(page, 'Approve').click()
    await page.waitForURL(`**/reviews/${next}?*`)
  }
  await button(page, 'Approve').scrollIntoViewIfNeeded()
  await button(page, 'Approve').focus()
  // The last message is shown, with its undo.
  await expect.poll(() => messages(page).filter({ visible: true }).count()).toBe(1)
  const bottom = await bottomOf(messages(page).last())
  const decision = await page.getByRole('region', { name: 'Decision' }).getByRole('textbox').boundingBox()
  expect(decision?.y).toBeGreaterThanOrEqual(bottom)
  await button(page, 'Undo').last().click()
  await page.waitForURL(`**/reviews/${second}?*`)
  await expectNoFindings(page)
  await page.goto('/healthz')
  for (const id of [second, third]) await dashboard.admin.post(`/reviews/${id}/deny`)
})

async function bottomOf(locator: Locator): Promise<number> {
  const box = await locator.boundingBox()
  if (!box) throw new Error('the element is not visible')
  return box.y + box.height
}
