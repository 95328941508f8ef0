import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose } from './support/dialogs.ts'
import { screenshot } from './support/screenshot.ts'

const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207, and tell jane.roe@brightwater.example.com.'

const dashboard = await startDashboard()
const [application] = dashboard.server.demo.applications

test('playground: shows completion, stream, dry run and hold with the trace of the stages', async () => {
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/playground' })
  // A first visit starts with the first Application.
  await expect.poll(() => page.getByRole('combobox', { name: 'Application' }).inputValue()).not.toBe('')
  await expectAccessible(page)
  const send = (text: string) => sendMessage(page, text)
  const isDryRun = (url: URL) => url.searchParams.has('dry')
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await send('Good morning')
  await stages.last().waitFor()
  await expect.poll(() => stages.count()).toBe(12)
  await expect.poll(() => page.getByRole('log').getByText('Allowed').count()).toBe(1)
  await expectAccessible(page)

  await choose(page, 'Directory user', 'alice')
  await page.waitForURL('**as=alice*')
  await page.getByLabel('Stream response').press('Space')
  await page.waitForURL('**stream=*')
  await send('Which travel costs are paid?')
  await page.getByRole('log').getByText('User verified').waitFor()

  await page.getByRole('switch', { name: 'Dry run' }).press('Space')
  await page.waitForURL(isDryRun)
  await send(PAYMENT)
  await page.getByRole('log').getByText('Dry run', { exact: true }).waitFor()
  await page.getByRole('switch', { name: 'Dry run' }).press('Space')
  await page.waitForURL((url) => !isDryRun(url))
  await send(PAYMENT)
  await page.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  await stages.getByText('Stopped').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'playground')
  await page.getByRole('button', { name: 'Show trace' }).first().click()
  await stages.getByText('Stopped').waitFor({ state: 'detached' })
  expect(consoleErrors.filter((error) => !error.includes('409'))).toEqual([])
})

/** Presses Enter when the page accepts it: before the Application is loaded, it would be ignored. */
async function sendMessage(page: Page, text: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill(text)
  await page.getByRole('button', { name: /^Send( to|$)/, disabled: false }).waitFor()
  await field.press('Enter')
}

/** Opens the playground with an asserted user, sends messages and waits for their responses. */
async function chatAs(page: Page, visit: (path: string) => Promise<void>, user: string, ...messages: string[]): Promise<void> {
  await visit(`/playground?application=${application?.id}&user=${user}`)
  for (const message of messages) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/chat'))
    await sendMessage(page, message)
    await answered
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  }
}

test('playground: the trace counts passages and memories, and says that memory needs a user', async () => {
  const { id } = await dashboard.admin.create('/applications', {
    name: 'bikes',
    default_model: 'demo-mini',
    settings: { knowledge: { enabled: true, collections: ['none'] }, memory: { enabled: true, capture: 'explicit' } },
  })
  const { page, visit } = await dashboard.signedIn({ at: `/playground?application=${id}` })
  await page.getByText('Needed for memory, and for documents with readers.').waitFor()
  const stage = (name: string) => page.getByRole('list', { name: 'Stages' }).getByRole('listitem').filter({ hasText: name })
  await sendMessage(page, 'Remember that my bike has the number 2042.')
  await stage('remember').getByText('No user. Choose a Directory user to use memory.').waitFor()
  await stage('recall').getByText('0 memories').waitFor()
  await stage('retrieve').getByText('0 passages').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open audit record' }).click()
  await page.getByText('No user or session, to which a memory could belong').waitFor()

  await visit(`/playground?application=${id}&as=alice`)
  await sendMessage(page, 'Remember that my bike has the number 2042.')
  await stage('remember').getByText('1 memory stored').waitFor()
  await stage('retrieve').getByRole('link', { name: 'Search as user' }).click()
  await page.waitForURL((url) => url.pathname.endsWith('/knowledge/search') && url.searchParams.get('user') === 'alice')
})

