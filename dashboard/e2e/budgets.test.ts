import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { completion, json } from '../../server/test/support/scripted-provider.ts'
import { expectAccessible, expectReadable } from './support/accessible.ts'
import { startScriptedDashboard } from './support/dashboard.ts'
import { choose, dialogsClosed, takeSecret } from './support/dialogs.ts'

const dashboard = await startScriptedDashboard()

const application = () => dashboard.server.demo.applications[0] as { id: string; name: string; api_key: string }

/** Sends a chat with which the provider reports so many tokens. */
function chat(tokens: number, user?: string, token?: string) {
  const content = `report ${tokens} tokens`
  const usage = { prompt_tokens: tokens - 7, completion_tokens: 7, total_tokens: tokens }
  dashboard.upstream.on(content, (response) => json(response, 200, completion('Noted.', { usage })))
  const governance = user === undefined ? {} : { governance: { user: { id: user } } }
  return dashboard.chat(
    content,
    { model: 'gpt-demo', max_tokens: 10, governance: undefined, ...governance },
    token === undefined ? {} : { token },
  )
}

const alertsOnHome = (page: Page) => page.getByRole('region', { name: 'Needs attention' })

test('Budgets: a budget that an operator creates is used up by chats, and admits them after its limit is raised', async () => {
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: '/budgets' })
  await page.getByText('No budgets yet').waitFor()
  await expectAccessible(page)
  await createBudget(page)
  await page.getByText('0 tokens').first().waitFor()

  await chat(850)
  await page.getByText('Near limit').waitFor()
  await page.getByText('85 % of the limit').waitFor()
  await page.getByText(/^80 %: /).waitFor()
  await visit('/')
  await alertsOnHome(page).getByText('A budget is near its limit: Support at 85 %.').waitFor()

  await chat(400)
  expect(await chat(50)).toMatchObject({ status: 429, body: { error: { code: 'BUDGET_EXCEEDED' } } })
  await visit('/')
  await alertsOnHome(page).getByText('The budget Support is used up').waitFor()
  await page.getByRole('link', { name: /Review: The budget Support/ }).click()
  await page
    .getByRole('note')
    .getByText(/Requests are refused until/)
    .waitFor()
  await page.getByText(/^100 %: /).waitFor()
  await page.getByText(/by 2 requests/).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Limit in tokens').fill('5000')
  await page.getByRole('button', { name: 'Save' }).click()
  await dialogsClosed(page)
  await page.getByText('3,750 tokens').waitFor()
  expect((await chat(50)).status).toBe(200)
  await visit('/')
  await page.getByRole('heading', { name: 'Latency by stage' }).waitFor()
  expect(await page.getByText('The budget Support').count()).toBe(0)
  expect(consoleErrors).toEqual([])
})

async function createBudget(page: Page): Promise<void> {
  // The second button is in the empty state.
  await page.getByRole('button', { name: 'Create budget' }).last().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Support')
  await choose(page, 'Applies to', 'Applications')
  await choose(page, /^Application$/, application().name)
  await dialog.getByText('1 model has no price: gpt-demo. Its requests will be refused.').waitFor()
  await choose(page, 'Models without a price', 'Count as $0')
  expect(await dialog.getByText('has no price').count()).toBe(0)
  await choose(page, 'Models without a price', 'Refuse requests')
  await expectAccessible(page)
  await choose(page, 'Unit', 'Tokens')
  expect(await dialog.getByText('has no price').count()).toBe(0)
  await dialog.getByLabel('Limit in tokens').fill('1000')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor()
  await dialogsClosed(page)
}

