import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { portrait } from './support/portrait.ts'

/** A whole story, in two windows, on a machine that may be busy. */
const STORY_MS = 240_000
const PASSWORD = 'correct horse battery'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test(
  'somebody is invited, chooses a password by the link, sees what their role may, and is removed',
  async () => {
    const owner = await dashboard.signedIn()
    await owner.visit('/settings/operators')
    await owner.page.getByRole('button', { name: 'Invite' }).click()
    await owner.page.getByLabel('Name').fill('Rita Reviewer')
    await owner.page.getByLabel('E-mail').fill('rita@example.com')
    await owner.page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await owner.page.getByRole('option', { name: 'Reviewer' }).click()
    await owner.page.getByRole('button', { name: 'Make a link' }).click()
    const link = (await owner.page.getByRole('dialog').locator('code').textContent()) ?? ''
    await owner.page.getByRole('button', { name: 'I have saved it' }).click()
    await owner.page.getByRole('cell', { name: 'invited' }).waitFor()
    await expectAccessible(owner.page)
    await portrait(owner.page, 'operators')

    const { page, visit } = await dashboard.window()
    await page.goto(link)
    await page.getByText('Choose a password for rita@example.com.').waitFor()
    await expectAccessible(page)
    await portrait(page, 'welcome')
    await page.getByLabel('Password').first().fill(PASSWORD)
    await page.getByLabel('Password, once more').fill('another')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The two differ').waitFor()
    await page.getByLabel('Password, once more').fill(PASSWORD)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Rita Reviewer, account menu' }).waitFor()
    // Reviewers do not see operators: not in the sidebar, and not by the address either.
    expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0)
    await visit('/settings/operators')
    await page.getByRole('heading', { name: 'This page needs the scope operators:read' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()

    await owner.page.reload()
    await owner.page.getByRole('button', { name: 'Remove Rita Reviewer' }).click()
    await owner.page.getByRole('button', { name: 'Remove', exact: true }).click()
    await owner.page.getByRole('cell', { name: 'Rita Reviewer', exact: true }).waitFor({ state: 'detached' })
    await visit('/account')
    await page.waitForURL('**/dashboard/sign-in?next=*')
    expect(owner.complaints).toEqual([])
  },
  STORY_MS,
)

test('the last owner stays one, and is told why', async () => {
  const { page, visit } = await dashboard.signedIn()
  await visit('/settings/operators')
  await page.getByRole('combobox', { name: 'Role of Demo owner' }).click()
  await page.getByRole('option', { name: 'Auditor' }).click()
  await page.getByText('The last owner stays').waitFor()
})

test('an admin token is issued once, with chosen scopes, and revoked', async () => {
  const { page, visit, complaints } = await dashboard.signedIn()
  await visit('/settings/tokens')
  await page.getByRole('button', { name: 'Issue a token' }).click()
  await page.getByLabel('Name').fill('nightly export')
  await page.getByRole('combobox', { name: 'Scopes' }).click()
  await page.getByRole('option', { name: 'audit:read' }).click()
  await page.getByLabel('Name').click()
  await page.getByRole('button', { name: 'Issue', exact: true }).click()
  const token = await page.getByRole('dialog', { name: 'The new token' }).locator('code').textContent()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await expectAccessible(page)
  await portrait(page, 'admin-tokens')
  const asked = (path: string) => page.request.get(path, { headers: { authorization: `Bearer ${token}` } })
  expect((await asked('/admin/v1/audit')).status()).toBe(200)
  expect((await asked('/admin/v1/applications')).status()).toBe(403)
  await page.getByRole('button', { name: 'Revoke nightly export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await asked('/admin/v1/audit')).status()).toBe(401)
  expect(complaints).toEqual([])
})

test(
  'a second factor is set up with an app, and asked for from then on; a backup code serves once',
  async () => {
    const { page, visit, complaints } = await dashboard.signedIn()
    const { email, password } = dashboard.owner
    await visit('/account')
    await expectAccessible(page)
    await portrait(page, 'account')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByLabel('Your password').fill(password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await page.getByLabel('Code of six digits').fill(totp(secret))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Keep these codes').waitFor()
    await expectAccessible(page)
    const backup = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('button', { name: 'Turn off' }).waitFor()
    expect(complaints).toEqual([])

    const other = await dashboard.window()
    const signIn = async () => {
      await other.visit('/sign-in?next=/account')
      await other.page.getByLabel('E-mail').fill(email)
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
  },
  STORY_MS,
)

/** What an authenticator app shows for that key now (RFC 6238). */
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
