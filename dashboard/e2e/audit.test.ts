import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { listWorkspaces } from '../../server/src/domains/identity/workspace-store.ts'
import { checkAuditLogs } from '../../server/src/domains/jobs/audit-jobs.ts'
import { CHANGES } from '../../server/test/admin/recorded-changes.ts'
import { runCommandLine } from '../../server/test/support/command-line.ts'
import { Intruder } from '../../server/test/support/intruder.ts'
import { json } from '../../server/test/support/scripted-provider.ts'
import { expectAccessible } from './support/accessible.ts'
import { startScriptedDashboard } from './support/dashboard.ts'
import { choose } from './support/dialogs.ts'
import { inWords, isExempt, readRecordSchema, sampleOf, valuesIn } from './support/sample-record.ts'

/** Labels of badges that are truncated or wider than their table cell. */
const TRUNCATED_BADGES = `[...document.querySelectorAll('.mantine-Badge-root')].filter((badge) => {
  const label = badge.querySelector('.mantine-Badge-label')
  const right = badge.closest('td')?.getBoundingClientRect().right ?? Infinity
  const box = badge.getBoundingClientRect()
  const truncated = getComputedStyle(label).overflow !== 'visible' && label.scrollWidth > label.clientWidth
  return box.width > 0 && (truncated || label.getBoundingClientRect().width > box.width || box.right > right + 1)
}).map((badge) => badge.textContent)`

const dashboard = await startScriptedDashboard()
const { headers } = await dashboard.chat('Answer jane.roe@brightwater.example.com that we agree.')
const auditId = headers.get('x-audit-id') ?? ''

test('records: a request is found by filters and shows its stages without its content', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/audit?endpoint=chat&verdict=allow&user=alice' })
  const rows = page.getByRole('table', { name: 'Records' }).getByRole('row')
  await rows.nth(1).waitFor()
  await expectAccessible(page)
  await visit(`/audit/${auditId}`)
  for (const stage of ['1. authenticate', '5. authorize', '12. record']) await page.getByText(stage).waitFor()
  await page.getByText('1 × email address').first().waitFor()
  await page.getByRole('link', { name: 'addresses-are-redacted' }).waitFor()
  await expectAccessible(page)
  expect(await page.content()).not.toContain('jane.roe@')
  expect(consoleErrors).toEqual([])
})

test('audit log: outcomes are refused, failed, held and redacted where policies allow, and filters find them', async () => {
  dashboard.upstream.on('marmot', (response) => json(response, 401, { error: { message: 'no' } }))
  await dashboard.chat('Good morning')
  const refused = await dashboard.chat('Good morning', { model: 'no-such-model' })
  const failed = await dashboard.chat('Good morning, marmot', { model: 'gpt-demo' })
  await dashboard.chat('Please wire 48,000 EUR to Brightwater Supplies today.')
  expect([refused.status, failed.status]).toEqual([422, 502])
  const { page, visit } = await dashboard.signedIn({ at: '/audit?endpoint=chat' })
  const row = page.getByRole('table', { name: 'Records' }).getByRole('row').nth(1)
  const shows = async (outcome: string, label: string, status: number) => {
    await visit(`/audit?endpoint=chat&outcome=${outcome}`)
    await row.getByText(label, { exact: true }).waitFor()
    await row.getByText(String(status), { exact: true }).waitFor()
    await row.getByText(/^support$/).waitFor()
    expect(await row.getByText('Allowed', { exact: true }).count()).toBe(label === 'Allowed' ? 1 : 0)
  }
  await shows('held', 'Held', 409)
  await shows('failed', 'Failed 502', 502)
  await shows('redacted', 'Allowed, redacted', 200)
  await shows('allowed', 'Allowed', 200)
  await shows('refused', 'Refused 422', 422)
  await row.getByText('Unknown model', { exact: true }).waitFor()
  await expectAccessible(page)
  await visit('/audit?endpoint=chat')
  await page.getByRole('button', { name: 'Outcome' }).click()
  await choose(page, 'Outcome', 'Failed')
  await page.waitForURL('**outcome=failed*')
  await row.getByText('Failed 502', { exact: true }).waitFor()
  await visit(`/audit/${refused.headers.get('x-audit-id')}`)
  await page.getByText('Refused 422', { exact: true }).first().waitFor()
  await page.getByText('Allow', { exact: true }).waitFor()
  expect(await page.getByText('Allowed', { exact: true }).count()).toBe(0)
  await expectAccessible(page)
})

test('record: names the review items whose first lines were read', async () => {
  const held = await dashboard.chat('Please wire 51,000 EUR to Brightwater Supplies today.')
  const item = held.headers.get('x-gatehouse-review-item') ?? ''
  await dashboard.admin.get(`/reviews/excerpts?ids=${item}`)
  const records = await dashboard.admin.records(10)
  const read = records.find(({ change }) => change?.action === 'review_queue.read')
  const { page } = await dashboard.signedIn({ at: `/audit/${read?.id}` })
  await page.getByText('Review items', { exact: true }).waitFor()
  await page.getByRole('link', { name: item }).waitFor()
  expect(await page.getByText('Changed fields').count()).toBe(0)
  await expectAccessible(page)
})

