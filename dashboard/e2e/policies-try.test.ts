import { expect, test } from 'vitest'
import type { Json } from '../../server/test/admin/client.ts'
import { expectAccessible, expectNoFindings } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { openDraft, write } from './support/policy-editor.ts'

const dashboard = await startDashboard()
const { admin } = dashboard

const REDACTED = `name: tried
rules:
  - id: no-addresses
    description: Providers get no addresses.
    at: [input, output]
    when: content.findings["pii.email"] > 0
    transforms: [redact:pii.email]
  - id: payments-need-approval
    description: A person approves payments of engineers.
    at: [input]
    when: content.text.contains("payment") && user.role == "engineer"
    verdict: require_approval
`

test('try a text: shows findings, rules, verdict and the resulting text for the unsaved draft', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  const { id } = await openDraft(admin, visit, page, REDACTED)
  const records = await admin.get('/audit?endpoint=chat&limit=1')
  await page.getByRole('tab', { name: 'Try a text' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Try a text' })
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  await panel.getByText('Enter a text.').waitFor()
  await panel.getByRole('textbox', { name: 'Text', exact: true }).fill('The payment goes to jane.roe@example.org.')
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  const verdict = panel.getByRole('status', { name: 'Verdict' })
  await verdict.getByText('Allowed, redacted').waitFor()
  await panel.getByRole('region', { name: 'Findings' }).locator('mark', { hasText: 'jane.roe@example.org' }).waitFor()
  await panel.getByRole('region', { name: 'Rules that decided' }).getByText('Providers get no addresses.').waitFor()
  await panel.getByRole('region', { name: 'Resulting text' }).getByText('The payment goes to [EMAIL].').waitFor()
  await expectNoFindings(page)

  await panel.getByRole('button', { name: 'Application and user' }).click()
  await panel.getByRole('textbox', { name: 'Role' }).fill('engineer')
  await panel.getByText('changed after this result').waitFor()
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  await verdict.getByText('Held').waitFor()
  await panel.getByRole('button', { name: 'payments-need-approval' }).click()
  await page.locator('.cm-activeLine', { hasText: 'payments-need-approval' }).waitFor()

  await write(page, REDACTED.replaceAll('pii.email', 'pii'))
  await page.getByRole('tab', { name: 'Problems' }).click()
  await page.getByText('finds a name only after a cue').waitFor()
  await write(page, REDACTED)
  await page.getByText('finds a name only after a cue').waitFor({ state: 'hidden' })
  await page.getByRole('tab', { name: 'Try a text' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()

  // The server has not stored this text of the draft.
  await page.route('**/policy-drafts/*', (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()))
  await write(page, REDACTED.replace('verdict: require_approval', 'verdict: deny'))
  await panel.getByText('changed after this result').waitFor()
  await panel.getByRole('button', { name: 'Try', exact: true, disabled: false }).click()
  await verdict.getByText('Denied').waitFor()
  await panel.getByText('The text does not pass.').waitFor()
  expect((await admin.get(`/policy-drafts/${id}`)).source).toBe(REDACTED)

  await panel.getByRole('combobox', { name: 'Where the text is' }).click()
  await page.getByRole('option', { name: 'Answer (output)' }).click()
  await panel.getByRole('textbox', { name: 'Answer' }).fill('Write to joe@example.org.')
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  await panel.getByRole('region', { name: 'Resulting text' }).getByText('Write to [EMAIL].').waitFor()
  await expectAccessible(page)
  expect(await admin.get('/audit?endpoint=chat&limit=1')).toEqual(records)
  expect(dashboard.server.logs()).not.toMatch(/payment|jane\.roe|joe@/)
  expect(consoleErrors.filter((line) => !line.includes('net::ERR_FAILED'))).toEqual([])
})

const TOOLS_DENIED = `name: tried
tests: [tests/demo.yaml]
rules:
  - id: no-shell
    description: Models get no shell.
    at: [input]
    when: request.tools.exists(tool, tool == "shell") && user.role == "guest"
    verdict: deny
  - id: transfers-need-approval
    description: A person approves transfers.
    at: [output]
    when: content.tool_calls.exists(call, call.name == "transfer" && double(call.arguments.amount) > 1000.0)
    verdict: require_approval
`

test('try a text: tools of a request and of an answer are tried, and saved as tests of the document', async () => {
  const { page, visit } = await dashboard.signedIn()
  const { id } = await openDraft(admin, visit, page, TOOLS_DENIED)
  await page.getByRole('tab', { name: 'Try a text' }).click()
  const panel = page.getByRole('tabpanel', { name: 'Try a text' })
  const verdict = panel.getByRole('status', { name: 'Verdict' })
  const saveAs = async (name: string) => {
    await panel.getByRole('button', { name: 'Save as test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await expectAccessible(page)
    const shown = await dialog.getByRole('region', { name: 'Test case' }).textContent()
    await dialog.getByRole('button', { name: 'Add to the document' }).click()
    await expect.poll(async () => (await admin.get(`/policy-drafts/${id}`)).source).toContain(name)
    return shown
  }
  await panel.getByRole('textbox', { name: 'Text', exact: true }).fill('List the files')
  await panel.getByLabel('Tools of the request').fill('shell')
  await page.keyboard.press('Enter')
  await panel.getByRole('button', { name: 'Application and user' }).click()
  await panel.getByRole('textbox', { name: 'Role' }).fill('guest')
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  await verdict.getByText('Denied').waitFor()
  expect(await saveAs('guests get no shell')).toContain('rules: [no-shell]')

  await panel.getByRole('textbox', { name: 'Role' }).fill('')
  await panel.getByRole('combobox', { name: 'Where the text is' }).click()
  await page.getByRole('option', { name: 'Answer (output)' }).click()
  await panel.getByRole('textbox', { name: 'Answer' }).fill('')
  const calls = panel.getByRole('textbox', { name: 'Called tools (YAML)' })
  await calls.fill('transfer')
  await panel.getByRole('button', { name: 'Try', exact: true }).click()
  await panel.getByText('Enter a YAML map: transfer: { amount: 5000 }').waitFor()
  await calls.fill('transfer: { amount: 5000 }')
  await panel.getByRole('button', { name: 'Try', exact: true, disabled: false }).click()
  await verdict.getByText('Held').waitFor()
  await expectAccessible(page)
  expect(await saveAs('large transfers are held')).toContain('verdict: require_approval')

  const { source } = await admin.get(`/policy-drafts/${id}`)
  const run = await admin.post('/policy-sets/test', { source })
  expect(run.results.map(({ name, ok }: Json) => [name, ok])).toEqual([
    ['guests get no shell', true],
    ['large transfers are held', true],
  ])
  expect(source).toContain('- tests/demo.yaml')
})
