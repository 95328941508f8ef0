import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLES } from '../../server/src/domain/operator.ts'
import { ROLE_SCOPES } from '../../server/src/domain/roles.ts'
import type { Json } from '../../server/test/admin/client.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'
import { readFeatures } from './support/features.ts'
import { operatorOf } from './support/operator.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly scope: string
}

const features = await readFeatures()
const pages = features.flatMap((feature) => feature.pages)
const entries = features.flatMap(({ navigation = [] }) => navigation)

let dashboard: Dashboard
let operations: readonly Operation[]
beforeAll(async () => {
  dashboard = await startDashboard()
  operations = await operationsOf(dashboard.server.base)
})
afterAll(() => dashboard?.close())

/** Of each scope one operation of the admin API that needs it. */
async function operationsOf(base: string): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as Json
  const all = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, { 'x-gatehouse-scope': scope }]): [string, Operation] => [
      scope,
      { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'none'), scope },
    ]),
  )
  return [...new Map(all.filter(([scope]) => scope)).values()]
}

describe.each(ROLES.filter((role) => role !== 'owner'))('%s', (role) => {
  const lacks = (scope: string | undefined) => scope !== undefined && !ROLE_SCOPES[role].some((has) => has === scope)

  test('finds its pages in the sidebar, is told what the others need, and is refused by the server as well', async () => {
    const { page, visit, complaints } = await dashboard.signedIn(await operatorOf(dashboard, role))
    await visit('/')
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    // Once the page is there, it is known who asks.
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    const labels = await links.allTextContents()
    expect(labels.toSorted()).toEqual(
      entries
        .filter(({ scope }) => !lacks(scope))
        .map(({ label }) => label)
        .toSorted(),
    )
    for (const label of labels) {
      await links.getByText(label, { exact: true }).click()
      await page.getByRole('heading', { name: label, exact: true, level: 1 }).waitFor()
      expect(await page.getByText(/^This page needs the scope/).count(), label).toBe(0)
    }
    const forbidden = pages.filter(({ scope }) => lacks(scope))
    expect(forbidden.length).toBeGreaterThan(0)
    for (const { path, scope } of forbidden) {
      await page.evaluate(`history.pushState({}, '', '/dashboard${path.replaceAll('$id', 'none')}')`)
      await page.waitForURL(`**/dashboard${path.replaceAll('$id', 'none')}`)
      await page.getByRole('heading', { name: `This page needs the scope ${scope}`, exact: true }).waitFor()
    }
    // What it may see asks for nothing that it may not.
    expect(complaints).toEqual([])

    const refused = operations.filter(({ scope }) => lacks(scope))
    const answers = await page.evaluate(
      (all) =>
        Promise.all(
          all.map(async ({ method, path }) => {
            const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }
            const answer = await fetch(path, { method, headers: { 'content-type': 'application/json' }, ...body })
            return `${answer.status} ${await answer.text()}`
          }),
        ),
      refused,
    )
    for (const [index, { scope }] of refused.entries()) {
      expect(answers[index]).toMatch(/^403 /)
      expect(answers[index]).toContain(`the scope ${scope},`)
    }
  })
})
