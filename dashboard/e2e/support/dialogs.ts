import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until no dialog is left: a closed one stays in the page while it fades out, beside the next. */
export const dialogsClosed = (page: Page): Promise<void> => expect.poll(() => page.getByRole('dialog').count()).toBe(0)

/** Dismisses all dialogs of the browser and collects their types. */
export function dismissDialogs(page: Page): string[] {
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type())
    void dialog.dismiss()
  })
  return dialogs
}
