import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { operatorOf } from './support/operator.ts'
import { portrait } from './support/portrait.ts'

const STORY_MS = 240_000

let dashboard: Dashboard
beforeAll(async () => {
  // The webhook's receiver is on this machine.
  dashboard = await startDashboard({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' })
})
afterAll(() => dashboard?.close())

test(
  'the Workspace: who signs user tokens, and how long things are kept; what is refused is told at its field',
  async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/settings/workspace')
    const tokens = page.getByRole('region', { name: 'User tokens' })
    const retention = page.getByRole('region', { name: 'Retention' })
    await tokens.getByLabel('Issuer').waitFor()
    expect(await tokens.getByLabel('Issuer').inputValue()).toBe('gatehouse-demo')
    await expectAccessible(page)
    await portrait(page, 'workspace')

    await retention.getByLabel('Audit records are kept for').fill('90')
    await retention.getByLabel('Messages are kept for ever').uncheck({ force: true })
    await retention.getByRole('textbox', { name: 'Messages are kept for', exact: true }).fill('30')
    await retention.getByRole('button', { name: 'Save retention' }).click()
    await page.getByText('Saved.').waitFor()
    await page.reload()
    await retention.getByRole('textbox', { name: 'Messages are kept for', exact: true }).waitFor()
    expect(await retention.getByLabel('Audit records are kept for').inputValue()).toBe('90 days')
    expect(await retention.getByRole('textbox', { name: 'Messages are kept for', exact: true }).inputValue()).toBe('30 days')

    await tokens.getByText('Keys at a URL').click()
    await tokens.getByLabel('JWKS URL').fill('ftp://keys.example')
    await tokens.getByRole('button', { name: 'Save user tokens' }).click()
    await tokens.getByText(/settings\.jwks\.url/).waitFor()
    await expectAccessible(page)
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([])
  },
  STORY_MS,
)

test(
  'users are found, made, put into a department and a project, given a token, and erased',
  async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/settings/users')
    await page.getByRole('link', { name: 'alice' }).waitFor()
    await page.getByLabel('Department', { exact: true }).fill('engineering')
    await page.waitForURL('**department=engineering*')
    await page.getByRole('link', { name: 'alice' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'bob' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear Department' }).click()
    await page.getByRole('link', { name: 'alice' }).waitFor()
    await portrait(page, 'users')

    await page.getByRole('button', { name: 'New user' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Id', { exact: true }).fill('erin')
    await form.getByLabel('Username').fill('alice')
    await form.getByLabel('Department').fill('lighthouse')
    await form.getByLabel('Projects').first().fill('beacon')
    await page.keyboard.press('Enter')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('There is a user of that username already.').waitFor()
    await expectAccessible(page)
    await form.getByLabel('Username').fill('Erin')
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Erin' }).waitFor()
    await page.getByLabel('Name of the new token').fill('phone')
    await page.getByRole('button', { name: 'Issue a token' }).click()
    expect(await page.getByRole('dialog').locator('code').textContent()).toMatch(/^\w+_\w+/)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Revoke phone' }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'user')

    await visit('/settings/projects')
    await page.getByRole('link', { name: 'beacon' }).waitFor()
    await expectAccessible(page)
    await portrait(page, 'projects')
    await visit('/settings/departments')
    await expectAccessible(page)
    await portrait(page, 'departments')
    await page.getByRole('link', { name: 'lighthouse' }).click()
    await page.getByRole('link', { name: 'erin' }).click()
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await page.getByRole('link', { name: 'alice' }).waitFor()
    expect(await page.getByRole('link', { name: 'erin' }).count()).toBe(0)
    expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([])
  },
  STORY_MS,
)

/** A service that is told of events, and refuses them until it is mended. */
async function receiver() {
  let status = 500
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    mend: () => {
      status = 204
    },
    close: () => new Promise((closed) => server.close(closed)),
  }
}

test(
  'a webhook is added, its deliveries are followed and sent again, and it is deleted',
  async () => {
    const hook = await receiver()
    const { page, visit, complaints } = await dashboard.signedIn()
    await visit('/settings/webhooks')
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill(hook.url)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create' }).click()
    expect(await page.getByRole('dialog').locator('code').textContent()).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await expectAccessible(page)
    await portrait(page, 'webhooks')

    await page.getByRole('link', { name: hook.url }).click()
    await page.getByText('Nothing was sent yet').waitFor()
    const { status } = await fetch(`${dashboard.server.base}/admin/v1/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${dashboard.server.demo.admin_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'somebody new' }),
    })
    expect(status).toBe(201)
    // Elsewhere a job does it every now and then.
    await dashboard.server.context.relay.run()
    const delivery = page.getByRole('row', { name: /contact\.created/ })
    await delivery.getByText('next try').waitFor()
    await delivery.getByText('500').waitFor()
    await expectAccessible(page)
    await portrait(page, 'webhook')
    hook.mend()
    await page.getByRole('button', { name: 'Send again: contact.created' }).click()
    await delivery.getByText('delivered').waitFor()
    await page.getByText('Given up', { exact: true }).click()
    await page.waitForURL('**state=dead*')
    await page.getByText('None like that').waitFor()

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect(complaints).toEqual([])
    await hook.close()
  },
  STORY_MS,
)

test(
  'who may only read sees settings and changes none; a reviewer is not shown them',
  async () => {
    const reader = await dashboard.signedIn(await operatorOf(dashboard, 'read_only'))
    for (const [path, heading] of [
      ['/settings/workspace', 'Workspace'],
      ['/settings/users', 'Users'],
      ['/settings/users/alice', 'alice'],
      ['/settings/webhooks', 'Webhooks'],
    ] as const) {
      await reader.visit(path)
      await reader.page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      expect(await reader.page.getByRole('button', { name: /^(New|Save|Rename|Change|Erase|Issue)/ }).count()).toBe(0)
    }
    const reviewer = await dashboard.signedIn(await operatorOf(dashboard, 'reviewer'))
    await reviewer.visit('/settings/workspace')
    await reviewer.page.getByRole('heading', { name: 'This page needs the scope workspaces:read' }).waitFor()
    expect(await reviewer.page.getByRole('link', { name: 'Users' }).count()).toBe(0)
  },
  STORY_MS,
)
