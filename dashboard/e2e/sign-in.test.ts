import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { screenshot } from './support/screenshot.ts'
import { signIn } from './support/sign-in.ts'

/** Compressed scripts. */
const SIGNED_OUT_BYTES = 235_000
const HOME_BYTES = 220_000

const dashboard = await startDashboard()

test('redirects: / opens the dashboard, and pages open the sign-in page without a session', async () => {
  const { page, visit } = await dashboard.windows.open()
  await page.goto('/')
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor()
  await visit('/settings/tokens')
  await page.waitForURL('**/dashboard/sign-in?next=*')
  await expectAccessible(page)
  await screenshot(page, 'sign-in')
})

test('password: a wrong one shows an error, and the right one opens the requested page', async () => {
  const { page, visit, consoleErrors } = await dashboard.windows.open()
  const { email, password } = dashboard.owner
  await visit('/settings/operators')
  await signIn(page, { email, password: 'not the password' })
  await page.getByRole('alert').getByText('Invalid email or password').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Password').first().fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Operators' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/dashboard/settings/operators')
  await page.getByRole('cell', { name: email }).waitFor()
  // The refused sign-in causes the only console errors.
  expect(consoleErrors.filter((error) => !error.includes('401'))).toEqual([])
})

test('sign-out: ends the session and opens the sign-in page', async () => {
  const { page, visit } = await dashboard.signedIn({ role: 'owner', at: '/account' })
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor()
  const response = await page.request.get('/admin/v1/session')
  expect(response.status()).toBe(401)
  await visit('/account')
  await page.waitForURL('**/dashboard/sign-in?next=*')
})

test('redirects: the page after the sign-in is always one of the dashboard', async () => {
  const { page, visit } = await dashboard.windows.open()
  await visit('/sign-in?next=//elsewhere.example/dashboard/')
  await signIn(page, dashboard.owner)
  await page.getByRole('button', { name: /account menu/ }).waitFor()
  expect(new URL(page.url()).origin).toBe(dashboard.server.base)
})

interface Script {
  readonly size: number
  readonly cached: string | undefined
  readonly encoding: string | undefined
}

/** Opens Home and returns the scripts that it loads. */
async function scriptsOfHome(page: Page): Promise<Script[]> {
  const scripts: Script[] = []
  page.on('response', (response) => {
    const headers = response.headers()
    if (!headers['content-type']?.includes('javascript')) return
    const { 'content-length': size, 'cache-control': cached, 'content-encoding': encoding } = headers
    scripts.push({ size: Number(size), cached, encoding })
  })
  await page.goto('/dashboard/', { waitUntil: 'networkidle' })
  return scripts
}

test.each([
  { state: 'signed out', title: 'Sign in to Gatehouse', limit: SIGNED_OUT_BYTES },
  { state: 'signed in', title: 'Home', limit: HOME_BYTES },
])('scripts: Home loads few bytes when $state, compressed and cached', async ({ state, title, limit }) => {
  const window = await dashboard.windows.openNew()
  const { page } = state === 'signed in' ? await dashboard.signedIn({ window }) : window
  const scripts = await scriptsOfHome(page)
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  expect(scripts.length).toBeGreaterThan(1)
  for (const { cached, encoding } of scripts) {
    expect(cached).toBe('public, max-age=31536000, immutable')
    expect(encoding).toMatch(/^(br|gzip)$/)
  }
  const bytes = scripts.reduce((sum, { size }) => sum + size, 0)
  console.info(`first load, ${state}: ${Math.round(bytes / 1_000)} kB of compressed script`)
  expect(bytes).toBeLessThan(limit)
})

test('content security policy: allows only own scripts and no frames', async () => {
  const { page } = await dashboard.windows.open()
  const response = await page.request.get('/dashboard/any/path')
  const policy = response.headers()['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
  expect(await response.text()).toContain(`nonce="${nonce}"`)
  expect((await page.request.get('/dashboard/any/path')).headers()['content-security-policy']).not.toBe(policy)
})
