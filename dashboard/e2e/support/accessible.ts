import { appendFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { AxeRun } from '../../scripts/screenshots.ts'
import { NARROW } from './browser.ts'

export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Transitions begin up to two frames after the change that causes them. */
const TRANSITIONS_FINISHED = `(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const running = () => document.getAnimations().filter((one) => one instanceof CSSTransition && one.playState === 'running')
  do {
    for (let frames = 0; frames < 3; frames += 1) await frame()
    await Promise.allSettled(running().map((one) => one.finished))
  } while (running().length > 0)
})()`
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
const GRAVE = ['serious', 'critical']
/** Without `preload: false`, axe parses all style sheets again for a rule that is turned off. */
const ALL_RULES = '{ resultTypes: ["violations"], preload: false }'
/** Rules whose results depend on the color scheme. */
const COLOR_RULES = '{ runOnly: ["color-contrast", "link-in-text-block"], resultTypes: ["violations"] }'

/** Width of the horizontal overflow in pixels. */
const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth'

/** Calendars, suggestions and menus. */
const POPUPS = '[class*=mantine-][class*=-dropdown]:visible'

/** The pages that axe has checked in each file, with open dialogs, popups and alerts. axe takes seconds and reports the same again. */
const checked = new Set<string>()

/** 400 % of zoom in a window of 1280 × 1024 pixels (WCAG 2.2, 1.4.10). */
const ZOOMED = { width: 320, height: 256 }

/** Expects no serious or critical axe finding in light and dark colors, and no horizontal overflow at 380 pixels. */
export async function expectAccessible(page: Page): Promise<void> {
  await toastsGone(page)
  const state = await stateOf(page)
  if (!checked.has(state) || process.env.SCREENSHOTS !== undefined) await expectNoFindings(page)
  checked.add(state)
  await expectNoOverflow(page, [NARROW])
}

/** Like `expectAccessible`, also if the page was checked before, and at 400 % of zoom. */
export async function expectReadable(page: Page): Promise<void> {
  await toastsGone(page)
  await expectNoFindings(page)
  await expectNoOverflow(page, [NARROW, ZOOMED])
}

/** A toast would fade out while axe runs. It stays as long as the mouse is on it. */
async function toastsGone(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  await expect.poll(() => page.locator('.mantine-Notification-root').count()).toBe(0)
}

async function expectNoOverflow(page: Page, sizes: readonly (typeof NARROW)[]): Promise<void> {
  const viewport = page.viewportSize()
  for (const size of sizes) {
    await page.setViewportSize(size)
    await page.evaluate(TWO_FRAMES)
    await expect.poll(() => page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0)
  }
  if (viewport !== null) await page.setViewportSize(viewport)
  await page.evaluate(TWO_FRAMES)
}

async function stateOf(page: Page): Promise<string> {
  const dialogs = await page.getByRole('dialog').getByRole('heading').allTextContents()
  const menus = await page.getByRole('menu').getByRole('menuitem').allTextContents()
  const alerts = await page.getByRole('alert').count()
  const popups = await page.locator(POPUPS).count()
  return JSON.stringify([expect.getState().testPath, patternOf(page), dialogs, menus, alerts > 0, popups > 0])
}

/** The page's path without ids, which differ between runs. */
const patternOf = (page: Page): string => new URL(page.url()).pathname.replaceAll(/[a-z]+_[0-9a-z]{26}/g, '…')

interface Results extends Pick<AxeResults, 'violations'> {
  /** The number of rules that passed. */
  readonly passed: number
}

/** Expects no serious or critical axe finding in light and dark colors, also if the page was checked before. */
export async function expectNoFindings(page: Page): Promise<void> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE)
  for (const [colorScheme, rules] of [
    ['light', ALL_RULES],
    ['dark', COLOR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    // The page applies the color scheme asynchronously.
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
    await page.evaluate(TRANSITIONS_FINISHED)
    // The nodes that pass are thousands: neither collected nor sent.
    const summary = '({ passes, violations }) => ({ passed: passes.length, violations })'
    const results = (await page.evaluate(`axe.run(document, ${rules}).then(${summary})`)) as Results
    report(page, results)
    const { violations } = results
    const grave = violations
      .filter(({ impact }) => GRAVE.includes(impact ?? ''))
      .map(({ id, nodes }) => ({ id, colorScheme, nodes: nodes.map(({ html, any }) => [html, any[0]?.message]) }))
    expect(grave).toEqual([])
  }
}

/** Writes the results for docs/accessibility.md (`npm run screenshots`). */
function report(page: Page, { passed, violations }: Results): void {
  if (process.env.SCREENSHOTS === undefined) return
  const run: AxeRun = {
    page: patternOf(page),
    passed,
    findings: violations.map(({ id, impact, nodes }) => ({ id, impact: impact ?? 'minor', nodes: nodes.length })),
  }
  appendFileSync(process.env.SCREENSHOTS, `${JSON.stringify(run)}\n`)
}
