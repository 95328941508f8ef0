import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { createKey } from './support/create-key.ts'
import { startScriptedDashboard } from './support/dashboard.ts'
import { dialogsClosed, dismissDialogs, takeSecret } from './support/dialogs.ts'
import { screenshot } from './support/screenshot.ts'

const dashboard = await startScriptedDashboard()
const [application] = dashboard.server.demo.applications

test('Applications: owner creates an Application, creates, uses and revokes its key, and changes its settings', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/applications' })
  await page.getByRole('button', { name: 'Create Application' }).click()
  await page.getByLabel('Name').fill('travel-desk')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('No keys yet').waitFor()
  await connectClients(page)
  await useKey(page)
  await changeSettings(page)
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page.getByRole('heading', { name: 'Requests over time' }).waitFor()
  await page.getByText('Hour', { exact: true }).click()
  await page.waitForURL('**period=1h*')
  await page.getByRole('table', { name: 'Latency by stage' }).waitFor()
  await expectAccessible(page)
  await visit('/applications')
  const row = page.getByRole('row', { name: /travel-desk/ })
  const lastUsed = row.getByText(/^(now|\d+ min\. ago)$/)
  await lastUsed.first().waitFor()
  await expectAccessible(page)
  await page.getByRole('columnheader', { name: 'Requests (30 days)' }).getByRole('button').click()
  await page.waitForURL('**sort=-requests')
  await page.getByRole('columnheader', { name: 'Requests (30 days)' }).and(page.locator('[aria-sort=descending]')).waitFor()
  await row.getByRole('cell', { name: /^[1-9]$/ }).waitFor()
  // The invalid limit causes the only console errors.
  expect(consoleErrors.filter((error) => !error.includes('400'))).toEqual([])
})

/** The code of each client has this server's address, and no client lacks an extension. */
async function connectClients(page: Page): Promise<void> {
  for (const name of ['curl', 'Python', 'Node', 'Anthropic SDK', 'Vercel AI SDK', 'LangChain', 'Claude Code', 'Codex']) {
    await page.getByRole('tab', { name }).click()
    const code = await page.getByLabel(`Code for ${name}`, { exact: true }).textContent()
    expect(code).toContain(dashboard.server.base)
    expect(code).toContain('GATEHOUSE_KEY')
    expect(await page.getByText('also needs these extensions').count()).toBe(0)
  }
}

/** Creates a key, sends a request with it and revokes it. */
async function useKey(page: Page): Promise<void> {
  const { dialog, key } = await createKey(page, 'production')
  await page.getByRole('button', { name: 'Copy key' }).waitFor()
  await dialog.getByText(`${dashboard.server.base}/v1`, { exact: true }).waitFor()
  await dialog.getByRole('tab', { name: 'Vercel AI SDK' }).click()
  expect(await dialog.getByLabel('Code for Vercel AI SDK', { exact: true }).textContent()).toContain('generateText')
  expect(await dialog.getByLabel('Code for Vercel AI SDK', { exact: true }).textContent()).toContain(
    `// In the shell: export GATEHOUSE_KEY=${key}`,
  )
  await dialog.getByText(dashboard.server.base, { exact: true }).waitFor()
  await dialog.getByRole('tab', { name: 'curl' }).click()
  const code = (await dialog.getByLabel('Code for curl', { exact: true }).textContent()) ?? ''
  expect(code).toMatch(new RegExp(`^export GATEHOUSE_KEY=${key}\ncurl `))
  await dialog.getByText('Waiting for the first request…').waitFor()
  await expectAccessible(page)
  expect((await dashboard.chat('Good morning', {}, { token: key })).status).toBe(200)
  await dialog.getByText('First request received').waitFor()
  await dialog.getByRole('link', { name: 'Open audit record' }).waitFor()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await dialogsClosed(page)
  expect(await page.content()).not.toContain(key)
  await page.reload()
  await page.getByRole('cell', { name: 'production', exact: true }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'application-keys')
  const newKey = await rotateKey(page)
  await page.getByRole('row', { name: 'production' }).nth(1).getByRole('button', { name: 'Revoke production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Key production revoked.').waitFor()
  expect((await dashboard.chat('Good morning', {}, { token: newKey })).status).toBe(401)
  expect((await dashboard.chat('Good morning', {}, { token: key })).status).toBe(200)
}

/** Both keys work during the overlap. Returns the new key. */
async function rotateKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Rotate production' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByRole('dialog', { name: 'Key rotated' }).waitFor()
  const key = await takeSecret(page)
  await page.getByText('Replaced', { exact: true }).waitFor()
  return key
}

