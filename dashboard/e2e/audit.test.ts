import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listWorkspaces } from '../../server/src/applications/workspace-store.ts'
import { checkAuditLogs } from '../../server/src/jobs/audit-jobs.ts'
import { adminClient } from '../../server/test/admin/client.ts'
import { Intruder } from '../../server/test/support/intruder.ts'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

const LONG_MS = 120_000
/** The words of the badges that are wider than what is shown of them, or reach over the edge of their table cell. */
const CUT_BADGES = `[...document.querySelectorAll('.mantine-Badge-root')].filter((badge) => {
  const label = badge.querySelector('.mantine-Badge-label')
  const right = badge.closest('td')?.getBoundingClientRect().right ?? Infinity
  const box = badge.getBoundingClientRect()
  const cut = getComputedStyle(label).overflow !== 'visible' && label.scrollWidth > label.clientWidth
  return box.width > 0 && (cut || label.getBoundingClientRect().width > box.width || box.right > right + 1)
}).map((badge) => badge.textContent)`
const PATIENCE = { timeout: 20_000 }

let dashboard: Dashboard
let auditId: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const { base, demo } = dashboard.server
  const answer = await fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.applications[0]?.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo-mini',
      messages: [{ role: 'user', content: 'Answer jane.roe@brightwater.example.com that we agree.' }],
      governance: { user: { id: 'alice' } },
    }),
  })
  auditId = answer.headers.get('x-audit-id') ?? ''
})
afterAll(() => dashboard?.close())

describe('the audit log', () => {
  test('a request is found, and followed through its twelve stages', async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/audit?endpoint=chat&verdict=allow&user=alice')
    const rows = page.getByRole('table', { name: 'Records' }).getByRole('row')
    await rows.nth(1).waitFor()
    await expectAccessible(page)
    await portrait(page, 'audit')
    await visit(`/audit/${auditId}`)
    for (const stage of ['1. authenticate', '5. authorize', '12. record']) await page.getByText(stage).waitFor()
    await page.getByText('1 × e-mail address').first().waitFor()
    await page.getByRole('link', { name: 'addresses-are-redacted' }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'audit-record')
    expect(await page.content()).not.toContain('jane.roe@')
    expect(complaints).toEqual([])
  })

  test('filters stand in the address, and what finds nothing says so', async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/audit')
    await page.getByRole('textbox', { name: 'User id' }).fill('nobody-of-that-name')
    await page.getByText('Nothing was found').waitFor()
    expect(new URL(page.url()).searchParams.get('user')).toContain('nobody-of-that-name')
  })

  test('audit filters: two fields that are filled within 350 ms both apply', async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/audit')
    await page.getByRole('table', { name: 'Records' }).waitFor()
    await page.getByRole('textbox', { name: 'User id' }).fill('alice')
    await page.getByRole('textbox', { name: 'Status' }).fill('409')
    await page.waitForURL('**status=*')
    await page.getByText('Nothing was found').waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('user'), searchParams.get('status')]).toEqual(['alice', expect.stringContaining('409')])
  })

  test('audit filters: the fields are empty after the link in the navigation cleared the filters', async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/audit?user=alice&status=200')
    await page.getByRole('table', { name: 'Records' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'User id' }).inputValue()).toBe('alice')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click()
    await page.waitForURL((url) => !url.searchParams.has('user'))
    await expect.poll(() => page.getByRole('textbox', { name: 'User id' }).inputValue(), PATIENCE).toBe('')
    expect(await page.getByRole('textbox', { name: 'Status' }).inputValue()).toBe('')
  })

  test('audit filters: a class of statuses finds its records, and a status that is none says so', async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/audit?endpoint=chat')
    const rows = page.getByRole('table', { name: 'Records' }).getByRole('row')
    await rows.nth(1).waitFor()
    await page.getByRole('textbox', { name: 'Status' }).fill('5xx')
    await page.getByText('Nothing was found').waitFor()
    await page.getByRole('textbox', { name: 'Status' }).fill('2xx')
    await rows.nth(1).waitFor()
    await page.getByRole('textbox', { name: 'Status' }).fill('many')
    await page.getByText('Use a status, such as 404, or a class, such as 5xx.').waitFor()
    expect(await rows.count()).toBe(0)
    await expectAccessible(page)
  })

  test(
    'lists: the newest of more than 100 Applications can be chosen',
    async () => {
      const admin = adminClient(dashboard.server)
      for (let made = 1; made <= 103; made += 1) await admin.create('/applications', { name: `numbered ${made}` })
      const { page, visit } = await dashboard.signedIn()
      await visit('/audit')
      await page.getByRole('combobox', { name: 'Application' }).fill('numbered 103')
      await page.getByRole('option', { name: 'numbered 103' }).click()
      await page.waitForURL('**application=app_*')
    },
    LONG_MS,
  )

  test('badges: no word of them is cut at 1280 and at 380 px', async () => {
    const { page, visit } = await dashboard.signedIn()
    for (const path of ['/audit?endpoint=chat', '/policies', '/knowledge', '/providers', `/audit/${auditId}`]) {
      await visit(path)
      await page.locator('main .mantine-Badge-label').first().waitFor()
      for (const width of [1280, 380]) {
        await page.setViewportSize({ width, height: 800 })
        const cut = await page.evaluate(CUT_BADGES)
        expect([path, width, cut]).toEqual([path, width, []])
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    }
  })

  test('the log is verified and exported, and a record proven in the browser', async () => {
    const { page, visit } = await dashboard.signedIn()
    await visit('/audit')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('The log is whole').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()])
    expect(download.suggestedFilename()).toMatch(/^audit-ws_.*\.ndjson$/)
    // The export has signed a checkpoint over all that was there.
    await visit(`/audit/${auditId}`)
    await page.getByRole('button', { name: 'Prove it' }).click()
    await page.getByText('Proven', { exact: true }).waitFor()
    expect(await page.getByText('✗').count()).toBe(0)
  })

  test('a record that was altered on the way is not proven', async () => {
    const { page, visit } = await dashboard.signedIn()
    await page.route('**/proof', async (route) => {
      const response = await route.fetch()
      const proof = await response.json()
      await route.fulfill({ response, json: { ...proof, record: { ...proof.record, status: 201 } } })
    })
    await visit(`/audit/${auditId}`)
    await page.getByRole('button', { name: 'Prove it' }).click()
    await page.getByText('The proof does not hold').waitFor()
  })

  test('a log that was tampered with: a red alert on Home and Audit names what is wrong, until an operator resumes', async () => {
    const { context } = dashboard.server
    const workspaces = await listWorkspaces(context.db, { limit: 1 })
    const intruder = new Intruder(context.db, workspaces?.data[0]?.id ?? '')
    const seal = await intruder.seal()
    await intruder.setSeal(null)
    await checkAuditLogs(context)
    const { page, visit } = await dashboard.signedIn()
    await visit('/')
    await page.getByText(/The audit log was tampered with, and no checkpoint is signed/).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: /See to it: The audit log was tampered with/ }).click()
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

  test('who may only search neither verifies nor exports; it fits a narrow screen', async () => {
    const viewport = { width: 380, height: 800 }
    const { page, visit } = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'), { viewport })
    await visit('/audit')
    await page.getByRole('table', { name: 'Records' }).waitFor()
    expect(await page.getByRole('button', { name: /Verify|Export/ }).count()).toBe(0)
    await expectAccessible(page)
  })
})
