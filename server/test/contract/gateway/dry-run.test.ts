import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { says, word } from '../../support/scripted-provider.ts'
import { parseChunks } from '../../support/stream-chunks.ts'
import { governed } from '../shared-server.ts'
import { listPendingReviews } from './pending-reviews.ts'

const sendDryRun = (mark: string, more: object = {}, options = {}) =>
  governed.sendPrompt(mark, { more: { ...more, governance: { dry_run: true } }, options })

describe('dry run', () => {
  test.each([
    ['', 'allow'],
    ['juniper-deny', 'deny'],
    ['juniper-escalate', 'escalate'],
    ['juniper-hold', 'require_approval'],
    ['juniper-broken', 'deny'],
  ])(
    'response: 200 with the verdict of a real run, without a review item: %j is %s [GW-DRY-1, GW-DRY-2, GW-DRY-3, GW-DRY-5, GW-ENUM-4]',
    async (mark, verdict) => {
      const before = new Set((await listPendingReviews()).map(({ id }) => id))
      const sentPrompt = await sendDryRun(mark)
      const { governance, choices } = expectSuccess(sentPrompt.response)
      expect(governance).toMatchObject({ dry_run: true, decision: { verdict } })
      expect(choices[0]?.message.content).toBeTruthy()
      expect(governed.countProviderCalls(sentPrompt)).toBe(0)
      expect((await listPendingReviews()).filter(({ id }) => !before.has(id))).toEqual([])
      const record = await governed.record(governance.audit_id)
      expect(record).toMatchObject({ dry_run: true, status: 200, attempts: [{ outcome: 'stubbed' }] })
    },
  )
  test.each([
    ['juniper-deny', 'deny'],
    ['juniper-hold', 'require_approval'],
  ])('response: 200 with the verdict when no provider is eligible: %s is %s [GW-DRY-3]', async (mark, verdict) => {
    const { governance } = expectSuccess((await sendDryRun(mark, { model: 'none' })).response)
    expect(governance).toMatchObject({ dry_run: true, decision: { verdict } })
  })
  test('transforms and directives are those of a real run [GW-DRY-1]', async () => {
    const { decision } = expectSuccess(
      (await sendDryRun('juniper-redact juniper-tokens mara.lind@example.org')).response,
    ).governance
    expect(decision).toMatchObject({ transforms: ['redact:pii'], directives: ['max_tokens:17'] })
  })
  test.each([
    ['', 'allow', {}],
    ['damson-escalate', 'escalate', {}],
    ['damson-hold', 'escalate', {}],
    ['damson-off', 'allow', { directives: ['memory:off'] }],
    ['damson-redact mara.lind@example.org', 'allow', { transforms: ['redact:pii'] }],
  ])('memory: the decision is made and nothing is stored: %j is %s [GW-DRY-2]', async (mark, verdict, more) => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'explicit' })
    // A separate user, because other test files on the same server read the memories of `mara`.
    const user = { id: word() }
    const chatToRemember = async (governance: object) => {
      const topic = word()
      governed.provider.on(topic, says('Noted.'))
      const prompt = `Remember that my locker is ${topic} ${mark}.`
      return expectSuccess(await memoryFixture.chat(prompt, { user }, governance)).governance
    }
    const reviews = async () => {
      const { data } = expectSuccess(await governed.admin('GET', '/reviews?limit=100'))
      return data.filter(({ application_id }) => application_id === memoryFixture.id).length
    }
    const { decision, audit_id } = await chatToRemember({ dry_run: true })
    expect(decision).toMatchObject({ verdict, ...more })
    const record = expectSuccess(await governed.api('GET', `/v1/audit/${audit_id}`, { token: memoryFixture.token }))
    expect(record).toMatchObject({
      remembered: [],
      stages: expect.arrayContaining([expect.objectContaining({ name: 'remember', outcome: 'ok' })]),
    })
    expect(expectSuccess(await governed.admin('GET', `/memories?application_id=${memoryFixture.id}`)).data).toEqual([])
    expect(await reviews()).toBe(0)
    expect((await chatToRemember({})).decision).toEqual(decision)
    expect(await reviews()).toBe(verdict === 'allow' ? 0 : 1)
  })
  test('extraction: calls no model [GW-DRY-2]', async () => {
    const memoryFixture = await createMemoryFixture(governed, { capture: 'extract' })
    const topic = word()
    const response = await memoryFixture.chat(`My locker is ${topic}.`, { user: { id: 'mara' } }, { dry_run: true })
    expect(expectSuccess(response).governance).toMatchObject({ dry_run: true, decision: { verdict: 'allow' } })
    expect(governed.provider.callsWith(topic)).toEqual([])
  })
  test('stream: works as in a real run', async () => {
    const { response } = await sendDryRun('', { stream: true })
    expect(parseChunks(response.text)[0]?.governance).toMatchObject({ dry_run: true })
  })
  test.each([
    ['VALIDATION_ERROR', { temperature: 'hot' }, {}],
    ['AUTH_INVALID_KEY', {}, { token: 'gk_none' }],
    ['AUTH_INVALID_USER_TOKEN', {}, { userToken: 'nonsense' }],
    ['NO_ELIGIBLE_PROVIDER', { model: 'none' }, {}],
  ] as const)('%s: returned as in a real run [GW-DRY-4]', async (code, more, options) => {
    expectError((await sendDryRun('', more, options)).response, code)
  })
  test('RATE_LIMITED: returned as in a real run [GW-DRY-4]', async () => {
    const { token } = await governed.application({ limits: { requests_per_minute: 1, burst: 1 } })
    expectSuccess((await sendDryRun('', {}, { token })).response)
    expectError((await sendDryRun('', {}, { token })).response, 'RATE_LIMITED')
  })
})
