import type { Page } from 'playwright-core'

/** Saves what the list shows as a view. */
export async function saveView(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as view' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name, exact: true }).waitFor()
}

/** Shows a view of the list. */
export async function showView(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
  await page.getByRole('button', { name, exact: true }).waitFor()
}
