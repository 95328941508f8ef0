import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { startMailServer } from '../../server/test/support/mail-server.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose, confirmed, takeSecret } from './support/dialogs.ts'
import { screenshot } from './support/screenshot.ts'
import { saveView, showView } from './support/views.ts'

/** Deliveries may be loaded again while their webhook is deleted. */
const withoutNotFound = (errors: readonly string[]) => errors.filter((error) => !error.includes('404'))

const smtp = await closeAfterAll(startMailServer())
const mail = { GATEHOUSE_SMTP_URL: smtp.url, GATEHOUSE_MAIL_FROM: 'gatehouse@example.com' }
// The webhook's receiver has a private address.
const dashboard = await startDashboard({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1', ...mail })

test('Workspace: retention and user tokens are saved, and an error is shown at its field', async () => {
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/settings/workspace' })
  const tokens = page.getByRole('region', { name: 'User tokens' })
  const retention = page.getByRole('region', { name: 'Retention' })
  await tokens.getByLabel('Issuer').waitFor()
  expect(await tokens.getByLabel('Issuer').inputValue()).toBe('gatehouse-demo')
  await expectAccessible(page)
  await screenshot(page, 'workspace')

  await retention.getByLabel('Audit records').fill('90')
  await retention.getByLabel('Keep messages forever').press('Space')
  await retention.getByRole('textbox', { name: 'Messages', exact: true }).fill('30')
  await retention.getByRole('button', { name: 'Save retention' }).click()
  await page.getByText('Settings saved.').waitFor()
  await page.reload()
  await retention.getByRole('textbox', { name: 'Messages', exact: true }).waitFor()
  expect(await retention.getByLabel('Audit records').inputValue()).toBe('90 days')
  expect(await retention.getByRole('textbox', { name: 'Messages', exact: true }).inputValue()).toBe('30 days')

  await tokens.getByRole('row', { name: /EdDSA/ }).waitFor()
  await tokens.getByRole('button', { name: 'Edit keys' }).click()
  expect(await tokens.getByLabel('JWKS').inputValue()).toContain('"EdDSA"')
  await tokens.getByText('From a URL').click()
  await tokens.getByLabel('JWKS URL').fill('ftp://keys.example')
  await tokens.getByRole('button', { name: 'Save user tokens' }).click()
  await tokens.getByRole('alert').getByText('Not saved. Correct the field JWKS URL.').waitFor()
  await tokens.getByLabel('JWKS URL').and(page.locator(':focus')).waitFor()
  await tokens.getByText(/^Must /).waitFor()
  expect(await tokens.getByText('settings.').count()).toBe(0)
  await expectAccessible(page)
  expect(consoleErrors.filter((error) => !error.includes('400'))).toEqual([])
})

test('users: owner filters, creates and erases users, and creates an access token', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/settings/users' })
  await page.getByRole('link', { name: 'alice' }).waitFor()
  await choose(page, 'Department', 'engineering')
  await page.waitForURL('**department=engineering*')
  await page.getByRole('link', { name: 'alice' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'bob' }).waitFor()
  await saveView(page, 'Engineers')
  await expectAccessible(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' }).click()
  await page.getByRole('link', { name: 'alice' }).waitFor()
  await showView(page, 'Engineers')
  await page.waitForURL('**department=engineering*')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: 'alice' }).waitFor()

  await page.getByRole('button', { name: 'Create user' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('ID', { exact: true }).fill('erin')
  await form.getByLabel('Username').fill('alice')
  await form.getByLabel('Department').fill('lighthouse')
  await form.getByLabel('Projects').first().fill('beacon')
  await page.keyboard.press('Enter')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await form.getByText('Username is already taken. Choose another.').waitFor()
  await expectAccessible(page)
  await form.getByLabel('Username').fill('Erin')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Erin' }).waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Token created').waitFor()
  expect(await takeSecret(page)).toMatch(/^gu_[\w-]{43}$/)
  await page.getByRole('button', { name: 'Revoke phone' }).waitFor()
  await expectAccessible(page)

  await visit('/settings/projects')
  await page.getByRole('link', { name: 'beacon' }).waitFor()
  await expectAccessible(page)
  await visit('/settings/departments')
  await page.getByRole('link', { name: 'lighthouse' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'lighthouse' }).click()
  await page.getByRole('link', { name: 'erin' }).click()
  await confirmed(page, 'Erase', 'Erase')
  await page.getByRole('heading', { name: 'Users' }).waitFor()
  await page.getByRole('link', { name: 'alice' }).waitFor()
  expect(await page.getByRole('link', { name: 'erin' }).count()).toBe(0)
  expect(consoleErrors.filter((error) => !error.includes('409'))).toEqual([])
})

/** A receiver of webhooks that returns errors until it is repaired. */
async function receiver() {
  let status = 500
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** As it is shown: without what may be a credential. */
    shownUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/…`,
    repair: () => {
      status = 204
    },
    close: () => new Promise((closed) => server.close(closed)),
  }
}

test('webhooks: owner creates one, resends a failed delivery and deletes the webhook', async () => {
  const hook = await receiver()
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/settings/webhooks' })
  await page.getByText('No webhooks yet').waitFor()
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByLabel('URL').fill(hook.url)
  await expectAccessible(page)
  // Without a choice, no texts of messages are sent.
  await page.getByText('Budget alert').first().waitFor()
  expect(await page.getByText('Message created').isVisible()).toBe(false)
  await page.getByLabel('All events').check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  expect(await takeSecret(page)).toMatch(/^whsec_/)
  await expectAccessible(page)

  expect(await page.getByText(hook.url).count()).toBe(0)
  await page.getByRole('link', { name: hook.shownUrl }).click()
  await page.getByText('No deliveries yet').waitFor()
  await dashboard.admin.create('/users', { username: 'new user' })
  // Test servers run no jobs.
  await dashboard.server.context.relay.run()
  const delivery = page.getByRole('row', { name: /contact\.created/ })
  await delivery.getByText('Next attempt').waitFor()
  await delivery.getByText('500').waitFor()
  await expectAccessible(page)
  hook.repair()
  await page.getByRole('button', { name: 'Resend contact.created' }).click()
  await delivery.getByText('Delivered').waitFor()
  await page.getByText('Failed', { exact: true }).click()
  await page.waitForURL('**state=dead*')
  await page.getByText('No matching deliveries').waitFor()

  await confirmed(page, 'Delete', 'Delete')
  await page.getByText('No webhooks yet').waitFor()
  expect(withoutNotFound(consoleErrors)).toEqual([])
  await hook.close()
})

test('notifications: owner tests a Slack webhook, and chooses what comes by e-mail', async () => {
  const hook = await receiver()
  hook.repair()
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/settings/webhooks' })
  await page.getByRole('button', { name: 'Create webhook' }).click()
  const form = page.getByRole('dialog')
  await form.getByText('Slack', { exact: true }).click()
  await form.getByText(/Incoming Webhooks/).waitFor()
  await form.getByLabel('URL').fill(hook.url)
  await form.getByRole('combobox', { name: 'Events' }).click()
  await page.getByRole('option', { name: 'Policy published or rolled back' }).click()
  expect(await page.getByRole('option', { name: 'Message created' }).count()).toBe(0)
  await page.keyboard.press('Tab')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: hook.shownUrl }).click()
  await page.getByText('Hold or escalation opened').waitFor()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test event delivered. The receiver responded with status 204.').waitFor()
  await confirmed(page, 'Delete', 'Delete')
  await page.getByText('No webhooks yet').waitFor()

  await visit('/account')
  const section = page.getByRole('region', { name: 'Notifications' })
  await section.getByLabel('New holds').check()
  await page.getByText('Notifications saved.').waitFor()
  await section.getByRole('button', { name: 'Send test email' }).click()
  await page.getByText('Test email sent.').waitFor()
  expect(smtp.received.map(({ subject }) => subject)).toEqual(['Test e-mail from Gatehouse'])
  await expectAccessible(page)
  await page.reload()
  await section.getByLabel('New holds').waitFor()
  expect(await section.getByLabel('New holds').isChecked()).toBe(true)
  expect(withoutNotFound(consoleErrors)).toEqual([])
  await hook.close()
})

test('settings: are read-only for the role read_only', async () => {
  const { page, visit } = await dashboard.signedIn({ role: 'read_only' })
  for (const [path, heading] of [
    ['/settings/workspace', 'Workspace'],
    ['/settings/users', 'Users'],
    ['/settings/users/alice', 'alice'],
    ['/settings/webhooks', 'Webhooks'],
  ] as const) {
    await visit(path)
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: /^(Create|Save|Rename|Edit|Erase)/ }).count()).toBe(0)
  }
  await visit('/settings/webhooks/whk_01h455vb4pex5vsknk084sn02q')
  await page.getByRole('heading', { name: 'Webhook not found' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
})