/** Tries an invalid limit, then saves a valid one and enables knowledge. */
async function changeSettings(page: Page): Promise<void> {
  const limit = page.getByLabel('Requests per minute', { exact: true })
  await page.getByRole('tab', { name: 'Settings' }).click()
  await limit.fill('2000000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('1000000').first().waitFor()
  await limit.fill('120')
  await page.getByLabel('Enable knowledge').press('Space')
  await page.getByRole('combobox', { name: 'Default model' }).fill('missing')
  await page.getByText('No provider has the model missing.').waitFor()
  await page.getByRole('combobox', { name: 'Default model' }).fill('scripted')
  await page.getByText('No provider has the model missing.').waitFor({ state: 'detached' })
  // Memory without capture would store nothing.
  await page.getByLabel('Enable memory').press('Space')
  await page.getByText('Chats store statements such as “Remember that …”.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  expect(await limit.inputValue()).toBe('120')
  expect(await page.getByRole('combobox', { name: 'Capture' }).inputValue()).toBe('Explicit requests')
  await page.getByLabel('Maximum passages per request').waitFor()
  await expectAccessible(page)
}

test.each([false, true])('keys: limits, models, tags and metadata of a key, narrow %s', async (isNarrow) => {
  const { page, visit } = await dashboard.signedIn({ isNarrow })
  const { id } = await dashboard.admin.create('/applications', { name: `Team keys ${isNarrow}`, default_model: 'demo-mini' })
  await visit(`/applications/${id}?tab=keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill('batch')
  await page.getByRole('button', { name: 'Limits, models and tags' }).click()
  await page.getByLabel('Requests per minute').fill('1')
  await page.getByLabel('Burst size').fill('1')
  await addTags(page, 'Models', ['demo-mini'])
  await addTags(page, 'Tags', ['nightly'])
  await page.getByLabel('Metadata').fill('Ann')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Line 1 needs a name and a colon').waitFor()
  await page.getByLabel('Metadata').fill('owner: Ann')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const key = await takeSecret(page)
  await page.getByText('nightly').waitFor()
  if (!isNarrow) await page.getByRole('cell', { name: '1 requests/min, Only demo-mini' }).waitFor()
  const send = async () => (await dashboard.chat('Good morning', {}, { token: key })).status
  expect([await send(), await send()]).toEqual([200, 429])
  await page.getByRole('button', { name: 'Edit batch' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit batch' })
  expect(await dialog.getByLabel('Metadata').inputValue()).toBe('owner: Ann')
  await dialog.getByLabel('Requests per minute').fill('')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Key batch saved.').waitFor()
  expect(await send()).toBe(200)
  await dashboard.admin.create(`/applications/${id}/keys`, { name: 'online', tags: ['daily'] })
  await visit(`/applications/${id}?tab=keys&tag=daily`)
  await page.getByRole('row', { name: /^online/ }).waitFor()
  expect(await page.getByRole('row', { name: /^batch/ }).count()).toBe(0)
  await expectAccessible(page)
})

test.each([false, true])(
  'archive: an archived Application leaves the list and comes back without its keys, narrow %s',
  async (isNarrow) => {
    const name = `Old portal ${isNarrow}`
    const { page, visit } = await dashboard.signedIn({ isNarrow })
    const { id } = await dashboard.admin.create('/applications', { name, default_model: 'demo-mini' })
    const { key } = await dashboard.admin.create(`/applications/${id}/keys`, { name: 'production' })
    await visit(`/applications/${id}?tab=keys`)
    await page.getByRole('button', { name: 'Archive' }).click()
    const dialog = page.getByRole('dialog', { name: `Archive ${name}?` })
    await dialog.getByText('Its keys are revoked').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('it accepts no requests').waitFor()
    await page.getByText('Revoked').first().waitFor()
    expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
    expect((await dashboard.chat('Good morning', {}, { token: key })).status).toBe(401)
    await dialogsClosed(page)
    await expectAccessible(page)
    await visit(`/applications/${id}?tab=usage`)
    await page.getByText('Select a longer period to see the usage before').waitFor()
    await visit('/applications')
    await page
      .getByRole('link', { name: application?.name ?? '' })
      .first()
      .waitFor()
    expect(await page.getByRole('link', { name }).count()).toBe(0)
    await page.getByText('Archived', { exact: true }).click()
    await page.waitForURL('**show=archived*')
    await page.getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText(`${name} restored.`).waitFor()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
  },
)

async function addTags(page: Page, label: string, tags: readonly string[]): Promise<void> {
  const input = page.getByLabel(label, { exact: true }).and(page.locator('input'))
  for (const tag of tags) {
    await input.fill(tag)
    await input.press('Enter')
  }
}

test('settings: unsaved changes survive a switch of tabs, and leaving or reloading the page asks first', async () => {
  const { page } = await dashboard.signedIn({ at: `/applications/${application?.id}?tab=settings` })
  const dialogs = dismissDialogs(page)
  const field = page.getByLabel('Requests per minute', { exact: true })
  await field.fill('77')
  await page.getByRole('tab', { name: 'Usage' }).click()
  await page.getByText('Hour', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await field.inputValue()).toBe('77')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()
  await expect.poll(() => dialogs).toEqual(['confirm'])
  expect(await field.inputValue()).toBe('77')
  await page.evaluate('setTimeout(() => location.reload(), 0)')
  await expect.poll(() => dialogs).toEqual(['confirm', 'beforeunload'])
  expect(await field.inputValue()).toBe('77')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Policies', exact: true }).click()
  await page.waitForURL('**/dashboard/policies*')
})

test('settings: the rule that keeps streams validated is named before the setting is saved', async () => {
  const rules = (output: string) => `name: streams\nrules: [{id: no-gossip, at: [output], when: ${output}, verdict: deny}]`
  await dashboard.admin.create('/policy-sets', { source: rules('content.text.contains("gossip")') })
  const { page, visit } = await dashboard.signedIn()
  await visit(`/applications/${application?.id}?tab=settings`)
  const section = page.getByRole('region', { name: 'Streaming' })
  await section.getByRole('combobox', { name: 'Send streamed text' }).click()
  await page.getByRole('option', { name: 'While it arrives' }).click()
  await section
    .getByText('“While it arrives” has no effect: rule no-gossip needs the whole response, because it reads content.text.')
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Discard' }).click()
  await dashboard.admin.create('/policy-sets', { source: rules('content.findings.secret > 0') })
  await visit(`/applications/${application?.id}?tab=settings`)
  await section.getByRole('combobox', { name: 'Send streamed text' }).click()
  await page.getByRole('option', { name: 'While it arrives' }).click()
  await section.getByLabel('Hold back at least').waitFor()
  expect(await section.getByText('has no effect').count()).toBe(0)
  await page.getByRole('button', { name: 'Discard' }).click()
})

test('settings: each of two tabs saves only its own changes and keeps its input when the other saves', async () => {
  const [first, second] = [await dashboard.signedIn(), await dashboard.signedIn()]
  for (const { visit, page } of [first, second]) {
    await visit(`/applications/${application?.id}?tab=settings`)
    await page.getByLabel('Requests per minute', { exact: true }).waitFor()
  }
  await second.page.getByLabel('Requests per minute', { exact: true }).fill('321')
  await first.page.getByLabel('Concurrent requests').fill('7')
  await first.page.getByRole('button', { name: 'Save' }).click()
  await first.page.getByText('Saved.').waitFor()
  // The second tab loads the Application again when it is shown, if some time has passed.
  const loaded = second.page.waitForResponse(`**/admin/v1/applications/${application?.id}`)
  await second.page.evaluate('Date.now = ((now) => () => now() + 60_000)(Date.now)')
  await second.page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
  expect((await (await loaded).json()).limits.concurrency).toBe(7)
  await second.page.getByRole('button', { name: 'Save' }).click()
  await second.page.getByText('Saved.').waitFor()
  const { limits } = await dashboard.admin.get(`/applications/${application?.id}`)
  expect(limits).toMatchObject({ requests_per_minute: 321, concurrency: 7 })
})

test('settings: input during a save stays, and is saved next', async () => {
  const { page } = await dashboard.signedIn({ at: `/applications/${application?.id}?tab=settings` })
  const released = Promise.withResolvers<void>()
  await page.route(`**/admin/v1/applications/${application?.id}`, async (route) => {
    if (route.request().method() === 'PATCH') await released.promise
    await route.continue()
  })
  await page.getByLabel('Requests per minute', { exact: true }).fill('456')
  const sent = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  await sent
  await page.getByLabel('Concurrent requests').fill('9')
  released.resolve()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  const limits = async () => (await dashboard.admin.get(`/applications/${application?.id}`)).limits
  await expect.poll(limits).toMatchObject({ requests_per_minute: 456, concurrency: 9 })
})

test('Applications: keys and settings are read-only for the role read_only', async () => {
  const { page, visit } = await dashboard.signedIn({ role: 'read_only', at: `/applications/${application?.id}?tab=keys` })
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  expect(await page.getByRole('button', { name: /Revoke|Create/ }).count()).toBe(0)
  await page.getByRole('tab', { name: 'Settings' }).click()
  expect(await page.getByRole('combobox', { name: 'Maximum classification' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Playground' }).count()).toBe(0)
  await visit('/applications/app_01h455vb4pex5vsknk084sn02q')
  await page.getByText('Application not found').waitFor()
})
