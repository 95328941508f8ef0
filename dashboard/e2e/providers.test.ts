import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { expectAccessible } from './support/accessible.ts'
import { dialogsClosed } from './support/dialogs.ts'
import { operatorOf } from './support/operator.ts'
import { screenshot } from './support/screenshot.ts'
import { type ScriptedDashboard, startScriptedDashboard } from './support/scripted-dashboard.ts'

let { dashboard } = {} as ScriptedDashboard
const scripted = await closeAfterAll(startScriptedDashboard())
;({ dashboard } = scripted)

test('providers: owner adds one, tests another, adds a model with prices and changes the weight', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  await visit('/providers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('inhouse')
  await page.getByLabel('Base URL').fill('http://10.0.0.1/v1')
  await submitProvider(page)
  // Private addresses are only allowed by configuration.
  await page.getByRole('textbox', { name: 'Base URL' }).and(page.locator('[aria-invalid=true]')).waitFor()
  await page.getByLabel('Base URL').fill('https://models.example.com/v1')
  await page.getByLabel('API key').fill('sk-very-secret')
  await submitProvider(page)
  await page.getByRole('heading', { name: 'inhouse', exact: true }).waitFor()
  await page.getByText('No models yet').waitFor()
  expect(await page.content()).not.toContain('sk-very-secret')

  await visit('/providers')
  await page.getByRole('button', { name: 'Test connection to openai' }).click()
  await page.getByText('Connection successful. 1 model is available.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Select all' }).click()
  expect(await page.getByRole('checkbox', { name: 'scripted' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Add selected models' }).click()
  await page.getByText('1 model added.').waitFor()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'openai', exact: true }).click()
  await page.getByRole('button', { name: 'Edit scripted' }).click()
  await page.getByLabel('Input price').fill('2.5')
  await page.getByLabel('Output price').fill('10')
  await page.getByLabel('Cache read price').fill('0.25')
  await page.getByRole('combobox', { name: 'API' }).click()
  await page.getByRole('option', { name: 'Responses' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '$2.50', exact: true }).waitFor()
  await dialogsClosed(page)
  await page.getByRole('button', { name: 'Edit scripted' }).click()
  expect(await page.getByLabel('Cache read price').inputValue()).toBe('0.25')
  expect(await page.getByLabel('Cache write price', { exact: true }).inputValue()).toBe('')
  expect(await page.getByRole('combobox', { name: 'API' }).inputValue()).toBe('Responses')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await dialogsClosed(page)
  await page.getByLabel('Weight').fill('3')
  await page.getByRole('group', { name: 'Provider' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'provider')
  await visit('/models')
  await page.getByRole('row', { name: /^scripted openai \$2\.50 \$0\.25 \$10\.00 Custom/ }).waitFor()
  await page.getByRole('button', { name: 'Edit scripted' }).click()
  await page.getByRole('combobox', { name: 'API' }).waitFor()
  await page.keyboard.press('Escape')
  await dialogsClosed(page)
  // The built-in provider has one API.
  await page.getByRole('button', { name: 'Edit demo-mini' }).click()
  await page.getByLabel('Output price').waitFor()
  expect(await page.getByRole('combobox', { name: 'API' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await dialogsClosed(page)
  await expectAccessible(page)
  expect(consoleErrors.filter((error) => !error.includes('400'))).toEqual([])
})

test('providers: owner adds one of a known server with headers, and one of Azure that is tested without a list', async () => {
  const { page, visit } = await dashboard.signedIn()
  await visit('/providers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('fast')
  await page.getByRole('button', { name: 'Groq' }).click()
  await page.getByText('Create a key at console.groq.com').waitFor()
  expect(await page.getByLabel('Base URL').inputValue()).toBe('https://api.groq.com/openai/v1')
  await page.getByRole('button', { name: 'Advanced settings' }).click()
  // By keyboard, because the button moves while the settings open.
  await page.getByRole('button', { name: 'Add header' }).press('Enter')
  await page.getByLabel('Name of header 1').fill('Authorization')
  await page.getByLabel('Value of header 1').fill('Bearer in-plain-text')
  await submitProvider(page)
  await page.getByRole('alert').getByText('must contain {api_key}').waitFor()
  await page.getByLabel('Value of header 1').fill('Bearer {api_key}')
  await expectAccessible(page)
  await submitProvider(page)
  await page.getByRole('heading', { name: 'fast', exact: true }).waitFor()
  expect(await page.getByLabel('Value of header 1').inputValue()).toBe('Bearer {api_key}')
  await page.getByRole('button', { name: 'Remove header 1' }).click()
  await page.getByRole('group', { name: 'Provider' }).getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await addListedModel(page)

  await visit('/providers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('cloud')
  await page.getByRole('button', { name: 'Amazon Bedrock' }).click()
  await page.getByLabel('Region').fill('eu-central-1')
  await submitProvider(page)
  await page.getByRole('heading', { name: 'cloud', exact: true }).waitFor()
  expect(await page.getByLabel('Base URL').inputValue()).toBe('https://bedrock-runtime.{region}.amazonaws.com')

  await visit('/providers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByRole('textbox', { name: 'ID', exact: true }).fill('deployed')
  await page.getByRole('button', { name: 'Azure OpenAI' }).click()
  await page.getByLabel('Base URL').fill('https://acme.openai.azure.com')
  await submitProvider(page)
  await page.getByRole('button', { name: 'Test connection to deployed' }).click()
  await page.getByRole('dialog').getByText('Add a model by name, then test again.').waitFor()
})

const submitProvider = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()

/** Adds a model of the price list, whose prices then fill the fields. */
async function addListedModel(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add model' }).click()
  await page.getByRole('textbox', { name: 'Model', exact: true }).fill('llama-3.3-70b-versatile')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('row', { name: /^llama-3.3-70b-versatile .*Price list/ }).waitFor()
  await dialogsClosed(page)
  await page.getByRole('button', { name: 'Edit llama-3.3-70b-versatile' }).click()
  expect(await page.getByLabel('Input price').inputValue()).toBe('')
  await page.getByRole('button', { name: 'Fill in list prices' }).click()
  expect(Number(await page.getByLabel('Input price').inputValue())).toBeGreaterThan(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /^llama-3.3-70b-versatile .*Custom/ }).waitFor()
  await dialogsClosed(page)
}

test('provider test: shows the cause of a failure', async () => {
  const { page, visit } = await dashboard.signedIn()
  const { admin_token } = dashboard.server.demo
  await fetch(`${dashboard.server.base}/admin/v1/providers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'misspelt', base_url: 'https://no-such-host.invalid/v1' }),
  })
  await visit('/providers')
  await page.getByRole('button', { name: 'Test connection to misspelt' }).click()
  await page
    .getByRole('dialog')
    .getByText(/Its host name cannot be resolved|It did not respond in time/)
    .waitFor()
  await expectAccessible(page)
})

test('providers: role read_only can neither test nor edit', async () => {
  const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
  await visit('/providers/openai')
  await page.getByRole('table', { name: 'Models' }).waitFor()
  expect(await page.getByRole('button', { name: /Test|Save|Delete|Remove|Edit|Add / }).count()).toBe(0)
  expect(await page.getByLabel('Weight').isDisabled()).toBe(true)
})
