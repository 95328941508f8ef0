import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { dialogsClosed } from './support/dialogs.ts'

const PASSWORD = 'correct horse battery'

const dashboard = await startDashboard()

test('operators: a reviewer is invited, signs in by the link, sees the pages of the role, and is removed', async () => {
  const owner = await dashboard.signedIn()
  await owner.visit('/settings/operators')
  await owner.page.getByRole('button', { name: 'Invite operator' }).click()
  await owner.page.getByLabel('Name').fill('Rita Reviewer')
  await owner.page.getByLabel('Email').fill('rita@example.com')
  await owner.page.getByRole('combobox', { name: 'Role', exact: true }).click()
  await owner.page.getByRole('option', { name: 'Reviewer' }).click()
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  const link = (await owner.page.getByRole('dialog').locator('code').textContent()) ?? ''
  await owner.page.getByRole('button', { name: 'I have saved it' }).click()
  await owner.page.getByRole('cell', { name: 'Invited' }).waitFor()
  await expectAccessible(owner.page)
  await owner.page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await owner.page.waitForURL('**sort=-name')
  await expect.poll(() => owner.page.locator('tbody tr').first().textContent()).toContain('Rita Reviewer')

  const { page, visit } = await dashboard.windows.open()
  await page.goto(link)
  await page.getByText('Choose a password for rita@example.com.').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Password').first().fill(PASSWORD)
  await page.getByLabel('Confirm password').fill('another')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Passwords do not match').waitFor()
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Rita Reviewer, account menu' }).waitFor()
  // Reviewers have no access to operators, neither in the sidebar nor by URL.
  expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0)
  await visit('/settings/operators')
  await page.getByRole('heading', { name: 'This page requires the scope operators:read' }).waitFor()
  await page.goto(link)
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()

  await owner.page.reload()
  await owner.page.getByRole('button', { name: 'Remove Rita Reviewer' }).click()
  await owner.page.getByRole('button', { name: 'Remove', exact: true }).click()
  await owner.page.getByRole('cell', { name: 'Rita Reviewer', exact: true }).waitFor({ state: 'detached' })
  await visit('/account')
  await page.waitForURL('**/dashboard/sign-in?next=*')
  expect(owner.consoleErrors).toEqual([])
})

