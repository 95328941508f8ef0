import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { policyDocument } from '../../server/test/support/marker-policies.ts'
import { expectAccessible, expectNoFindings } from './support/accessible.ts'
import { NARROW, type Window } from './support/browser.ts'
import { type Actions, countActions } from './support/count-actions.ts'
import { startDashboard } from './support/dashboard.ts'
import { sendNow } from './support/decisions.ts'
import { choose } from './support/dialogs.ts'

const hold = (id: string, point: 'input' | 'output', fields: object = {}) => ({
  ...{ id, at: [point], verdict: 'require_approval' },
  when: point === 'input' ? `content.text.contains("${id}")` : `user.id == "${id}"`,
  ...fields,
})
const RULES = [
  hold('payments', 'input'),
  hold('offers', 'input', { transforms: ['redact:pii'] }),
  hold('guests', 'output'),
  hold('contracts', 'input', { approvals: 2 }),
  hold('flash-sales', 'input', { hold_expires_in: '10s' }),
  { id: 'complaints', at: ['input'], when: 'content.text.contains("complaints")', verdict: 'escalate' },
]

/** 40 holds: rule, and the Application by its place. */
const HOLDS: readonly (readonly [rule: string, application: 0 | 1, count: number])[] = [
  ['payments', 0, 14],
  ['offers', 1, 12],
  ['guests', 0, 8],
  ['contracts', 1, 5],
  ['flash-sales', 0, 1],
]
const ESCALATIONS = 6

interface HeldItem {
  readonly id: string
  readonly number: number
  readonly rule: string
  /** Sends the request again with its review item. */
  readonly resubmit: () => ReturnType<typeof send>
}

const dashboard = await startDashboard()
await dashboard.admin.create('/policy-sets', { source: policyDocument(RULES as never) })

const heldIn = (page: Page) => page.getByRole('region', { name: /^Held / })

const verdictOf = ({ number }: Pick<HeldItem, 'number'>) => (number % 4 === 0 ? 'denied' : 'approved')

test("a reviewer's morning: 40 holds and 6 escalations, by keyboard and mouse", { timeout: 600_000 }, async () => {
  const held = await holdAll()
  for (let number = 0; number < ESCALATIONS; number += 1) await send(0, `complaints ${number}`)
  const [reviewer, colleague] = [
    await dashboard.signedIn({ role: 'reviewer', window: await dashboard.windows.openNew() }),
    await dashboard.signedIn({ role: 'reviewer' }),
  ]
  const taken = await countActions(reviewer.page)
  await reviewer.visit('/reviews')
  await acknowledgeAll(reviewer.page)
  expect(taken()).toEqual({ clicks: 3, fields: 1, keys: 0 })

  const assigned = await assignToColleague(reviewer.page, held)
  expect(sumOf(taken())).toBeLessThanOrEqual(7)
  await denyAssigned(colleague, assigned)

  const expired = held.find(({ rule }) => rule === 'flash-sales')
  await expect.poll(() => stateOf(expired?.id)).toBe('expired')
  const pending = held.filter((item) => item !== expired && item !== assigned)
  const decisions = await decideAll(reviewer, taken, pending)
  expect(decisions).toEqual({ keyboard: 2, mouse: 2 })
  await approveContracts(colleague, pending)

  await reviewer.visit(`/reviews/${expired?.id}`)
  await reviewer.page.getByText('Expired without a decision').waitFor()
  await reviewer.visit('/reviews')
  await reviewer.page.getByText('Nothing pending review').waitFor()
  await expectAccessible(reviewer.page)
  await expectDecided(pending)
  expect([...reviewer.consoleErrors, ...colleague.consoleErrors]).toEqual([])
})

const sumOf = ({ clicks, fields, keys }: Actions): number => clicks + fields + keys

/** Sends a chat. */
const send = async (app: 0 | 1, content: string, governance: object = {}) =>
  (await dashboard.chat(content, { governance }, { app })).body

async function holdAll(): Promise<readonly HeldItem[]> {
  const requests = HOLDS.flatMap(([rule, application, count]) => Array.from({ length: count }, () => ({ rule, application })))
  return Promise.all(
    requests.map(async ({ rule, application }, number) => {
      const user = { id: rule === 'guests' ? 'guests' : 'alice' }
      const text = `Case ${number} of the morning: ${rule === 'guests' ? 'a question' : rule} for jane.roe@brightwater.example.com.`
      const { error } = await send(application, text, { user })
      const id = String(error?.review_item_id)
      return { id, number, rule, resubmit: () => send(application, text, { user, review_item_id: id }) }
    }),
  )
}

const stateOf = async (id: string | undefined): Promise<string> => (await dashboard.admin.get(`/reviews/${id}`)).state

async function acknowledgeAll(page: Page): Promise<void> {
  await page.getByRole('group', { name: 'Service levels' }).waitFor()
  await page.getByText('Escalations', { exact: true }).click()
  await page.getByText('Select all escalations').click()
  await page.getByLabel('Comment for all').fill('seen this morning')
  await page.getByRole('button', { name: 'Acknowledge selected' }).click()
  await page.getByText(`Acknowledged: ${ESCALATIONS} escalations.`).waitFor()
}

