import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { completion, json, says, word } from '../../server/test/support/scripted-provider.ts'
import { expectAccessible } from './support/accessible.ts'
import { startScriptedDashboard } from './support/dashboard.ts'
import { screenshot } from './support/screenshot.ts'

const MODELS = ['scripted', 'scripted-large']
const PAYMENT = 'Please wire 48,000 EUR to Brightwater Supplies today, invoice 2207.'
const WEATHER = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

const dashboard = await startScriptedDashboard()
const { admin } = dashboard
await admin.send('POST', '/providers/openai/models', { models: MODELS.map((id) => ({ id })) })
const created = await admin.create('/applications', {
  name: 'playground',
  default_model: 'scripted',
  settings: { extensions: ['tools'] },
})
const { key } = await admin.create(`/applications/${created.id}/keys`, { name: 'code' })
const application = { id: created.id, key }

/** The playground of the Application, as another user. */
async function openPlayground(user: string, query = '') {
  const { page, visit, consoleErrors } = await dashboard.signedIn({
    at: `/playground?application=${application.id}&user=${user}${query}`,
  })
  return { page, visit, consoleErrors, log: page.getByRole('log') }
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text)
  await page.getByRole('button', { name: /^Send( to|$)/, disabled: false }).click()
}

const lastCall = () => dashboard.upstream.calls.at(-1)?.body

test('playground: system prompt and parameters are sent and kept after a reload', async () => {
  const { page, visit, log } = await openPlayground('paula')
  await page.getByLabel('System prompt').fill('Answer in rhymes.')
  await page.getByRole('button', { name: 'Parameters and tools' }).click()
  await page.getByLabel('Temperature').fill('0.5')
  await page.getByLabel('Max tokens').fill('77')
  await page.getByRole('textbox', { name: 'Role' }).fill('guest')
  await send(page, 'Tell me about pelicans')
  await log.getByText('You said: Tell me about pelicans').waitFor()
  expect(lastCall()).toMatchObject({
    temperature: 0.5,
    messages: [{ role: 'system', content: 'Answer in rhymes.' }, { role: 'user' }],
  })
  await expectAccessible(page)
  // Another page, a visit without options and a reload show the same chat.
  await visit('/applications')
  await visit('/playground')
  await log.getByText('You said: Tell me about pelicans').waitFor()
  await page.reload()
  await log.getByText('You said: Tell me about pelicans').waitFor()
  expect(await page.getByLabel('System prompt').inputValue()).toBe('Answer in rhymes.')
  // Options are in the URL once one of them changes, texts never.
  await page.getByRole('switch', { name: 'Dry run' }).press('Space')
  await page.waitForURL(`**application=${application.id}*`)
  expect(page.url()).not.toMatch(/pelican|rhymes/)
})

test('playground: several models answer side by side, each with its own history', async () => {
  const { page, log } = await openPlayground('mona', `&model=${MODELS.join(',')}&stream=true`)
  await send(page, 'First question')
  const replies = log.getByRole('article')
  await expect.poll(() => replies.filter({ hasText: 'You said: First question' }).count()).toBe(2)
  await send(page, 'Second question')
  await expect.poll(() => replies.filter({ hasText: 'You said: Second question' }).count()).toBe(2)
  const calls = dashboard.upstream.calls.slice(-2).map(({ body }) => body)
  expect(calls.map(({ model }) => model).sort()).toEqual(MODELS)
  for (const { messages } of calls) expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  await expectAccessible(page)
  await screenshot(page, 'playground-models')
})

test('playground: a tool call gets its result and the model continues', async () => {
  const { page, log } = await openPlayground('tom')
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Lisbon"}' } }
  const calls = {
    ...completion(''),
    choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
  }
  const tool = word()
  dashboard.upstream.on(tool, (response, { body }) =>
    json(response, 200, body.messages.at(-1)?.role === 'tool' ? completion('It is sunny.') : calls),
  )
  await page.getByRole('button', { name: 'Parameters and tools' }).click()
  await page.getByLabel('Tools (JSON)').fill('[{"type": "weather"}]')
  await page.getByText('Each tool needs "type": "function"').waitFor()
  await page.getByLabel('Tools (JSON)').fill(JSON.stringify([WEATHER]))
  await send(page, `Weather in Lisbon? ${tool}`)
  await log.getByText('Tool call: weather').waitFor()
  await page.getByLabel('Result of weather').fill('{"sky": "clear"}')
  await page.getByRole('button', { name: 'Send results' }).click()
  await log.getByText('It is sunny.').waitFor()
  expect(lastCall()?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: '{"sky": "clear"}' })
  await expectAccessible(page)
})

test('playground: a held request continues after the approval of another operator', async () => {
  const { page, log } = await openPlayground('hanna')
  await send(page, PAYMENT)
  await log.getByText('409 POLICY_REVIEW_PENDING').waitFor()
  const item = /rev_[a-z0-9]+/.exec((await log.getByRole('link', { name: 'Pending review' }).getAttribute('href')) ?? '')?.[0]
  await admin.post(`/reviews/${item}/approve`, { comment: 'checked' })
  await log.getByText('You said: Please wire').waitFor()
  await log.getByText('Allowed', { exact: true }).waitFor()
  expect(await log.getByText('Held', { exact: true }).count()).toBe(0)
  expect(await log.getByText('409 POLICY_REVIEW_PENDING').count()).toBe(0)
})

