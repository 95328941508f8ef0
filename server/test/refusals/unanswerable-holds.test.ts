import { afterAll, describe, expect, test } from 'vitest'
import { adminClient, type Json } from '../admin/client.ts'
import { startAssistantFixture } from '../support/assistant-fixture.ts'
import { expectError } from '../support/gateway-client.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { word } from '../support/scripted-provider.ts'

const fixture = await startAssistantFixture()
const hold = { at: ['input'], verdict: 'require_approval' }
await fixture.governed.publish([
  ...MARKER_RULES,
  { ...hold, id: 'held-nowhere', when: 'content.text.contains("held-nowhere")', directives: ['route:region=atlantis'] },
] as never)
afterAll(() => fixture?.governed.close())

const pendingHolds = async (): Promise<number> =>
  (await adminClient(fixture.governed.server).get('/reviews?state=pending&kind=hold&limit=100')).data.length

describe('holds: no reviewer is asked when no model may answer the request [GW-REV-19]', () => {
  test.each([
    ['the Application has no such model', 'juniper-hold', { model: 'none' }],
    ['a directive excludes all providers', 'held-nowhere', {}],
  ])('422 without a review item when %s', async (_, mark, more) => {
    const { governed } = fixture
    const before = await pendingHolds()
    const { response, ...sent } = await governed.sendPrompt(mark, { more })
    expectError(response, 'NO_ELIGIBLE_PROVIDER')
    expect(await pendingHolds()).toBe(before)
    expect(governed.countProviderCalls({ ...sent })).toBe(0)
    const record = await governed.record(response.body.error.audit_id)
    expect(record).toMatchObject({ status: 422, review: null, decision: { verdict: 'require_approval' } })
  })

  test('409 with a review item when a model may answer', async () => {
    const before = await pendingHolds()
    await fixture.governed.holdPrompt()
    expect(await pendingHolds()).toBe(before + 1)
  })

  test('an assistant says that no model may answer, and no reviewer is asked', async () => {
    const { governed, createAssistant, createDirect } = fixture
    const application = await governed.application({ default_model: 'none' })
    const assistant: Json = await createAssistant(application.id)
    const before = await pendingHolds()
    const conversation = await createDirect(assistant)
    const { replies } = await conversation.ask(`${word()} juniper-hold`)
    expect(replies.map(({ message }) => message)).toEqual(['There is no model that may answer this.'])
    expect(await pendingHolds()).toBe(before)
  })
})