test('roles: the last owner cannot change the own role', async () => {
  const { page, visit } = await dashboard.signedIn()
  await visit('/settings/operators')
  await page.getByRole('button', { name: 'Edit Demo owner' }).click()
  await page.getByRole('combobox', { name: /^Role/ }).click()
  await page.getByRole('option', { name: 'Auditor' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The last owner of all Workspaces cannot be removed or demoted').waitFor()
})

test('roles: an owner gives a role in one Workspace, whose operator sees only that Workspace, until the role is taken', async () => {
  const admin = dashboard.admin
  const workspace = await admin.workspace('research')
  const owner = await dashboard.signedIn()
  await owner.visit('/settings/operators')
  await owner.page.getByRole('button', { name: 'Invite operator' }).click()
  await owner.page.getByLabel('Name').fill('Olga Owner')
  await owner.page.getByLabel('Email').fill('olga@example.com')
  await owner.page.getByRole('combobox', { name: 'Role in all Workspaces' }).click()
  await owner.page.getByRole('option', { name: 'None' }).click()
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  await owner.page.getByText('Choose a role in all Workspaces, or add a Workspace').waitFor()
  await owner.page.getByRole('combobox', { name: 'Add Workspace' }).click()
  await owner.page.getByRole('option', { name: 'research' }).click()
  await owner.page.getByRole('combobox', { name: 'Role in research' }).click()
  await owner.page.getByRole('option', { name: 'Owner' }).click()
  await expectAccessible(owner.page)
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  const link = (await owner.page.getByRole('dialog').locator('code').textContent()) ?? ''
  await owner.page.getByRole('button', { name: 'I have saved it' }).click()
  await owner.page.getByText('Owner in research').waitFor()

  const olga = await dashboard.windows.open()
  await olga.page.goto(link)
  await olga.page.getByLabel('Password').first().fill(PASSWORD)
  await olga.page.getByLabel('Confirm password').fill(PASSWORD)
  await olga.page.getByRole('button', { name: 'Continue' }).click()
  await olga.page.getByRole('button', { name: 'Olga Owner, account menu' }).waitFor()
  await olga.visit('/settings/workspace')
  await olga.page.getByText(workspace).waitFor()
  expect(await olga.page.getByRole('button', { name: 'Create Workspace' }).count()).toBe(0)
  await olga.visit('/?workspace=nowhere')
  await olga.page.getByRole('heading', { name: 'This Workspace does not exist, or you have no role in it' }).waitFor()
  await expectAccessible(olga.page)

  await owner.page.getByRole('button', { name: 'Edit Olga Owner' }).click()
  await owner.page.getByRole('button', { name: 'Remove research' }).click()
  await owner.page.getByRole('button', { name: 'Save' }).click()
  await owner.page.getByText('No role').waitFor()
  await olga.visit('/sign-in')
  await olga.page.getByLabel('Email').fill('olga@example.com')
  await olga.page.getByLabel('Password').first().fill(PASSWORD)
  await olga.page.getByRole('button', { name: 'Sign in' }).click()
  await olga.page.getByRole('heading', { name: 'You have no role in any Workspace' }).waitFor()
  await expectAccessible(olga.page)
})

test('admin tokens: owner creates a token with selected scopes and revokes it', async () => {
  const scopes = ['audit:read', 'reviews:read', 'applications:read', 'policies:read', 'people:read']
  await dashboard.admin.create('/tokens', { name: 'reports', scopes })
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  await visit('/settings/tokens')
  await page.getByText('All scopes').waitFor()
  const more = page.getByRole('button', { name: '+2: show all scopes of reports' })
  expect(await more.textContent()).toBe('+2')
  await more.press('Enter')
  await page.getByRole('dialog', { name: 'Scopes' }).getByText('audit:read').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Scopes' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByLabel('Name').fill('nightly export')
  await page.getByRole('combobox', { name: 'Scopes' }).click()
  await page.getByRole('option', { name: 'audit:read' }).click()
  await page.getByLabel('Name').click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const token = await page.getByRole('dialog', { name: 'Token created' }).locator('code').textContent()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expectAccessible(page)
  const request = (path: string) => page.request.get(path, { headers: { authorization: `Bearer ${token}` } })
  expect((await request('/admin/v1/audit')).status()).toBe(200)
  expect((await request('/admin/v1/applications')).status()).toBe(403)
  await page.getByRole('button', { name: 'Revoke nightly export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await dialogsClosed(page)
  await expect.poll(async () => (await request('/admin/v1/audit')).status()).toBe(401)
  expect(consoleErrors).toEqual([])
})

test('two-factor authentication: is set up with an app, required at sign-in, and a backup code works once', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  const { email, password } = dashboard.owner
  await visit('/account')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  await page.getByLabel('6-digit code').fill(totp(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Save these codes').waitFor()
  await expectAccessible(page)
  const backup = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  expect(consoleErrors).toEqual([])

  const other = await dashboard.windows.open()
  const signIn = async () => {
    await other.visit('/sign-in?next=/account')
    await other.page.getByLabel('Email').fill(email)
    await other.page.getByLabel('Password').first().fill(password)
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByRole('button', { name: 'Use a backup code' }).click()
    await other.page.getByLabel('Backup code').fill(backup)
    await other.page.getByRole('button', { name: 'Continue' }).click()
  }
  await signIn()
  await other.page.getByRole('heading', { name: 'Account' }).waitFor()
  await other.page.context().clearCookies()
  await signIn()
  await other.page.getByRole('alert').waitFor()
})

/** Current code of an authenticator app (RFC 6238). */
function totp(secret: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