/** Finds an item by rule and Application and assigns it. Returns it. */
async function assignToColleague(page: Page, held: readonly HeldItem[]): Promise<HeldItem> {
  await page.getByText('Holds', { exact: true }).click()
  await choose(page, 'Rule', 'offers')
  const queue = page.getByRole('list', { name: 'Queue' }).getByRole('listitem')
  await expect.poll(() => queue.count()).toBe(12)
  const first = (await queue.first().getByRole('link').getAttribute('href')) ?? ''
  const item = held.find(({ id }) => first.includes(id))
  if (!item) throw new Error('another item is the first')
  await queue.first().getByRole('link').click()
  await page.waitForURL(`**/reviews/${item.id}?*`)
  await choose(page, 'Assigned to', /^A reviewer$/)
  await page.getByText(/^Assigned to .*\.$/).waitFor()
  return item
}

async function denyAssigned({ page, visit }: Window, { id, number }: HeldItem): Promise<void> {
  await visit('/reviews?assignee=me')
  await page.getByRole('link', { name: /Held request/ }).click()
  await heldIn(page).getByText(`Case ${number} of the morning`).waitFor()
  await page.getByRole('tab', { name: 'As released' }).click()
  await page.getByText('Transforms: redact:pii').waitFor()
  const [changed] = await page.getByRole('tabpanel').locator('mark').allTextContents()
  expect(changed).toContain('(changed)')
  expect(await page.getByRole('tabpanel').textContent()).not.toContain('jane.roe')
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Remembered' }).click()
  await page.getByText('Nothing would be remembered').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Comment').fill(`case ${number}`)
  await page.getByRole('button', { name: 'Deny' }).click()
  await sendNow(page)
  await page.getByText('Denied. Content erased.').waitFor()
  expect(await stateOf(id)).toBe('denied')
}

const FIRST_PHONE = 4
/** Windows from a number of items that are left: a phone, and 1280 pixels at 400 % zoom. */
const WINDOWS: Readonly<Record<number, { readonly width: number; readonly height: number }>> = {
  [FIRST_PHONE]: NARROW,
  2: { width: 320, height: 256 },
}

/** Decides on all items, each after reading it. Returns the most actions for one decision. */
async function decideAll({ page, visit }: Window, taken: () => Actions, pending: readonly HeldItem[]) {
  await visit('/reviews?kind=hold')
  await page.getByText('No item selected').waitFor()
  await page.keyboard.press('j')
  await page.waitForURL('**/reviews/rev_*')
  await page.getByRole('switch', { name: 'Open the next item after a decision' }).click()
  await page.getByText(`1 of ${pending.length}`, { exact: true }).waitFor()
  const statuses: number[] = []
  page.on('response', (response) => {
    if (/\/(approve|deny)$/.test(response.url())) statuses.push(response.status())
  })
  taken()
  const most = { keyboard: 0, mouse: 0 }
  for (let left = pending.length; left > 0; left -= 1) {
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const item = pending.find((one) => one.id === id)
    if (!item) throw new Error(`${id} is not pending`)
    const window = WINDOWS[left]
    if (window) {
      await page.setViewportSize(window)
      await heldIn(page).getByText(`Case ${item.number} of the morning`).first().waitFor()
      if (window === NARROW) await expectNoFindings(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(window.width)
    }
    // A phone has no keys.
    const device = left <= FIRST_PHONE || item.number % 8 === 0 ? 'mouse' : 'keyboard'
    await decide(page, item, device)
    most[device] = Math.max(most[device], sumOf(taken()))
    if (left > 1) await page.waitForURL((url) => !url.pathname.includes(item.id))
  }
  await sendNow(page)
  await expect.poll(() => statuses).toEqual(pending.map(() => 200))
  return most
}

async function decide(page: Page, item: HeldItem, device: 'mouse' | 'keyboard'): Promise<void> {
  await heldIn(page).getByText(`Case ${item.number} of the morning`).first().waitFor()
  const [verb, name] = verdictOf(item) === 'denied' ? ['deny', 'Deny'] : ['approve', 'Approve']
  await page.getByRole('button', { name, disabled: false }).waitFor()
  if (device === 'mouse') {
    await page.getByLabel('Comment').fill(`case ${item.number}`)
    await page.getByRole('button', { name }).click()
  } else {
    await page.keyboard.press(verb === 'deny' ? 'd' : 'a')
    await page.getByText(`to ${verb}`).waitFor()
    await page.keyboard.press('Enter')
  }
  await page
    .getByText(item.rule)
    .filter({ hasText: verb === 'deny' ? 'Denied: ' : 'Approved: ' })
    .last()
    .waitFor()
}

/** The second approval of each contract that was not denied. */
async function approveContracts({ page, visit }: Window, pending: readonly HeldItem[]): Promise<void> {
  const contracts = pending.filter((item) => item.rule === 'contracts' && verdictOf(item) === 'approved')
  for (const { id, number } of contracts) {
    expect(await stateOf(id)).toBe('pending')
    await visit(`/reviews/${id}`)
    await heldIn(page).getByText(`Case ${number} of the morning`).waitFor()
    await page.getByText('1 of 2 approvals').first().waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await sendNow(page)
    await page.getByText('Approved. Request released.').waitFor()
  }
}

/** Each item has the decision that was meant for it, and the requests of approved ones go on. */
async function expectDecided(pending: readonly HeldItem[]): Promise<void> {
  const expectOne = async (item: HeldItem) => {
    const { state, comment } = await dashboard.admin.get(`/reviews/${item.id}`)
    expect([item.number, state]).toEqual([item.number, verdictOf(item)])
    if (item.number % 8 === 0) expect(comment).toBe(`case ${item.number}`)
    const resubmitted = await item.resubmit()
    if (state === 'denied') expect(resubmitted.error.code).toBe('POLICY_REVIEW_DENIED')
    else expect(resubmitted.choices[0]?.message.role).toBe('assistant')
  }
  await Promise.all(pending.map(expectOne))
}
