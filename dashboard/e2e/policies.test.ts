import { expect, test } from 'vitest'
import type { Json } from '../../server/test/admin/client.ts'
import { expectAccessible, expectReadable } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { editor, GUESTS_DENIED, openDraft, write } from './support/policy-editor.ts'
import { screenshot } from './support/screenshot.ts'

const dashboard = await startDashboard()
const { admin } = dashboard

test('draft: problems are shown at their lines, tests run, and it is replayed, compared and published', async () => {
  const response = await dashboard.chat('Good morning', { governance: { user: { id: 'gus', role: 'guest' } } })
  expect(response.status, response.text).toBe(200)
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/policies' })
  await page.getByRole('link', { name: 'v1 · demo' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create draft' }).click()
  await page.getByText('Ready to publish').waitFor()

  await write(page, GUESTS_DENIED.replace('user.role', 'user.roll'))
  await page.getByRole('tab', { name: 'Problems (1)' }).waitFor()
  const problems = page.getByRole('list', { name: 'Problems' })
  await problems.getByText('no-guests', { exact: true }).waitFor()
  await problems.getByText('user has no field roll. Did you mean role?').waitFor()
  await page.getByRole('button', { name: 'Line 11' }).click()
  await page.locator('.cm-activeLine', { hasText: 'user.roll' }).waitFor()
  await page.locator('.cm-lintRange-error').first().waitFor()
  await page.locator('.cm-lint-marker-error').waitFor()
  expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await screenshot(page, 'policies-draft')

  await write(page, GUESTS_DENIED)
  await page.getByText('Ready to publish').waitFor()
  await page.getByRole('tab', { name: 'Tests' }).click()
  await page.getByRole('button', { name: 'Run tests' }).click()
  await page.getByText('1 passed, 0 failed').waitFor()
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByRole('list', { name: 'Examples' }).getByText('+ no-guests').first().waitFor()
  await expectAccessible(page)
  await screenshot(page, 'policies-replay')
  await page.getByRole('tab', { name: 'Changes' }).click()
  await page.getByRole('textbox', { name: 'Changes' }).waitFor()

  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Publish' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('list', { name: 'Weaker rules' }).getByText('removed').first().waitFor()
  await dialog.getByRole('list', { name: 'Changed rules' }).getByText('no-guests added').waitFor()
  await dialog.getByRole('button', { name: 'Publish', disabled: false }).click()
  await dialog.getByText('Enter a note').waitFor()
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Guests are refused')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', disabled: false }).click()
  await page.getByRole('heading', { name: 'tried v2' }).waitFor()
  await page.getByText('Guests are refused').waitFor()
  await page.getByRole('cell', { name: /no-guests/ }).waitFor()
  await page.getByRole('tab', { name: 'Compare' }).click()
  await page.getByRole('list', { name: 'Changed rules' }).getByText('no-guests').waitFor()
  expect(consoleErrors).toEqual([])
})

test('versions: an older version is compared with the active one and activated', async () => {
  await admin.create('/policy-sets', { source: GUESTS_DENIED })
  const { page, visit } = await dashboard.signedIn({ at: '/policies' })
  await page.getByRole('link', { name: 'v1 · demo' }).click()
  await page.getByRole('tab', { name: 'Compare' }).click()
  await page.getByRole('list', { name: 'Changed rules' }).getByText('no-guests').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Policies' }).last().click()
  await page.getByRole('button', { name: 'Roll back to demo v1' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('list', { name: 'Weaker rules' }).getByText('no-guests removed').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Roll back', disabled: false }).click()
  await dialog.getByText('Enter a note').waitFor()
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Guests are welcome')
  await dialog.getByRole('button', { name: 'Roll back', disabled: false }).click()
  await page.getByText(/demo v\d+ is active\./).waitFor()
  await page.getByText('Rolled back to demo v1: Guests are welcome').waitFor()
  await visit('/policies/pol_01h455vb4pex5vsknk084sn02q')
  await page.getByText('Policy set not found').waitFor()
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByRole('heading', { name: 'Versions' }).waitFor()
})

test('publish: a double click on the confirmation creates one version, and the button is not red', async () => {
  await admin.create('/policy-sets', { source: GUESTS_DENIED })
  const { page, visit } = await dashboard.signedIn()
  await openDraft(admin, visit, page)
  await write(page, GUESTS_DENIED.replace('tried', 'doubled'))
  await page.getByText('Ready to publish').waitFor()
  await page.getByText('Saved', { exact: true }).waitFor()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/policy-sets')) sent.push(request.url())
  })
  await page.getByRole('button', { name: 'Publish', disabled: false }).click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Publish', disabled: false })
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('Once')
  await confirm.waitFor()
  const color = (await confirm.getAttribute('style')) ?? ''
  await confirm.dblclick()
  await page.getByRole('heading', { name: 'doubled v' }).waitFor()
  await page.waitForTimeout(500)
  expect(color).not.toContain('red')
  expect(sent).toHaveLength(1)
  expect(new URL(sent[0] ?? '').searchParams.get('base_version')).toMatch(/^pol_/)
  const { data } = await admin.get('/policy-sets?limit=100')
  expect(data.filter(({ name }: Json) => name === 'doubled')).toHaveLength(1)
})

