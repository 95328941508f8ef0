import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'
import { choose } from './support/dialogs.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice'

/** How the decision of an item is placed. */
const POSITION = `getComputedStyle(document.querySelector('section[aria-label=Decision]')).position`

const dashboard = await startDashboard()

const holdRequest = async (content: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  (await dashboard.chat(content, more)).body.error.review_item_id

test('queue: a row shows the rule in words and the first line, and rows are searched and grouped', async () => {
  const id = await holdRequest('Please transfer 12,500 EUR to Harbour Lights for the harbour tour.', {
    governance: { user: { id: 'harbour' } },
  })
  const { page } = await dashboard.signedIn({ at: `/reviews/${id}?kind=hold` })
  const row = page.locator(`a[href*="${id}"]`)
  await row.getByText('Instructions to move money, with an amount of four digits or more', { exact: true }).waitFor()
  await expect.poll(() => row.locator('mark').allTextContents()).toEqual(['12,500 EUR', 'Harbour Lights'])
  const held = page.getByRole('region', { name: 'Held request' })
  // The text that the rule looks for is marked, which is no finding.
  await held.locator('mark', { hasText: 'transfer 12,500 EUR (matched by the rule)' }).waitFor()
  await page.getByRole('textbox', { name: 'Search the queue' }).fill('harbour lights')
  await page.getByText('1 of 1', { exact: true }).waitFor()
  await choose(page, 'Group', 'By user')
  await page.getByRole('heading', { name: 'harbour (1)' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Search the queue' }).fill('no such text')
  await page.getByText('The search covers the loaded items').waitFor()
  // First lines are read once for each item. The record names the items.
  const records = await dashboard.admin.records(50)
  const reads = records.filter(({ change }) => change?.action === 'review_queue.read' && change.fields.includes(id))
  expect(reads).toHaveLength(1)
})

test('item: earlier decisions on like requests are links to these items', async () => {
  const user = { governance: { user: { id: 'frequent' } } }
  await dashboard.admin.post(`/reviews/${await holdRequest(`${PAYMENT} Earlier.`, user)}/deny`)
  const id = await holdRequest(`${PAYMENT} Again.`, user)
  const { page } = await dashboard.signedIn({ at: `/reviews/${id}?group=rule` })
  const history = page.getByRole('group', { name: 'Last 7 days' })
  await history.getByText('API key: ').waitFor()
  await history.getByRole('link', { name: '1 denied' }).last().click()
  await page.waitForURL((url) => url.searchParams.get('user') === 'frequent' && url.searchParams.get('state') === 'denied')
  await page.getByRole('list', { name: 'Queue' }).getByText('Held request · frequent').waitFor()
  await expectAccessible(page)
})

test("item: the request names its expected cost, and lists the user's other requests with their outcomes", async () => {
  await dashboard.admin.put('/providers/demo/models/demo-mini', { input_price: 1_000, output_price: 10_000 })
  const user = { governance: { user: { id: 'with-others' } }, max_tokens: 10 }
  await dashboard.chat('Which days is the harbour open?', user)
  await dashboard.chat('My mail is jane.roe@brightwater.example.com.', user)
  const { page } = await dashboard.signedIn({ at: `/reviews/${await holdRequest(`${PAYMENT} Cost.`, user)}` })
  const request = page.getByRole('region', { name: 'Request', exact: true })
  await request.getByText(/^At most \$0\.1\d*$/).waitFor()
  const others = request.getByRole('list', { name: 'Other requests of the user' }).getByRole('listitem')
  await expect
    .poll(() => others.allTextContents())
    .toEqual([expect.stringContaining('Allowed, redacted'), expect.stringContaining('Allowed')])
  await others.first().getByRole('link').click()
  await page.waitForURL('**/audit/aud_*')
})

test('item: the deadline is extended, and the requester is asked', async () => {
  const text = `${PAYMENT} Question.`
  const id = await holdRequest(text)
  const { page } = await dashboard.signedIn({ at: `/reviews/${id}` })
  await page.getByRole('button', { name: 'Extend deadline' }).click()
  await page.getByRole('menuitem', { name: 'By 1 d' }).click()
  await page.getByText('Deadline extended.').waitFor()
  await page
    .getByRole('region', { name: 'Reason for the hold' })
    .getByText(/^1 d 3 h left$/)
    .waitFor()
  await page.getByRole('button', { name: 'Ask the requester' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ask the requester' })
  await dialog.getByLabel('Question').fill('Which invoice is this for?')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await page.getByText('You asked the requester:').waitFor()
  const { error } = (await dashboard.chat(text, { governance: { user: { id: 'alice' }, review_item_id: id } })).body
  expect(error.message).toContain('Which invoice is this for?')
})

test('decision: a reason of the Workspace is inserted as comment', async () => {
  const id = await holdRequest(`${PAYMENT} Reasons.`)
  const owner = await dashboard.signedIn({ at: `/reviews/${id}` })
  await owner.page.getByRole('button', { name: 'Reasons' }).click()
  await owner.page.getByRole('menuitem', { name: 'Edit reasons' }).click()
  await owner.page.getByLabel('Reasons of this Workspace').fill('Known supplier.\n\nWrong amount.')
  await expectAccessible(owner.page)
  await owner.page.getByRole('button', { name: 'Save' }).click()
  await owner.page.getByText('Reasons saved.').waitFor()
  const { page } = await dashboard.signedIn({ role: 'reviewer', at: `/reviews/${id}` })
  await page.getByRole('button', { name: 'Reasons' }).click()
  await page.getByRole('menuitem', { name: 'Wrong amount.' }).click()
  await page.getByRole('button', { name: 'Deny', disabled: false }).click()
  await sendNow(page)
  await page.getByText('Denied. Content erased.').waitFor()
  expect((await dashboard.admin.get(`/reviews/${id}`)).comment).toBe('Wrong amount.')
})

test('figures: follow the queue when another reviewer decides', async () => {
  const id = await holdRequest(`${PAYMENT} Figures.`)
  const { page } = await dashboard.signedIn({ at: '/reviews?kind=hold' })
  const figures = page.getByRole('group', { name: 'Service levels' })
  await page.getByText('Live', { exact: true }).waitFor()
  await figures.getByText('No target').waitFor()
  await figures.getByRole('button', { name: 'Set target' }).waitFor()
  const { pending, decided } = await dashboard.admin.get('/reviews/statistics')
  await figures.getByText(`Pending review${pending.count}`).waitFor()
  await dashboard.admin.post(`/reviews/${id}/deny`)
  await figures.getByText(`Pending review${pending.count - 1}`).waitFor()
  await figures.getByText(`Decided${decided + 1}`).waitFor()
})

test('keys: ? shows them, and single letters can be turned off', async () => {
  const id = await holdRequest(`${PAYMENT} Keys.`)
  const { page, visit } = await dashboard.signedIn({ at: `/reviews/${id}` })
  await page.getByRole('button', { name: 'Approve', disabled: false }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.getByText('Approve a hold').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('switch', { name: 'Single-letter keys' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('a')
  await page.keyboard.press('?')
  expect([await page.getByText('to approve').count(), await dialog.count()]).toEqual([0, 0])
  await visit('/account')
  await page.getByRole('switch', { name: 'Single-letter keys' }).click()
  await visit(`/reviews/${id}`)
  await page.getByRole('button', { name: 'Approve', disabled: false }).waitFor()
  await page.keyboard.press('a')
  await page.getByText('to approve').waitFor()
})

test('layout: the buttons of a decision are in one row with its hint, also on a phone', async () => {
  const { page } = await dashboard.signedIn({ at: `/reviews/${await holdRequest(`${PAYMENT} Row.`)}` })
  const decision = page.getByRole('region', { name: 'Decision' })
  const button = (name: string) => decision.getByRole('button', { name })
  const topOf = async (name: string) => (await button(name).boundingBox())?.y
  await button('Approve').and(page.locator(':enabled')).waitFor()
  for (const width of [1280, 380]) {
    await page.setViewportSize({ width, height: 800 })
    await page.keyboard.press('d')
    await decision.getByText('to deny').waitFor()
    await expect.poll(async () => (await topOf('Deny')) === (await topOf('Approve'))).toBe(true)
    // Two rows of 36 pixels, with the label of the comment.
    expect((await decision.boundingBox())?.height).toBeLessThan(140)
    await page.keyboard.press('Escape')
  }
  await expectAccessible(page)
})

test('layout: at 400 % zoom the decision does not cover the text', async () => {
  const id = await holdRequest(`${PAYMENT}\n${'One more line of the contract.\n'.repeat(20)}`)
  const { page } = await dashboard.signedIn({ at: `/reviews/${id}` })
  const positionOf = () => page.evaluate(POSITION)
  await page.getByRole('region', { name: 'Decision' }).waitFor()
  expect(await positionOf()).toBe('sticky')
  await page.setViewportSize({ width: 320, height: 256 })
  expect(await positionOf()).toBe('static')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320)
})
