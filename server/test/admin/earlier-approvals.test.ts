import { describe, expect, test } from 'vitest'
import { suspendPerson } from '../../src/domains/operators/operator-store.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError as refusedByGateway } from '../support/gateway-client.ts'
import { type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { acceptFromServer, type Browser, inviteOperator, signInOperator } from '../support/operators.ts'
import { adminClient, expectError } from './client.ts'

const governed = await closeAfterAll(startGoverned())
const admin = adminClient(governed.server)
const workspace = (await admin.get('/workspaces')).data[0].id
const twice = { id: 'birch-hold', at: ['input'], when: 'content.text.contains("birch-hold")', verdict: 'require_approval' }
await governed.publish([...MARKER_RULES, { ...twice, approvals: 2 }] as never)

const approve = (browser: Browser, id: string) => browser.post(`/admin/v1/reviews/${id}/approve`)
const reviewer = () => signInOperator(governed.server, 'reviewer')
const issueToken = async (browser: Browser) => (await browser.post('/admin/v1/tokens', { name: 'automation' })).body
const approveWith = (token: string, id: string) => admin.send('POST', `/reviews/${id}/approve`, {}, { token })

/** A hold of two approvals with that of `approver`, who then changes; afterwards two others approve. */
async function expectNotCounted(
  approveFirst: (id: string) => Promise<{ readonly body: Record<string, unknown> }>,
  change: (held: HeldPrompt) => Promise<unknown>,
): Promise<HeldPrompt> {
  const held = await governed.holdPrompt('birch-hold', { more: { governance: { user: { id: 'a user' } } } })
  const first = await approveFirst(held.id)
  expect(first.body).toMatchObject({ state: 'pending', approvals: [expect.anything()] })
  await change(held)
  const [second, third] = [await reviewer(), await reviewer()]
  expect((await approve(second.browser, held.id)).body).toMatchObject({ state: 'pending', approvals: [{ by: second.id }] })
  expect((await approve(third.browser, held.id)).body.state).toBe('approved')
  return held
}

describe('earlier approvals: an approval does not count when the last one arrives [ADM-REV-1]', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['was removed', (id) => admin.remove(`/operators/${id}`)],
    ['lost the role', (id) => admin.patch(`/operators/${id}`, { role: 'auditor' })],
    [
      'was suspended by single sign-on',
      (id) => governed.server.context.database.db.transaction().execute((tx) => suspendPerson(tx, id, new Date())),
    ],
  ])('after the operator %s', async (_, end) => {
    const { id, browser } = await reviewer()
    await expectNotCounted(
      (held) => approve(browser, held),
      () => end(id),
    )
  })

  test('after the operator lost the Workspace', async () => {
    const elsewhere = await admin.workspace()
    const { id, browser } = await signInOperator(governed.server, { [workspace]: 'reviewer', [elsewhere]: 'reviewer' })
    await expectNotCounted(
      (held) => browser.post(`/admin/v1/reviews/${held}/approve?workspace=${workspace}`),
      () => admin.patch(`/operators/${id}`, { workspace_roles: [{ workspace_id: workspace, role: null }] }),
    )
  })

  test('after its admin token was revoked, and after the issuer of the token was removed', async () => {
    const { id, browser } = await signInOperator(governed.server, 'owner')
    const [revoked, ended] = [await issueToken(browser), await issueToken(browser)]
    await expectNotCounted(
      (held) => approveWith(revoked.token, held),
      () => browser.post(`/admin/v1/tokens/${revoked.id}/revoke`),
    )
    await expectNotCounted(
      (held) => approveWith(ended.token, held),
      () => admin.remove(`/operators/${id}`),
    )
  })

  test.each(['session', 'admin token'])(
    "after an identical request with the operator's own key, when a %s approved",
    async (by) => {
      const { browser } = await signInOperator(governed.server, 'owner')
      const { token } = await issueToken(browser)
      const application = governed.server.demo.applications[0]?.id
      const { key } = (await browser.post(`/admin/v1/applications/${application}/keys`, { name: 'own' })).body
      const user = { id: 'a user' }
      const held = await expectNotCounted(
        (id) => (by === 'session' ? approve(browser, id) : approveWith(token, id)),
        async ({ prompt }) => {
          const again = await governed.chat(prompt, { governance: { user } }, { token: key })
          refusedByGateway(again, 'POLICY_REVIEW_PENDING')
        },
      )
      expect(contentOf(await governed.resubmit(held, { user }, {}, { token: key }))).toBe(held.answer)
    },
  )
})

describe('earlier approvals: an operator approves again', () => {
  test('403 while the first approval counts, and 200 after it stopped counting', async () => {
    const { browser } = await signInOperator(governed.server, 'owner')
    const { id, token } = await issueToken(browser)
    const held = await governed.holdPrompt('birch-hold')
    expect((await approveWith(token, held.id)).body.state).toBe('pending')
    expect(expectError(await approve(browser, held.id), 'FORBIDDEN').message).toContain('already')
    await browser.post(`/admin/v1/tokens/${id}/revoke`)
    expect((await approve(browser, held.id)).body).toMatchObject({ state: 'pending', approvals: [expect.anything()] })
    expect((await approve((await reviewer()).browser, held.id)).body.state).toBe('approved')
  })

  test('the approval of an operator who is removed at the same time counts, or the hold stays pending', async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second] = [await reviewer(), await reviewer()]
      const held = await governed.holdPrompt('birch-hold')
      expect((await approve(first.browser, held.id)).body.state).toBe('pending')
      const [last] = await Promise.all([approve(second.browser, held.id), admin.remove(`/operators/${first.id}`)])
      expect(last.status, last.text).toBe(200)
      const by = last.body.approvals.map((approval: { by: string }) => approval.by)
      expect([last.body.state, by]).toEqual(
        last.body.state === 'approved' ? ['approved', [first.id, second.id]] : ['pending', [second.id]],
      )
    }
  })
})

test('review queue: an admin token lists the items that are assigned to its operator', async () => {
  const { id, browser } = await signInOperator(governed.server, 'owner')
  const { token } = await issueToken(browser)
  const held = await governed.holdPrompt()
  await admin.post(`/reviews/${held.id}/assign`, { operator_id: id })
  const { data } = await admin.get('/reviews?assigned_to=me', { token })
  expect(data.map((item: { id: string }) => item.id)).toEqual([held.id])
})

test('earlier approvals: one that two-person approval refuses does not count after it is turned on', async () => {
  const held = await governed.holdPrompt('birch-hold')
  expect((await approve((await signInOperator(governed.server, 'owner')).browser, held.id)).body.state).toBe('pending')
  await admin.patch(`/workspaces/${workspace}`, { settings: { review: { four_eyes: true } } })
  const [second, third] = [await independentReviewer(), await independentReviewer()]
  expect((await approve(second.browser, held.id)).body).toMatchObject({ state: 'pending', approvals: [{ by: second.id }] })
  expect((await approve(third.browser, held.id)).body.state).toBe('approved')
})

/** A reviewer who chose the password with an invitation of the server. */
async function independentReviewer() {
  const { id } = await inviteOperator(governed.server, 'reviewer')
  return { id, browser: await acceptFromServer(governed.server, id) }
}
