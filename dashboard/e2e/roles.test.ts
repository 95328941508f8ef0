import { describe, expect, test } from 'vitest'
import { ROLE_SCOPES, ROLES } from '../../server/src/shared/operator.ts'
import app from '../src/texts/en/app.json' with { type: 'json' }
import { startDashboard } from './support/dashboard.ts'
import { readFeatures } from './support/features.ts'

const features = await readFeatures()
const pages = features.flatMap((feature) => feature.pages)
const entries = features.flatMap(({ navigation = [] }) => navigation)
const nameOf = (label: string): string => (app.navigation.pages as Readonly<Record<string, string>>)[label] ?? label

const dashboard = await startDashboard()

describe.each(ROLES.filter((role) => role !== 'owner'))('%s', (role) => {
  const isMissing = (scope: string | undefined) => scope !== undefined && !ROLE_SCOPES[role].some((has) => has === scope)

  test('role: sidebar has its pages, and other pages name the missing scope', async () => {
    const { page, consoleErrors } = await dashboard.signedIn({ role, at: '/' })
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    // The session is loaded when the page is.
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    const labels = (await links.allTextContents()).filter((label) => label !== app.navigation.documentation)
    expect(labels.toSorted()).toEqual(
      entries
        .filter(({ scope }) => !isMissing(scope))
        .map(({ label }) => nameOf(label))
        .toSorted(),
    )
    for (const label of labels) {
      await links.getByText(label, { exact: true }).click()
      await page.getByRole('heading', { name: label, exact: true, level: 1 }).waitFor()
      expect(await page.getByText(/^This page requires the scope/).count(), label).toBe(0)
    }
    const forbidden = pages.filter(({ scope }) => isMissing(scope))
    expect(forbidden.length).toBeGreaterThan(0)
    for (const { path, scope } of forbidden) {
      await page.evaluate(`history.pushState({}, '', '/dashboard${path.replaceAll('$id', 'none')}')`)
      await page.waitForURL(`**/dashboard${path.replaceAll('$id', 'none')}`)
      await page.getByRole('heading', { name: `This page requires the scope ${scope}`, exact: true }).waitFor()
    }
    // Allowed pages send no refused requests.
    expect(consoleErrors).toEqual([])
  })
})
