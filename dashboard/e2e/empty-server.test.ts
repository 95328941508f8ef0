import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../../server/test/support/close-after-all.ts'
import { startScriptedProvider } from '../../server/test/support/scripted-provider.ts'
import { expectAccessible, expectReadable } from './support/accessible.ts'
import { countActions } from './support/count-actions.ts'
import { startDashboard } from './support/dashboard.ts'
import { dialogsClosed } from './support/dialogs.ts'
import { firstLogin } from './support/sign-in.ts'

const OWNER = { name: 'Olivia Owner', email: 'olivia@example.com', password: 'a long test password', workspace: 'acme' }
const NO_WORKSPACE = 'This server has no Workspace yet'
const MOST_CLICKS = 10

/** The identity provider does not respond. */
const SINGLE_SIGN_ON = {
  GATEHOUSE_OIDC_ISSUER: 'http://127.0.0.1:1',
  GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
  GATEHOUSE_OIDC_CLIENT_SECRET: 'the secret of the client',
  GATEHOUSE_OIDC_NAME: 'Example ID',
  GATEHOUSE_OIDC_ROLE_CLAIM: 'groups',
  GATEHOUSE_OIDC_ROLES: 'admins=owner',
}

const upstream = await closeAfterAll(startScriptedProvider())
const dashboard = await startDashboard({ GATEHOUSE_DEMO: '0', ...SINGLE_SIGN_ON })
const EMPTY = { GATEHOUSE_DEMO: '0' }
const emptyWide = await startDashboard(EMPTY)
const emptyNarrow = await startDashboard(EMPTY)

test('sign-in: a server without operators names the command for the first link, and a failed single sign-on its cause', async () => {
  const { page, visit } = await dashboard.windows.open()
  await visit('/')
  await page.getByRole('heading', { name: 'No operator yet', level: 1 }).waitFor()
  await page.getByText('gatehouse operator first-login', { exact: true }).waitFor()
  expect(await page.getByLabel('Email').count()).toBe(0)
  await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
  await page.getByRole('alert').getByText('Example ID does not respond. Sign in with a password, or try again.').waitFor()
  await expectAccessible(page)
  for (const [error, cause] of [
    ['no_role', 'Your account has no role in Gatehouse.'],
    ['email_not_verified', 'Your identity provider has not verified your email address.'],
    ['signup_disabled', 'No operator has your email address.'],
    ['unable_to_get_user_info', 'Single sign-on failed (unable_to_get_user_info).'],
  ] as const) {
    await visit(`/sign-in?error=${error}`)
    await page.getByRole('alert').getByText(cause).waitFor()
  }
})

test('empty server: each page offers to create the first Workspace when the welcome form could not', async () => {
  const { page, visit } = await dashboard.windows.open()
  const creation = '**/admin/v1/workspaces'
  await page.route(creation, (route) => route.abort())
  await firstLogin(dashboard, page, OWNER)
  await page.getByRole('alert').getByText('Cannot reach the server.').waitFor()
  await page.unroute(creation)
  await visit('/')
  await page.getByRole('heading', { name: NO_WORKSPACE }).waitFor()
  await expectAccessible(page)

  const paths = await pathsOfSidebar(page)
  expect(paths).toContain('/settings/workspace')
  for (const path of paths) {
    await visit(path)
    await page.getByRole('heading', { name: NO_WORKSPACE }).waitFor()
    await page.getByRole('button', { name: 'Create Workspace' }).waitFor()
  }
  await visit('/account')
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()

  await visit('/settings/workspace')
  await page.getByRole('button', { name: 'Create Workspace' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('region', { name: 'Get started' }).getByText('0 of 6 steps done').waitFor()
  await page.getByTitle('Workspace: acme').waitFor()
  await page.getByRole('heading', { name: 'No Applications yet' }).waitFor()
  await page.getByRole('link', { name: 'Create an Application' }).last().click()
  await page.getByRole('dialog', { name: 'Create Application' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Write a policy' }).click()
  await page.waitForURL('**/dashboard/policies/drafts/*')
  await visit('/settings/workspace')
  await page.getByRole('heading', { name: 'General' }).waitFor()

  await visit('/settings/operators')
  const singleSignOn = page.getByRole('region', { name: 'Single sign-on' })
  await singleSignOn.getByText('The issuer does not respond.').waitFor()
  await singleSignOn.getByText('Owner in all Workspaces').waitFor()
  await expectAccessible(page)
})

test.each([
  { width: 1280, colorScheme: 'light' },
  { width: 380, colorScheme: 'dark' },
] as const)(
  `empty server: a governed answer of an own provider in ${MOST_CLICKS} clicks after the first link at $width pixels`,
  async ({ width, colorScheme }) => {
    const isWide = width === 1280
    const empty = isWide ? emptyWide : emptyNarrow
    const { page, consoleErrors } = await empty.windows.openNew({ viewport: { width, height: 800 }, colorScheme })
    const takeActions = await countActions(page)
    const check = async () => {
      if (isWide) await expectReadable(page)
    }
    await firstLogin(empty, page, OWNER, check)
    const checklist = page.getByRole('region', { name: 'Get started' })
    await page.getByTitle('Workspace: acme').waitFor()
    await check()

    await checklist.getByRole('link', { name: 'Add your provider' }).click()
    await page.getByRole('textbox', { name: 'ID', exact: true }).fill('inhouse')
    await page.getByLabel('Base URL').fill(upstream.url)
    await page.getByLabel('API key').fill('sk-scripted')
    await page.getByRole('switch', { name: 'Allow private addresses' }).click()
    await check()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'inhouse', exact: true }).waitFor()
    await dialogsClosed(page)
    await page.getByRole('button', { name: 'Test connection to inhouse' }).click()
    // The only model is selected already.
    await page.getByRole('checkbox', { name: 'scripted', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Add selected models' }).click()
    await page.getByText('1 model added.').waitFor()
    await page.keyboard.press('Escape')
    await dialogsClosed(page)
    await check()

    await page.getByRole('link', { name: 'Gatehouse, Home' }).click()
    await checklist.getByRole('link', { name: 'Create an Application' }).click()
    await page.getByLabel('Name').fill('portal')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'portal', exact: true }).waitFor()
    await dialogsClosed(page)
    await check()
    await page.locator('#content').getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor()
    await page.keyboard.press('Enter')
    const log = page.getByRole('log')
    await log.getByText('You said: Hello').waitFor()
    await log.getByText('Allowed').waitFor()
    await check()

    const { clicks, fields } = takeActions()
    console.info(`from the first link to a governed answer at ${width} pixels: ${clicks} clicks, ${fields} fields`)
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS)
    expect(consoleErrors).toEqual([])
  },
)

/** Paths of the sidebar's pages: `/settings/workspace`. */
async function pathsOfSidebar(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  return paths.filter((path) => path.startsWith('/dashboard')).map((path) => path.slice('/dashboard'.length) || '/')
}