test('replay: results are marked as outdated when the draft changes', async () => {
  const { page, visit } = await dashboard.signedIn()
  await openDraft(admin, visit, page)
  await page.getByRole('tab', { name: 'Replay' }).click()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('Not replayed').waitFor()
  const mark = page.getByText('changed after this replay')
  expect(await mark.count()).toBe(0)
  await write(page, GUESTS_DENIED.replace('no-guests', 'no-changes'))
  await mark.waitFor()
  await expectAccessible(page)
})

test('editor: completes names in conditions', async () => {
  const { page, visit } = await dashboard.signedIn()
  await openDraft(admin, visit, page)
  await write(page, 'name: a\nrules:\n  - id: b\n    at: [input]\n    when: ')
  await page.keyboard.type('user.dep')
  await page.getByRole('option', { name: 'user.department', exact: true }).waitFor()
  await page.getByRole('option', { name: 'user.department', exact: true }).click()
  await expect.poll(() => editor(page).textContent()).toContain('when: user.department')
})

test('draft: an auditor reads and tests it, and cannot change it', async () => {
  const { page, visit } = await dashboard.signedIn({ role: 'auditor', isNarrow: true })
  await openDraft(admin, visit, page, GUESTS_DENIED)
  expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Delete draft' }).count()).toBe(0)
  await editor(page).click()
  await page.keyboard.insertText('not allowed')
  expect(await editor(page).textContent()).not.toContain('not allowed')
  await expectAccessible(page)
})

const STRICT = `name: tried
rules:
  - id: no-guests
    description: Guests have a page of their own.
    at: [input]
    when: user.role == "guest"
    verdict: deny
  - id: no-addresses
    description: Providers get no addresses.
    at: [input]
    when: content.findings["pii.email"] > 0
    transforms: [redact:pii.email]
`

test.each([{ isNarrow: false }, { isNarrow: true }])(
  'story: policy from try a text to publish with diff (%o)',
  async ({ isNarrow }) => {
    await admin.create('/policy-sets', { source: `${STRICT}# ${isNarrow}\n` })
    await admin.create('/policy-tests', {
      name: 'of a file',
      at: 'input',
      expect: { verdict: 'allow' },
      file: 'tests/other.yaml',
    })
    const denied = await dashboard.chat('Good morning', { governance: { user: { id: 'gus', role: 'guest' } } })
    expect(denied.status).toBe(403)
    expect((await dashboard.chat('Write to jane.roe@example.org')).status).toBe(200)
    const { page, visit } = await dashboard.signedIn({ isNarrow })
    const weaker = STRICT.replace('verdict: deny', 'verdict: escalate').replace('redact:', 'mask:')
    await openDraft(admin, visit, page, weaker)
    const panel = page.getByRole('tabpanel')

    await page.getByRole('tab', { name: 'Try a text' }).click()
    await panel.getByRole('textbox', { name: 'Text', exact: true }).fill('Write to jane.roe@example.org')
    await panel.getByRole('button', { name: 'Try', exact: true }).click()
    await panel.getByText('Allowed, masked').waitFor()
    await expectReadable(page)

    await page.getByRole('tab', { name: 'Tests' }).click()
    await panel.getByRole('button', { name: 'Run tests' }).click()
    await panel.getByText(/^None of the \d+ stored tests belongs to this document: they belong to tests\/demo.yaml/).waitFor()
    await expectReadable(page)
    await panel.getByRole('button', { name: 'Run them anyway' }).click()
    await panel.getByText(/^\d+ passed, \d+ failed$/).waitFor()

    await page.getByRole('tab', { name: 'Replay' }).click()
    await panel.getByRole('button', { name: 'Replay' }).click()
    await panel.getByText(/^Only \d+ records exist/).waitFor()
    await panel.getByText(/decisions become weaker/).waitFor()
    const kinds = panel.locator('[data-accordion-control]')
    expect(await kinds.first().textContent()).toContain('DeniedEscalated')
    expect(await kinds.first().getAttribute('aria-expanded')).toBe('true')
    expect(await kinds.filter({ hasText: 'Less of the text is redacted' }).getAttribute('aria-expanded')).toBe('false')
    await expectReadable(page)

    await page.getByRole('button', { name: 'Publish', disabled: false }).click()
    const dialog = page.getByRole('dialog')
    const rules = dialog.getByRole('list', { name: 'Weaker rules' })
    await rules.getByText('no-guests').waitFor()
    await rules.getByText('["mask:pii.email"]').waitFor()
    await expectReadable(page)
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Guests are watched, not refused')
    await dialog.getByRole('button', { name: 'Publish', disabled: false }).click()
    await page.getByRole('cell', { name: 'Mask', exact: true }).waitFor()
    await page.getByText('Guests are watched, not refused').waitFor()
    await expectReadable(page)

    await visit('/audit')
    await page.getByRole('table', { name: 'Records' }).getByText('Allowed, redacted').first().waitFor()
  },
)
