import { join } from 'node:path'
import type { Page } from 'playwright-core'

const IMAGES = join(import.meta.dirname, '../../../docs/images')

/** Takes the page's pictures for the documentation, light and dark, when the run was asked for them (`npm run screenshots`). */
export async function portrait(page: Page, name: string): Promise<void> {
  if (process.env.PORTRAITS === undefined) return
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}.png`), animations: 'disabled', caret: 'hide' })
  }
}
