import type { Page } from 'playwright-core'
import { invitationUrl } from '../../../server/src/operators/invitation-store.ts'
import { deletePerson, listPeople } from '../../../server/src/operators/operator-store.ts'
import { ensureFirstLogin } from '../../../server/src/setup/first-login.ts'
import type { Dashboard, Owner } from './dashboard.ts'

/** Comes in by the link that a first start prints: as if the demo had come without an owner. */
export async function firstLogin(
  { server: { base, context, config } }: Dashboard,
  page: Page,
  { name, email, password }: Owner & { readonly name: string },
): Promise<void> {
  const { db } = context.database
  const { data: people } = await listPeople(db, { limit: 10 })
  await db.transaction().execute(async (tx) => {
    for (const { id } of people) await deletePerson(tx, id)
  })
  const token = await ensureFirstLogin(context, config.dataDir)
  if (token === undefined) throw new Error('somebody can sign in already')
  await page.goto(invitationUrl(base, token))
  await page.getByText('You are its first operator, and its owner.').waitFor()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').first().fill(password)
  await page.getByLabel('Password, once more').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
}
