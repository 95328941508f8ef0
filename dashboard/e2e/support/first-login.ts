import type { Page } from 'playwright-core'
import { invitationUrl } from '../../../server/src/domains/operators/invitation-store.ts'
import { deletePerson, listPeople } from '../../../server/src/domains/operators/operator-store.ts'
import { issueFirstLogin } from '../../../server/src/tools/start/first-login.ts'
import type { Dashboard, Owner } from './dashboard.ts'

/** Signs in by the link of a first start, after deleting the demo's owner. */
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
  const token = await issueFirstLogin(context, config)
  if (token === undefined) throw new Error('an operator exists already')
  await page.goto(invitationUrl(base, token))
  await page.getByText('Create the first operator, who becomes the owner.').waitFor()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').first().fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
}