test('Budgets: the list shows states and highest members, and the page of a budget its members and their alerts', async () => {
  const admin = dashboard.admin
  const month = { period: 'month', unit: 'tokens' }
  const each = await admin.create('/budgets', { name: 'Each user', scope: 'user', limit: 1_000, ...month })
  await admin.create('/budgets', {
    name: 'Company',
    scope: 'workspace',
    limit: 120_000,
    period: 'month',
    unit: 'usd',
    unpriced: 'ignore',
  })
  await admin.create('/budgets', { name: 'Closed', scope: 'workspace', limit: 0, ...month, enabled: false })
  await chat(900, 'alice')
  await chat(100, 'bob')
  const { page, consoleErrors } = await dashboard.signedIn({ at: '/budgets' })
  const rowOf = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  await rowOf('Each user').getByText('Near limit').waitFor()
  await rowOf('Each user').getByText('Highest: alice').waitFor()
  await rowOf('Each user').getByText('900 of 1,000 tokens').waitFor()
  await rowOf('Company').getByText('of $120,000.00').waitFor()
  await rowOf('Closed').getByText('Disabled').waitFor()
  await expectAccessible(page)

  await rowOf('Each user').getByRole('link').click()
  await page.waitForURL(`**/budgets/${each.id}`)
  const members = page.getByRole('table', { name: 'Users' }).getByRole('row')
  await members
    .filter({ hasText: 'alice' })
    .getByText(/^80 %: /)
    .waitFor()
  await members.filter({ hasText: 'bob' }).getByText('100 of 1,000 tokens').waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Exact name or ID' }).fill('bob')
  await page.waitForURL('**member=bob*')
  await expect.poll(() => members.count()).toBe(2)
  expect(consoleErrors).toEqual([])
})

test('Budgets: role reviewer sees counts, but neither members nor buttons', async () => {
  const { page } = await dashboard.signedIn({ role: 'reviewer', isNarrow: true, at: '/budgets' })
  await page.getByRole('link', { name: 'Each user' }).click()
  await page.getByRole('heading', { name: 'Current window' }).waitFor()
  expect(await page.getByRole('button', { name: /Edit|Delete|Create/ }).count()).toBe(0)
  expect(await page.getByRole('heading', { name: 'Users' }).count()).toBe(0)
})

test('Budgets: the page of a budget that is gone links to the others, and an error can be retried', async () => {
  const { page } = await dashboard.signedIn({ at: '/budgets/bud_01h455vb4pex5vsknk084sn02q' })
  await page.getByText('Budget not found').waitFor()
  await expectAccessible(page)
  const isList = ({ pathname }: URL) => pathname === '/admin/v1/budgets'
  await page.route(isList, (route) => route.fulfill({ status: 503, json: {} }))
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute(isList)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Each user' }).waitFor()
})

test.each([false, true])(
  'team with a budget: from the empty list to a refusal, its keys and its usage, narrow %s',
  async (isNarrow) => {
    const name = `Research ${isNarrow}`
    const { page, visit, consoleErrors } = await dashboard.signedIn({ isNarrow, at: '/teams' })
    await expectReadable(page)
    await page.getByRole('button', { name: 'Create team' }).first().click()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('Requests per minute').fill('500')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await expectReadable(page)
    await createTeamBudget(page, name)
    await visit(`/applications/${application().id}?tab=keys`)
    const key = await createTeamKey(page, name)
    expect((await chat(80, undefined, key)).status).toBe(200)
    expect(await chat(80, undefined, key)).toMatchObject({ status: 429, body: { error: { code: 'BUDGET_EXCEEDED' } } })
    await visit('/teams')
    await page.getByText('500 requests/min').first().waitFor()
    await page.getByRole('link', { name }).click()
    await page.getByRole('link', { name: `Tokens of ${name}` }).waitFor()
    await page.getByText('80 % of 100 tokens').waitFor()
    await page.getByText('batch', { exact: true }).waitFor()
    await page.getByRole('table', { name: 'Usage by Application (30 days)' }).getByText(application().name).waitFor()
    await expectReadable(page)
    await page.getByRole('link', { name: 'Open usage' }).click()
    await page
      .getByText(/^batch \(/)
      .first()
      .waitFor()
    await expectReadable(page)
    expect(consoleErrors).toEqual([])
  },
)

async function createTeamBudget(page: Page, team: string): Promise<void> {
  await page.getByRole('link', { name: 'Create budget' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create budget' })
  await dialog.getByLabel('Name').fill(`Tokens of ${team}`)
  await expect.poll(() => dialog.getByLabel('Team', { exact: true }).and(page.locator('input')).inputValue()).toBe(team)
  await choose(page, 'Unit', 'Tokens')
  await dialog.getByLabel('Limit in tokens').fill('100')
  await expectReadable(page)
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText(`Team ${team}`).first().waitFor()
}

/** Returns the key. */
async function createTeamKey(page: Page, team: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill('batch')
  // The list behind the dialog has a filter of this name.
  await page.getByRole('dialog').getByRole('combobox', { name: 'Team' }).click()
  await page.getByRole('option', { name: team }).click()
  await expectReadable(page)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  return takeSecret(page)
}
