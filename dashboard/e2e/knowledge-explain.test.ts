import { expect, test } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { startDashboard } from './support/dashboard.ts'
import { choose } from './support/dialogs.ts'

const dashboard = await startDashboard()
const { admin } = dashboard

const rule = (id: string, at: string, when: string) => ({ id, at: [at], when, verdict: 'deny' })
const publish = (rules: readonly object[]) =>
  admin.create('/policy-sets', { source: JSON.stringify({ name: 'explained', texts: {}, rules }) })

const labels = { acl: { departments: ['support'] }, classification: 'internal' }
const { id: collection } = await admin.create('/collections', { name: 'birds', ...labels })
const { data: stored } = await admin.post(`/collections/${collection}/documents`, {
  documents: [
    { key: 'heron.md', content: '# Herons\n\nThe heron nests at the pond.' },
    { key: 'secret.md', content: '# Plans\n\nThe heron plan is forbidden.' },
    { key: 'empty.md', content: ' ' },
  ],
})
const [heron, plans, empty] = stored.map(({ document_id }: { document_id: string }) => document_id)

test('document: its page leads to the reasons why a search finds it, or not', async () => {
  await publish([rule('no-plans', 'retrieve', 'content.text.contains("forbidden")')])
  const { page, consoleErrors } = await dashboard.signedIn({ at: `/knowledge/documents/${heron}` })
  await page.getByRole('link', { name: 'Why is it (not) found?' }).click()
  const explanation = page.getByRole('region', { name: 'Why is this document found, or not?' })
  await explanation.getByText(/^Enter a query and choose the user/).waitFor()
  await explanation.getByRole('link', { name: 'Herons' }).waitFor()
  await expectAccessible(page)
  await choose(page, 'Application', 'support')
  await page.getByLabel('Department').fill('support')
  await page.getByLabel('Query').fill('Where do herons nest')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await explanation.getByText(/^Found: place 1 of/).waitFor()
  await explanation.getByText('The document is indexed.').waitFor()
  await explanation.getByText("The collection's readers are the department support.").waitFor()
  await expectAccessible(page)

  await page.getByLabel('Department').fill('sales')
  await page.getByLabel('Query').fill('herons and falcons')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await explanation.getByText('Not found').waitFor()
  await explanation.getByText(/the department support, and the user is not among them/).waitFor()
  await explanation.getByText('It does not contain this word of the query: falcons.').waitFor()
  await expectAccessible(page)
  await explanation.getByRole('button', { name: 'Search all documents' }).click()
  await explanation.waitFor({ state: 'detached' })
  expect(page.url()).not.toContain(heron)
  expect(consoleErrors).toEqual([])
})

test('search as user: names the rules that leave out a passage, a document or all passages', async () => {
  await publish([rule('no-plans', 'retrieve', 'content.text.contains("forbidden")')])
  const application = (await admin.get('/applications')).data.find(({ name }: { name: string }) => name === 'support').id
  const search = (document: string) =>
    `/knowledge/search?q=heron&application=${application}&department=support&document=${document}`
  const { page, visit, consoleErrors } = await dashboard.signedIn({ at: search(plans) })
  const explanation = page.getByRole('region', { name: 'Why is this document found, or not?' })
  const leftOut = 'The rule no-plans of the policies left it out.'
  await explanation.getByText(leftOut).waitFor()
  expect(await explanation.getByText('The policies allow').count()).toBe(0)
  await explanation.getByText('Not found').waitFor()
  await page.getByRole('region', { name: 'Hidden: 1 passage' }).getByText(leftOut).waitFor()

  await visit(search(empty))
  await explanation.getByText(/^The newest upload failed/).waitFor()
  await explanation.getByText('It does not contain this word of the query: heron.').waitFor()

  await publish([rule('no-herons', 'input', 'content.text.contains("heron")')])
  await visit(search(heron))
  await page.getByText('The policies withhold all passages for this query').waitFor()
  await page.getByText('The rule no-herons denies it, or asks for an approval.').waitFor()
  await explanation.getByText('The rule no-herons of the policies left it out.').waitFor()
  await expectAccessible(page)
  expect(consoleErrors).toEqual([])
})
