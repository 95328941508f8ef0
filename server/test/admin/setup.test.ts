import { expect, test } from 'vitest'
import { readSetup } from '../../src/api/admin/setup/setup-routes.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { startServer } from '../support/server.ts'
import { adminClient, expectError, type Json } from './client.ts'

const server = await closeAfterAll(startServer())
const admin = adminClient(server)

const STEPS = ['provider', 'application', 'request', 'knowledge', 'policy', 'reviewer']

const doneIn = async (workspace?: string): Promise<string[]> => {
  const { steps } = await admin.get('/setup', workspace === undefined ? {} : { workspace })
  return steps.filter(({ done }: Json) => done).map(({ id }: Json) => id)
}

test('setup: only steps of operators count in the Workspace of the demo [ADM-API-18]', async () => {
  expect(await doneIn()).toEqual([])
  await admin.create('/applications', { name: 'own' })
  expect(await doneIn()).toEqual(['application'])
  const [application] = server.demo.applications
  await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${application?.api_key}` } })
  await expect.poll(() => doneIn()).toEqual(['application', 'request'])
})

test('setup: each step is done with its object, and in its Workspace only [ADM-API-18]', async () => {
  const [workspace, other] = [await admin.workspace(), await admin.workspace()]
  const { steps, dismissed } = await admin.get('/setup', { workspace })
  expect(steps.map(({ id }: Json) => id)).toEqual(STEPS)
  // The demo's reviewer is no second operator.
  expect([dismissed, await doneIn(workspace)]).toEqual([false, []])

  await admin.create('/providers', { id: 'stub', kind: 'stub' }, { workspace })
  expect(await doneIn(workspace)).toEqual([])
  await admin.create('/providers', { id: 'real', base_url: 'https://llm.example' }, { workspace })
  const application = await admin.create('/applications', { name: 'first' }, { workspace })
  const { key } = await admin.create(`/applications/${application.id}/keys`, { name: 'first' }, { workspace })
  expect(await doneIn(workspace)).toEqual(['provider', 'application'])

  await fetch(`${server.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  await admin.create('/policy-sets', { source: 'name: first\nrules: []\n' }, { workspace })
  await signInOperator(server, 'reviewer')
  await admin.create('/collections', { name: 'handbook' }, { workspace })
  await expect.poll(() => doneIn(workspace)).toEqual(['provider', 'application', 'request', 'policy', 'reviewer'])
  const settings = { memory: { enabled: true } }
  await admin.patch(`/applications/${application.id}`, { settings }, { workspace })
  expect(await doneIn(workspace)).toEqual(STEPS)
  expect(await doneIn(other)).toEqual(['reviewer'])
})

test('setup: an operator sees the steps that their scopes allow', async () => {
  const { browser } = await signInOperator(server, 'policy_author')
  const { body } = await browser.get('/admin/v1/setup')
  expect(body.steps.map(({ id }: Json) => id)).toEqual(['policy'])
})

test('setup: dismissed for one operator only', async () => {
  const [first, second] = [await signInOperator(server, 'owner'), await signInOperator(server, 'owner')]
  const dismissed = async ({ browser }: typeof first) => (await browser.get('/admin/v1/setup')).body.dismissed
  for (let i = 0; i < 2; i++) expect((await first.browser.post('/admin/v1/setup/dismiss')).status).toBe(204)
  expect([await dismissed(first), await dismissed(second)]).toEqual([true, false])
  expectError(await admin.send('POST', '/setup/dismiss'), 'CONFLICT')
})

test('setup: a reviewer of one Workspace does not count in another [ADM-API-18]', async () => {
  const [workspace, other] = [await admin.workspace(), await admin.workspace()]
  const { db } = server.context
  // Without the demo's reviewer, one operator is left who can decide in all Workspaces.
  await db.updateTable('operator').set({ suspended_at: new Date() }).where('role', 'in', ['owner', 'reviewer']).execute()
  await signInOperator(server, { [workspace]: 'reviewer' })
  const reviewers = async (id: string) => (await readSetup(db, id))?.reviewer
  expect([await reviewers(workspace), await reviewers(other)]).toEqual([false, false])
  await signInOperator(server, { [workspace]: 'reviewer' })
  expect([await reviewers(workspace), await reviewers(other)]).toEqual([true, false])
})