test('record: shows the release mode, unread content and unknown fields of a request', async () => {
  const admin = dashboard.admin
  const settings = { extensions: ['content_parts'], release: 'windowed', unknown_fields: 'carry' }
  const { id } = await admin.create('/applications', { name: 'reader', settings })
  const { key } = await admin.create(`/applications/${id}/keys`, { name: 'test' })
  const data = Buffer.from(Uint8Array.from({ length: 300 }, (_, at) => (at * 131 + 7) % 256)).toString('base64')
  const source = { type: 'base64', media_type: 'image/png', data }
  const response = await fetch(`${dashboard.server.base}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-mini',
      max_tokens: 100,
      newer_field: true,
      messages: [{ role: 'user', content: [{ type: 'image', source }] }],
    }),
  })
  const { page } = await dashboard.signedIn({ at: `/audit/${response.headers.get('x-audit-id')}` })
  const fact = (name: string) => page.locator('dl > div', { hasText: name }).locator('dd').textContent()
  expect(await fact('Unread content of the request')).toBe('1 (image), 300 B')
  expect(await fact('Unknown fields')).toBe('1, carried to the provider')
  expect(await fact('Release')).toBe('Validated')
  await expectAccessible(page)
})

test('badges: no label is truncated at 1280 and 380 px', async () => {
  const { page, visit } = await dashboard.signedIn()
  for (const path of ['/audit?endpoint=chat', '/policies', '/knowledge', '/providers', `/audit/${auditId}`]) {
    await visit(path)
    await page.locator('main .mantine-Badge-label:visible').first().waitFor()
    for (const width of [1280, 380]) {
      await page.setViewportSize({ width, height: 800 })
      // The page may follow the width asynchronously.
      const truncated = async () => [path, width, await page.evaluate(TRUNCATED_BADGES)]
      await expect.poll(truncated).toEqual([path, width, []])
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
})

test('record: a publication names version, note and roll back, and a request its key and Workspace with links', async () => {
  const admin = dashboard.admin
  const publish = (text: string, note: string) =>
    admin.create('/policy-sets', { source: `name: recorded\ntexts: { manners: ${text} }\nrules: []\n`, note })
  const active = (await admin.get('/policy-sets')).data.find((set: { active: boolean }) => set.active)
  const first = await publish('polite', 'first note')
  await publish('brief', 'second note')
  const third = await publish('polite', 'back to good manners')
  await admin.post(`/policy-sets/${active.id}/publish`)
  const { page, visit } = await dashboard.signedIn({ at: '/audit?endpoint=admin' })
  await page.getByRole('table', { name: 'Records' }).getByText(`recorded v${first.version} published`, { exact: true }).waitFor()
  const rolledBack = `recorded v${third.version} published (roll back to v${first.version})`
  await page.getByRole('row').filter({ hasText: rolledBack }).getByRole('link').first().click()
  await page.getByRole('heading', { name: `Record: ${rolledBack}` }).waitFor()
  await page.getByText('back to good manners').waitFor()
  await page.getByText(rolledBack, { exact: true }).and(page.getByTitle('policy_set.publish')).waitFor()
  await page.getByText('Policy set', { exact: true }).waitFor()
  expect(await page.getByText('policy_set').count()).toBe(0)
  expect(await page.getByText('Endpoint', { exact: true }).count()).toBe(0)
  expect(await page.getByRole('link', { name: `recorded v${third.version}`, exact: true }).getAttribute('href')).toContain(
    third.id,
  )
  expect(await page.getByRole('link', { name: `v${first.version}`, exact: true }).getAttribute('href')).toContain(first.id)
  await expectAccessible(page)
  await visit(`/audit/${auditId}`)
  await page.getByRole('heading', { name: 'Record: Chat' }).waitFor()
  const main = page.getByRole('main')
  await main.getByRole('link', { name: 'demo', exact: true }).and(page.locator('[href*="/settings/workspace"]')).waitFor()
  await main.locator('a[href*="tab=keys"]').waitFor()
  expect(await main.getByText('Endpoint', { exact: true }).count()).toBe(0)
  await expectAccessible(page)
})

test('record: each value of the schema is on the page', async () => {
  const { page, visit } = await dashboard.signedIn()
  const sample = sampleOf(await readRecordSchema(dashboard.server.base))
  await page.route(`**/admin/v1/audit/${auditId}*`, (route) => route.fulfill({ json: sample }))
  await visit(`/audit/${auditId}`)
  await page.getByText('Policy inputs').waitFor()
  const shown = await page.locator('main').evaluate((main) => {
    const attributes = [...main.querySelectorAll('[title], [href], [datetime]')].flatMap((element) =>
      ['title', 'href', 'datetime'].map((name) => element.getAttribute(name)),
    )
    return [main.textContent, ...attributes.map((text) => decodeURIComponent(text ?? ''))].join('\n')
  })
  const missing = valuesIn(sample).filter(([path, value]) => !isExempt(path) && !shown.includes(inWords(path, value)))
  expect(missing).toEqual([])
  await expectAccessible(page)
})

test('record: all changes of the admin API, the setup and the server have an event in words', async () => {
  const { events } = JSON.parse(readFileSync(join(import.meta.dirname, '../src/features/audit/en.json'), 'utf8'))
  const others = [
    'answer.cut',
    'audit.prune',
    'audit.resume',
    'embedder.send',
    'group.create',
    'memory.create',
    'operator_invitation.issue',
  ]
  const actions = [...CHANGES.map(({ action }) => action), 'operator.set_notifications', ...others]
  const unnamed = actions.filter((action) => {
    const [type = '', verb = ''] = action.split('.')
    return events[type]?.[verb] === undefined
  })
  expect(unnamed).toEqual([])
})

test('integrity: log is verified and exported, and a record is verified in the browser', async () => {
  const { page, visit } = await dashboard.signedIn({ at: '/audit' })
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('The audit log is intact').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download JSON lines' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-ws_.*\.ndjson$/)
  const dialog = page.getByRole('dialog', { name: 'Export audit log' })
  await dialog
    .getByText(`scripts/gatehouse audit verify-export --public-key gatehouse.pub ${download.suggestedFilename()}`)
    .waitFor()
  await dialog.getByRole('button', { name: 'Copy command' }).waitFor()
  await expectAccessible(page)
  const key = await downloaded(page, 'Download public key')
  const verified = await runCommandLine(['audit', 'verify-export', await download.path(), '--public-key', key.path], {})
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('verified') })
  // The export has signed a checkpoint over all records.
  await visit(`/audit/${auditId}`)
  await page.getByRole('button', { name: 'Verify record' }).click()
  await page.getByText('Record verified', { exact: true }).waitFor()
  expect(await page.getByText('✗').count()).toBe(0)
  const proof = await downloaded(page, 'Download with proof')
  expect(proof.name).toBe(`${auditId}.proof.json`)
  await page.getByText(`scripts/gatehouse audit verify-proof --public-key gatehouse.pub ${proof.name}`).waitFor()
  await expectAccessible(page)
  const proved = await runCommandLine(['audit', 'verify-proof', proof.path, '--public-key', key.path], {})
  expect(proved).toMatchObject({ code: 0, out: expect.stringContaining(`${auditId} of `) })
})

/** Clicks a button that saves a file. */
async function downloaded(page: Page, name: string) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
  return { name: file.suggestedFilename(), path: await file.path() }
}

test('integrity: verification fails when the record was changed in transit', async () => {
  const { page, visit } = await dashboard.signedIn()
  await page.route('**/proof', async (route) => {
    const response = await route.fetch()
    const proof = await response.json()
    await route.fulfill({ response, json: { ...proof, record: { ...proof.record, status: 201 } } })
  })
  await visit(`/audit/${auditId}`)
  await page.getByRole('button', { name: 'Verify record' }).click()
  await page.getByText('Verification failed').waitFor()
})

test('tampering: Home and audit log show an alert until the log is intact again', async () => {
  const { context } = dashboard.server
  const workspaces = await listWorkspaces(context.db, { limit: 1 })
  const intruder = new Intruder(context.db, workspaces?.data[0]?.id ?? '')
  const seal = await intruder.seal()
  await intruder.setSeal(null)
  await checkAuditLogs(context)
  const { page, visit } = await dashboard.signedIn({ at: '/' })
  await page.getByText(/The audit log was tampered with, and no checkpoint is signed/).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: /Review: The audit log was tampered with/ }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The audit log was tampered with' })
  await alert.getByText('the audit seal of the Workspace was removed').waitFor()
  await alert.getByText('gatehouse audit resume').waitFor()
  await expectAccessible(page)
  await intruder.setSeal(seal)
  await checkAuditLogs(context)
  await visit('/audit')
  await page.getByRole('table', { name: 'Records' }).waitFor()
  expect(await page.getByText('The audit log was tampered with').count()).toBe(0)
})

test('audit log: reviewer cannot verify or export, and the page fits a narrow screen', async () => {
  const { page } = await dashboard.signedIn({ role: 'reviewer', isNarrow: true, at: '/audit' })
  await page.getByRole('table', { name: 'Records' }).waitFor()
  expect(await page.getByRole('button', { name: /Verify|Export/ }).count()).toBe(0)
  await expectAccessible(page)
})
