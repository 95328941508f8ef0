import { join } from 'node:path'
import type { Page } from 'playwright-core'

const IMAGES = join(import.meta.dirname, '../../../docs/images')

/** Takes screenshots for the documentation in light and dark colors (`npm run screenshots`). */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS === undefined) return
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}.png`), animations: 'disabled', caret: 'hide' })
  }
}
