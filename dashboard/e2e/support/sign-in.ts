import type { Page } from 'playwright-core'
import { invitationUrl } from '../../../server/src/domains/operators/invitation-store.ts'
import { deletePerson, listPeople } from '../../../server/src/domains/operators/operator-store.ts'
import { issueFirstLogin } from '../../../server/src/tools/start/first-login.ts'
import type { Dashboard } from './dashboard.ts'

interface Credentials {
  readonly email: string
  readonly password: string
}

interface FirstOwner extends Credentials {
  readonly name: string
  /** Name of the first Workspace, for which the form asks only while there is none. */
  readonly workspace?: string
}

/** Signs in by the link of a first start, after deleting the demo's owner. */
export async function firstLogin(
  { server: { base, context, config } }: Dashboard,
  page: Page,
  { name, email, password, workspace }: FirstOwner,
  checkForm = async () => {},
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
  if (workspace !== undefined) await page.getByLabel('Workspace').fill(workspace)
  await checkForm()
  await setPassword(page, password)
}

/** Fills the form that sets a password, and submits it. */
export async function setPassword(page: Page, password: string, repeated = password): Promise<void> {
  await page.getByLabel('Password').first().fill(password)
  await page.getByLabel('Confirm password').fill(repeated)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Fills the form of the sign-in page, and submits it. */
export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').first().fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Begins the invitation of an operator. */
export async function invite(page: Page, { name, email }: { readonly name: string; readonly email: string }): Promise<void> {
  await page.getByRole('button', { name: 'Invite operator' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
}
