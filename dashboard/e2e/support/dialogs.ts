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

/** Chooses an option in a list. */
export async function choose(page: Page, name: string | RegExp, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name }).click()
  await page.getByRole('option', { name: option }).click()
}

/** Presses a button that asks first, and the button of the dialog that does it. */
export async function confirmed(page: Page, name: string | RegExp, verb: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: verb }).click()
}

/** Returns the secret that a dialog shows once, and closes the dialog. */
export async function takeSecret(page: Page): Promise<string> {
  const secret = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await dialogsClosed(page)
  return secret
}