test('playground: Markdown shows no image and runs no HTML of a completion', async () => {
  const { page, log } = await openPlayground('mark')
  const text = word()
  dashboard.upstream.on(
    text,
    says(
      '**Bold** ![logo](https://images.example/a.png) <img src=x onerror=alert(1)>\n\n```js\nlet a = 1\n```\n\n[site](javascript:alert(1))',
    ),
  )
  await send(page, `Format this: ${text}`)
  await log.locator('strong').getByText('Bold').waitFor()
  expect(await log.locator('img').count()).toBe(0)
  await log.getByRole('link', { name: 'logo' }).waitFor()
  expect(await log.locator('a[href^="javascript"]').count()).toBe(0)
  await log.getByRole('button', { name: 'Copy code' }).waitFor()
  await expectAccessible(page)
})

test('playground: an edited message replaces the later ones, and messages can be deleted', async () => {
  const { page, log } = await openPlayground('edda')
  for (const text of ['One apple', 'Two pears']) {
    await send(page, text)
    await log.getByText(`You said: ${text}`).waitFor()
  }
  await log.getByRole('button', { name: 'Edit message' }).first().click()
  await page.getByLabel('Edited message').fill('Three plums')
  await log.getByRole('button', { name: 'Send', exact: true }).click()
  await log.getByText('You said: Three plums').waitFor()
  expect(await log.getByText(/apple|pears/).count()).toBe(0)
  expect(lastCall()?.messages).toHaveLength(1)
  await log.getByRole('button', { name: 'Delete from here' }).click()
  await log.getByText('Send a message to see').waitFor()
})

test('playground: recent chats open again, and are cleared', async () => {
  const { page, log } = await openPlayground('rita')
  await send(page, 'A first chat')
  await log.getByText('You said: A first chat').waitFor()
  await page.getByRole('button', { name: 'New chat' }).click()
  await expect.poll(() => log.getByText('A first chat').count()).toBe(0)
  await send(page, 'A second chat')
  await log.getByText('You said: A second chat').waitFor()
  await page.getByRole('button', { name: 'Recent chats' }).click()
  await page.getByRole('menuitem', { name: /A first chat/ }).click()
  await log.getByText('You said: A first chat').waitFor()
  await page.getByRole('button', { name: 'Recent chats' }).click()
  await page.getByRole('menuitem', { name: 'Clear all chats' }).click()
  await log.getByText('Send a message to see').waitFor()
})

test('playground: another operator in the same window does not see the chats', async () => {
  const { page, visit, log } = await openPlayground('olga')
  await send(page, 'A secret of the first operator')
  await log.getByText('You said: A secret').waitFor()
  await page.evaluate(() => {
    const key = 'gatehouse.playground'
    const saved = JSON.parse(sessionStorage.getItem(key) ?? '{}')
    sessionStorage.setItem(key, JSON.stringify({ ...saved, operator: 'opr_other' }))
    // The page writes once more when it is left.
    Object.defineProperty(Storage.prototype, 'setItem', { value: () => undefined })
  })
  await visit(`/playground?application=${application.id}&user=olga`)
  await log.getByText('Send a message to see').waitFor()
  expect(await log.getByText('A secret').count()).toBe(0)
})

test('playground: copied code sends the same request', async () => {
  const { page } = await openPlayground('cora')
  await page.getByLabel('System prompt').fill("It's a test.")
  await page.getByRole('button', { name: 'Copy as code' }).click()
  const code = page.getByRole('region', { name: 'Code' })
  await code.getByText('curl').waitFor()
  const curl = (await code.textContent()) ?? ''
  const { stdout } = await promisify(execFile)('bash', ['-c', `${curl} -s`], {
    env: { ...process.env, GATEHOUSE_KEY: application.key },
  })
  expect(JSON.parse(stdout).choices[0].message.content).toBe('You said: Hello')
  expect(lastCall()?.messages[0]).toEqual({ role: 'system', content: "It's a test." })
  for (const [language, part] of [
    ['Python', 'extra_body={"governance": {"user": {"id": "cora"}}}'],
    ['Node', "governance: { user: { id: 'cora' } }"],
    ['Vercel AI SDK', "providerOptions: { gatehouse: { governance: { user: { id: 'cora' } } } }"],
  ] as const) {
    await page.getByText(language, { exact: true }).click()
    await code.getByText(part).waitFor()
  }
  await expectAccessible(page)
})

test('playground: a decision becomes a policy test', async () => {
  const { page, log } = await openPlayground('tessa', '&dry=true')
  await send(page, PAYMENT)
  await log.getByText('no model was called').waitFor()
  await page.getByRole('button', { name: 'Save as policy test' }).click()
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  // It narrows the window, and the trace with its dialog is a separate panel there.
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save as policy test' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('a transfer is held')
  await page.getByRole('button', { name: 'Save test' }).click()
  await page.getByText('Policy test saved.').waitFor()
  const { data } = await admin.get('/policy-tests?limit=100')
  const [test] = data.filter(({ name }: { name: string }) => name === 'a transfer is held')
  expect(test).toMatchObject({
    at: 'input',
    input: { content: { text: PAYMENT }, user: { verified: false }, application: { name: 'playground' } },
    expect: { verdict: 'require_approval', rules: ['payments-need-approval'] },
  })
})
