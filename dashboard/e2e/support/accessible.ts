import { appendFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Look } from '../../scripts/portraits.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const COLOURS_HAVE_CHANGED = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished),
).then(() => undefined)`
const GRAVE = ['serious', 'critical']
const EVERY_RULE = '{}'
/** Dark or light, only these differ. */
const COLOURS = '{ runOnly: ["color-contrast", "link-in-text-block"] }'

/** How far the page has to be scrolled sideways, in pixels. */
const BEYOND_THE_EDGE = 'document.documentElement.scrollWidth - innerWidth'
const NARROW = { width: 380, height: 800 }

/** The page as it stands has no serious finding of axe, in light colours and in dark ones, and fits on a narrow screen. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE)
  for (const [colorScheme, rules] of [
    ['light', EVERY_RULE],
    ['dark', COLOURS],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    // On a busy machine the page takes a moment to follow.
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
    await page.evaluate(COLOURS_HAVE_CHANGED)
    const results = (await page.evaluate(`axe.run(document, ${rules})`)) as AxeResults
    note(page, results)
    const { violations } = results
    const grave = violations
      .filter(({ impact }) => GRAVE.includes(impact ?? ''))
      .map(({ id, nodes }) => ({ id, colorScheme, nodes: nodes.map(({ html, any }) => [html, any[0]?.message]) }))
    expect(grave).toEqual([])
  }
  const viewport = page.viewportSize()
  await page.setViewportSize(NARROW)
  await expect.poll(() => page.evaluate(BEYOND_THE_EDGE)).toBeLessThanOrEqual(0)
  if (viewport !== null) await page.setViewportSize(viewport)
}

/** For the report, when the run was asked for it (`npm run screenshots`). */
function note(page: Page, { passes, violations }: AxeResults): void {
  if (process.env.PORTRAITS === undefined) return
  const look: Look = {
    // Ids differ from run to run.
    page: new URL(page.url()).pathname.replaceAll(/[a-z]+_[0-9a-z]{26}/g, '…'),
    passed: passes.length,
    findings: violations.map(({ id, impact, nodes }) => ({ id, impact: impact ?? 'minor', nodes: nodes.length })),
  }
  appendFileSync(process.env.PORTRAITS, `${JSON.stringify(look)}\n`)
}
