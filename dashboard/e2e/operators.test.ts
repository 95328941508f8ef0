import { expect, test } from 'vitest'
import { totp } from '../../server/test/support/operators.ts'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose, confirmed, dialogsClosed, takeSecret } from './support/dialogs.ts'
import { invite, setPassword, signIn } from './support/sign-in.ts'

const PASSWORD = 'correct horse battery'

const dashboard = await startDashboard()

test('operators: a reviewer is invited, signs in by the link, and is removed', async () => {
  const owner = await dashboard.signedIn({ at: '/settings/operators' })
  await invite(owner.page, { name: 'Rita Reviewer', email: 'rita@example.com' })
  await choose(owner.page, /^Role$/, 'Reviewer')
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  const link = await takeSecret(owner.page)
  await owner.page.getByRole('cell', { name: 'Invited' }).waitFor()
  await owner.page.getByRole('region', { name: 'Single sign-on' }).getByText('Off: operators sign in with a password.').waitFor()
  await expectAccessible(owner.page)
  await owner.page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
  await owner.page.waitForURL('**sort=-name')
  await expect.poll(() => owner.page.locator('tbody tr').first().textContent()).toContain('Rita Reviewer')

  const { page, visit } = await dashboard.windows.open()
  await page.goto(link)
  await page.getByText('Choose a password for rita@example.com.').waitFor()
  await expectAccessible(page)
  await setPassword(page, PASSWORD, 'another')
  await page.getByText('Passwords do not match').waitFor()
  await setPassword(page, PASSWORD)
  await page.getByRole('button', { name: 'Rita Reviewer, account menu' }).waitFor()
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
  const { page } = await dashboard.signedIn({ at: '/settings/operators' })
  await page.getByRole('button', { name: 'Edit Demo owner' }).click()
  await choose(page, /^Role/, 'Auditor')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The last owner of all Workspaces cannot be removed or demoted').waitFor()
})

test('roles: an owner gives a role in one Workspace, whose operator sees only that Workspace, until the role is taken', async () => {
  const admin = dashboard.admin
  const workspace = await admin.workspace('research')
  const owner = await dashboard.signedIn({ at: '/settings/operators' })
  await invite(owner.page, { name: 'Olga Owner', email: 'olga@example.com' })
  await choose(owner.page, 'Role in all Workspaces', 'None')
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  await owner.page.getByText('Choose a role in all Workspaces, or add a Workspace').waitFor()
  await choose(owner.page, 'Add Workspace', 'research')
  await choose(owner.page, 'Role in research', 'Owner')
  await expectAccessible(owner.page)
  await owner.page.getByRole('button', { name: 'Create invitation link' }).click()
  const link = await takeSecret(owner.page)
  await owner.page.getByText('Owner in research').waitFor()

  const olga = await dashboard.windows.open()
  await olga.page.goto(link)
  await setPassword(olga.page, PASSWORD)
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
  await signIn(olga.page, { email: 'olga@example.com', password: PASSWORD })
  await olga.page.getByRole('heading', { name: 'You have no role in any Workspace' }).waitFor()
  await expectAccessible(olga.page)
})

test('admin tokens: owner creates a token with selected scopes and revokes it', async () => {
  const scopes = ['audit:read', 'reviews:read', 'applications:read', 'policies:read', 'people:read']
  await dashboard.admin.create('/tokens', { name: 'reports', scopes })
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/settings/tokens' })
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
  await choose(page, 'Scopes', 'audit:read')
  await page.getByLabel('Name').click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('dialog', { name: 'Token created' }).waitFor()
  const token = await takeSecret(page)
  await expectAccessible(page)
  const request = (path: string) => page.request.get(path, { headers: { authorization: `Bearer ${token}` } })
  expect((await request('/admin/v1/audit')).status()).toBe(200)
  expect((await request('/admin/v1/applications')).status()).toBe(403)
  await confirmed(page, 'Revoke nightly export', 'Revoke')
  await dialogsClosed(page)
  await expect.poll(async () => (await request('/admin/v1/audit')).status()).toBe(401)
  expect(consoleErrors).toEqual([])
})

test('two-factor authentication: is set up with an app, required at sign-in, and a backup code works once', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn()
  await visit('/account')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByLabel('Your password').fill(dashboard.owner.password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  await page.getByLabel('6-digit code').fill(totp(`otpauth://totp/owner?secret=${secret}`))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Save these codes').waitFor()
  await expectAccessible(page)
  const backup = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'I have saved them' }).click()
  await page.getByRole('button', { name: 'Turn off' }).waitFor()
  expect(consoleErrors).toEqual([])

  const other = await dashboard.windows.open()
  const signInByCode = async () => {
    await other.visit('/sign-in?next=/account')
    await signIn(other.page, dashboard.owner)
    await other.page.getByRole('button', { name: 'Use a backup code' }).click()
    await other.page.getByLabel('Backup code').fill(backup)
    await other.page.getByRole('button', { name: 'Continue' }).click()
  }
  await signInByCode()
  await other.page.getByRole('heading', { name: 'Account' }).waitFor()
  await other.page.context().clearCookies()
  await signInByCode()
  await other.page.getByRole('alert').waitFor()
})
