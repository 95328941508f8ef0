import type { Page } from 'playwright-core'

/** Returns the key and the dialog that shows it. */
export async function createKey(page: Page, name: string) {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Key created' })
  const key = (await dialog.locator('code').first().textContent()) ?? ''
  return { dialog, key }
}