test('playground: waiting for a reviewer records no reading of the review item', async () => {
  const { page } = await dashboard.signedIn({ at: `/playground?application=${application?.id}&user=alice` })
  const isState = (url: string) => url.includes('/admin/v1/reviews')
  const polled = page.waitForResponse((response) => isState(response.url()))
  await sendMessage(page, PAYMENT)
  await page.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  await polled
  await page.waitForResponse((response) => isState(response.url()), { timeout: 60_000 })
  const countReadings = async () =>
    (await dashboard.admin.records(50)).filter(({ change }) => change?.action === 'review.read').length
  expect(await countReadings()).toBe(0)
  await page.getByRole('link', { name: 'Pending review' }).click()
  await page.getByText('Brightwater Supplies').first().waitFor()
  await expect.poll(countReadings).toBe(1)
})

test('playground: chat is kept when the operator opens the review and goes back, and another user gets a new one', async () => {
  const { page, visit } = await dashboard.signedIn()
  await chatAs(page, visit, 'alice', 'My pelican is called Pete', PAYMENT)
  await page.getByRole('link', { name: 'Pending review' }).click()
  await page.waitForURL('**/dashboard/reviews/rev_*')
  await page.goBack()
  await page.getByRole('log').getByText('Pete').first().waitFor()
  await page.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  await page.getByLabel('Asserted user ID').fill('bob')
  await page.waitForURL('**user=bob*')
  await expect.poll(() => page.getByRole('log').getByText('Pete').count()).toBe(0)
  const sent = page.waitForRequest((request) => request.url().endsWith('/chat'))
  await sendMessage(page, 'What is my pelican called?')
  const body = (await sent).postDataJSON()
  expect(body.governance.user.id).toBe('bob')
  expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(['What is my pelican called?'])
})

test('playground: caret keeps its position when letters are typed in the middle of the user id', async () => {
  const { page, visit } = await dashboard.signedIn()
  await chatAs(page, visit, 'alie')
  const field = page.getByLabel('Asserted user ID')
  await field.click()
  await page.keyboard.press('Home')
  for (const _ of 'ali') await page.keyboard.press('ArrowRight')
  for (const letter of 'cc') {
    await page.keyboard.press(letter)
    await page.waitForTimeout(200)
  }
  expect(await field.inputValue()).toBe('alicce')
  await page.waitForURL('**user=alicce*')
})

test('playground: newest message and input stay visible in a long chat', async () => {
  const { page, visit } = await dashboard.signedIn()
  await chatAs(page, visit, 'carol', 'One\n'.repeat(40), 'Two', 'Three')
  await page.getByRole('log').getByText('Three', { exact: true }).waitFor()
  for (const shown of [
    page.getByRole('textbox', { name: 'Message', exact: true }),
    page.getByRole('button', { name: 'Send', exact: true }),
    page.getByRole('log').getByText('Three', { exact: true }),
  ]) {
    // The chat scrolls to its end.
    const isVisible = async () => {
      const box = await shown.boundingBox()
      return (box && box.y >= 56 && box.y + box.height <= 720) || box
    }
    await expect.poll(isVisible).toBe(true)
  }
  await expectAccessible(page)
})

test('playground: a dry run shows the verdict and no completion', async () => {
  const { page, visit } = await dashboard.signedIn()
  await chatAs(page, visit, 'dora')
  await page.getByRole('switch', { name: 'Dry run' }).press('Space')
  await page.waitForURL('**dry=true*')
  await sendMessage(page, PAYMENT)
  const log = page.getByRole('log')
  await log.getByText('Held', { exact: true }).waitFor()
  await log.getByText('no model was called, so there is no completion').waitFor()
  expect(await log.textContent()).not.toMatch(/\d+ tokens|demo/)
  const stages = page.getByRole('list', { name: 'Stages' })
  await stages.getByText('No model called').waitFor()
  await expectAccessible(page)
})
