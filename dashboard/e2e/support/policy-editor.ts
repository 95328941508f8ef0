import type { Page } from 'playwright-core'
import type { Admin, Json } from '../../../server/test/admin/client.ts'

export const GUESTS_DENIED = `name: tried
tests:
  - name: guests are refused
    at: input
    input: { user: { role: guest } }
    expect: { verdict: deny, rules: [no-guests] }
rules:
  - id: no-guests
    description: Guests have a page of their own.
    at: [input]
    when: user.role == "guest"
    verdict: deny
`

export const editor = (page: Page) => page.getByRole('textbox', { name: 'Policy document' })

/** Replaces the text. Typed text would get closing brackets. */
export async function write(page: Page, text: string): Promise<void> {
  await editor(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** Creates a draft of the active version, and opens it. */
export async function openDraft(
  admin: Admin,
  visit: (path: string) => Promise<void>,
  page: Page,
  source?: string,
): Promise<Json> {
  const active = (await admin.get('/policy-sets?limit=100')).data.find((set: Json) => set.active)
  const text = source ?? (await admin.get(`/policy-sets/${active.id}`)).source
  const draft = await admin.create('/policy-drafts', { title: `draft ${crypto.randomUUID()}`, source: text })
  await visit(`/policies/drafts/${draft.id}`)
  await page.getByText('Ready to publish').waitFor()
  return draft
}

/** Opens the dialog, writes a note and publishes, also if tests fail. */
export async function confirmPublish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', disabled: false }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Note' }).fill('As agreed')
  await dialog.getByRole('button', { name: 'Publish', disabled: false }).click()
}
