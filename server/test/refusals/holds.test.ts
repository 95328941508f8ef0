import { describe, expect, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { completion, json, says, word } from '../support/scripted-provider.ts'

const clock = adjustableClock()
const governed = await closeAfterAll(startGoverned({}, { clock }))

const approved = async (mark?: string, more?: Readonly<Record<string, unknown>>): Promise<HeldPrompt> => {
  const held = await governed.holdPrompt(mark, more ? { more } : {})
  await governed.decide(held.id, 'approve')
  return held
}
const review = async (id: string) => (await governed.admin('GET', `/reviews/${id}`)).body
const MARA = { user: { id: 'mara' }, session_id: 'afternoon' }

describe('requests that wait for a reviewer', () => {
  /** A slow provider that counts concurrent requests. */
  const slowProvider = () => {
    const [key, load] = [word(), { current: 0, maximum: 0 }]
    governed.provider.on(key, (response, call) => {
      load.maximum = Math.max(load.maximum, ++load.current)
      setTimeout(() => {
        load.current--
        says('done')(response, call)
      }, 300)
    })
    return { key, load }
  }
  const awaitPending = async (count: number) => {
    for (;;) {
      const { data } = (await governed.admin('GET', '/reviews?state=pending&kind=hold&limit=100')).body
      if (data.length >= count) return data.map(({ id }) => String(id))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  test('concurrency: held requests do not count while they wait, and queue within the limit when they are approved', async () => {
    const { token } = await governed.application({ limits: { concurrency: 2, requests_per_minute: 1, burst: 9 } })
    const { key, load } = slowProvider()
    const waiting = Array.from({ length: 8 }, (_, index) => `juniper-hold ${key} ${index}`)
    const answers: Promise<GatewayResponse>[] = []
    for (const [index, prompt] of waiting.entries()) {
      answers.push(governed.chat(prompt, { governance: { wait_for_approval_seconds: 30 } }, { token }))
      await awaitPending(index + 1)
    }
    expectSuccess(await governed.chat('Good morning', {}, { token }))
    await Promise.all((await awaitPending(8)).map((id) => governed.decide(id, 'approve')))
    for (const response of await Promise.all(answers)) expect(contentOf(response)).toBe('done')
    expect(load.maximum).toBe(2)
  })
  test('concurrency: resubmissions do not count while they wait', async () => {
    const { token } = await governed.application({ limits: { concurrency: 1 } })
    const { key, load } = slowProvider()
    const prompts = [1, 2, 3].map((index) => `juniper-hold ${key} ${index}`)
    const held: Pick<HeldPrompt, 'prompt' | 'id'>[] = []
    for (const prompt of prompts) {
      held.push({ prompt, id: expectError(await governed.chat(prompt, {}, { token }), 'POLICY_REVIEW_PENDING').review_item_id })
    }
    const answers: Promise<GatewayResponse>[] = []
    for (const hold of held) {
      answers.push(governed.resubmit(hold, { wait_for_approval_seconds: 30 }, {}, { token }))
      await expect.poll(async () => (await governed.chat('Good morning', {}, { token })).status).toBe(200)
    }
    await Promise.all(held.map(({ id }) => governed.decide(id, 'approve')))
    for (const response of await Promise.all(answers)) expect(contentOf(response)).toBe('done')
    expect(load.maximum).toBe(1)
  })
})

describe('an approved hold cannot be released', () => {
  test.each([
    ['with another message', { prompt: 'something else' }, {}, {}],
    ['with one character more', { suffix: '.' }, {}, {}],
    ['for another model', {}, {}, { model: 'demo-mini' }],
    ['with another temperature', {}, {}, { temperature: 1 }],
    ['with more tokens', {}, {}, { max_tokens: 5 }],
    ['by another user', {}, { user: { id: 'noor' } }, {}],
    ['by an anonymous user', {}, { user: undefined }, {}],
    ['in another session', {}, { session_id: 'evening' }, {}],
    ['in no session', {}, { session_id: undefined }, {}],
  ] as const)(
    '%s: 400 review_request_mismatch, and the hold stays approved',
    async (_, { prompt, suffix = '' }: { prompt?: string; suffix?: string }, governance, more) => {
      const held = await approved('juniper-hold', { governance: MARA })
      const other = { ...held, prompt: (prompt ?? held.prompt) + suffix }
      const error = expectError(await governed.resubmit(other, { ...MARA, ...governance }, more), 'VALIDATION_ERROR')
      expect(error.details).toEqual({ reason: 'review_request_mismatch' })
      expect(governed.countProviderCalls(held)).toBe(0)
      expect((await review(held.id)).state).toBe('approved')
      expect(contentOf(await governed.resubmit(held, MARA))).toBe(held.answer)
    },
  )
  test('by another Application', async () => {
    const held = await approved()
    const { message } = expectError(await governed.resubmit(held, {}, {}, { app: 1 }), 'VALIDATION_ERROR')
    expect(message).toBe('Review item not found.')
    expect(governed.countProviderCalls(held)).toBe(0)
  })
  test('by an asserted user when the hold has a verified user', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    const held = await governed.holdPrompt('juniper-hold', { options: { userToken } })
    await governed.decide(held.id, 'approve')
    for (const id of ['alice', 'bob']) {
      const response = await governed.resubmit(held, { user: { id } })
      expectError(response, 'VALIDATION_ERROR')
      expect(response.text).not.toContain(held.answer)
    }
    expect(contentOf(await governed.resubmit(held, {}, {}, { userToken }))).toBe(held.answer)
  })
  test.each([0, 1])('once it has expired, even if approved in time and released (%i times) [GW-REV-7]', async (releases) => {
    const held = await approved('juniper-brief')
    if (releases > 0) contentOf(await governed.resubmit(held))
    clock.advance(31_000)
    const response = await governed.resubmit(held)
    expectError(response, 'REVIEW_HOLD_EXPIRED')
    expect(response.text).not.toContain(held.answer)
    expect(governed.countProviderCalls(held)).toBe(releases)
  })
  test.each(['input', 'output'] as const)(
    'when a policy published after the approval denies the held %s [GW-REV-12]',
    async (point) => {
      const held = await (point === 'input' ? governed.holdPrompt() : governed.holdCompletion())
      await governed.decide(held.id, 'approve')
      const when = `content.text.contains("${point === 'input' ? held.word : held.answer.split(' ')[1]}")`
      await governed.publish([...MARKER_RULES, { id: 'now-forbidden', at: [point], when, verdict: 'deny' }])
      const response = await governed.resubmit(held)
      expect(expectError(response, 'POLICY_DENIED').details).toMatchObject({ rules: ['now-forbidden'] })
      expect(response.text).not.toContain(held.answer)
      expect(governed.countProviderCalls(held)).toBe(point === 'input' ? 0 : 1)
      await governed.publish(MARKER_RULES)
    },
  )
  test('when the key of the request is revoked', async () => {
    const held = await approved()
    const token = governed.demo.applications[0]?.revoked_api_key ?? ''
    expectError(await governed.resubmit(held, {}, {}, { token }), 'AUTH_KEY_REVOKED')
  })
  test('by a dry run', async () => {
    const held = await approved()
    contentOf(await governed.resubmit(held, { dry_run: true }))
    expect(governed.countProviderCalls(held)).toBe(0)
    expect((await review(held.id)).state).toBe('approved')
  })
})

describe('release', () => {
  test('happens once for concurrent and repeated requests, and all responses are equal [GW-REV-13]', async () => {
    for (const held of [await governed.holdPrompt(), await governed.holdCompletion()]) {
      await governed.decide(held.id, 'approve')
      const responses = await Promise.all(Array.from({ length: 10 }, () => governed.resubmit(held)))
      responses.push(await governed.resubmit(held))
      const completions = responses.map((response) => {
        expect(contentOf(response)).toBe(held.answer)
        const { governance: _, ...completion } = response.body
        return JSON.stringify(completion)
      })
      expect(new Set(completions).size).toBe(1)
      expect(governed.countProviderCalls(held)).toBe(1)
      const ids = responses.map(({ body }) => body.governance.audit_id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
  test('is used up after an outage that the provider reports at the beginning of its stream [GW-REV-13]', async () => {
    const held = await approved()
    governed.provider.on(held.word, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify({ error: { code: 503, message: 'no' } })}\n\n`)
    })
    expectError(await governed.resubmit(held), 'PROVIDER_ERROR')
    expectError(await governed.resubmit(held), 'PROVIDER_ERROR')
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('a repeated stream has the same text', async () => {
    const held = await approved()
    const first = await governed.resubmit(held, {}, { stream: true })
    const again = await governed.resubmit(held, {}, { stream: true })
    const bare = (text: string, id: string) => text.replaceAll(id, 'ID')
    const idOf = (response: typeof first) => response.headers.get('x-audit-id') ?? ''
    expect(bare(again.text, idOf(again))).toBe(bare(first.text, idOf(first)))
  })
  test('restores pseudonyms, also of an output hold and in repeated responses', async () => {
    const key = word()
    governed.provider.on(key, (response, call) =>
      json(response, 200, completion(`sorrel-hold ${call.body.messages[0]?.content}`)),
    )
    const prompt = `juniper-pseudonymize ${key} mara.lind@example.org`
    const id = expectError(await governed.chat(prompt), 'POLICY_REVIEW_PENDING').review_item_id
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain('mara.lind')
    await governed.decide(id, 'approve')
    for (let i = 0; i < 2; i++) expect(contentOf(await governed.resubmit({ prompt, id }))).toContain('mara.lind@example.org')
  })
  test('the hold stays approved when the provider refuses the request', async () => {
    const held = await approved()
    governed.provider.on(held.word, (response) => json(response, 400, {}))
    expectError(await governed.resubmit(held), 'VALIDATION_ERROR')
    expect((await review(held.id)).state).toBe('approved')
  })
  test('the provider is called at most once when it may have processed the request', async () => {
    const held = await approved()
    governed.provider.on(held.word, (response) => json(response, 500, {}))
    expectError(await governed.resubmit(held), 'PROVIDER_ERROR')
    expectError(await governed.resubmit(held), 'PROVIDER_ERROR')
    expect(governed.countProviderCalls(held)).toBe(1)
  })
})

describe('review', () => {
  test('409 for a second decision', async () => {
    const held = await approved()
    expectError(await governed.admin('POST', `/reviews/${held.id}/deny`, { json: {} }), 'CONFLICT')
    expect((await review(held.id)).state).toBe('approved')
  })
  test('409 when it has expired', async () => {
    const held = await governed.holdPrompt('juniper-brief')
    clock.advance(31_000)
    expectError(await governed.admin('POST', `/reviews/${held.id}/approve`, { json: {} }), 'CONFLICT')
    expectError(await governed.resubmit(held), 'REVIEW_HOLD_EXPIRED')
  })
  test('403 when the requesting user decides [GW-REV-17]', async () => {
    const decidedBy = String((await review((await approved()).id)).decided_by)
    const held = await governed.holdPrompt('juniper-hold', { more: { governance: { user: { id: decidedBy } } } })
    for (const verb of ['approve', 'deny'])
      expectError(await governed.admin('POST', `/reviews/${held.id}/${verb}`, { json: {} }), 'FORBIDDEN')
    expect((await review(held.id)).state).toBe('pending')
  })
  test('409 when an escalation is approved, and it releases nothing', async () => {
    const sentPrompt = await governed.sendPrompt('juniper-escalate')
    const { body } = await governed.admin('GET', '/reviews?state=pending&kind=escalation&limit=100')
    const id = String(body.data.find(({ audit_id }) => audit_id === sentPrompt.response.body.governance.audit_id)?.id)
    expectError(await governed.admin('POST', `/reviews/${id}/approve`, { json: {} }), 'CONFLICT')
    expectError(await governed.resubmit({ ...sentPrompt, id }), 'VALIDATION_ERROR')
  })
  test.each([
    'rev_01h455vb4pex5vsknk084sn02q',
    'nonsense',
    'aud_01h455vb4pex5vsknk084sn02q',
    "' or 1=1 --",
    'rev_',
    '\u0000',
    '%',
  ])('400 with the same message for the unknown id %j', async (id) => {
    const response = await governed.chat('Good morning', { governance: { review_item_id: id } })
    expect(expectError(response, 'VALIDATION_ERROR').message).toBe('Review item not found.')
  })
})

describe('holds: one provider call for each approval', () => {
  test('the completion gets a hold of its own when the request was sent again meanwhile', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: `sorrel-hold ${word()}` })
    await governed.decide(held.id, 'approve')
    const secondHold = expectError(await governed.chat(held.prompt), 'POLICY_REVIEW_PENDING').review_item_id
    const outputHold = expectError(await governed.resubmit(held), 'POLICY_REVIEW_PENDING').review_item_id
    expect(outputHold).not.toBe(secondHold)
    await governed.decide(outputHold, 'approve')
    expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
    expect(await review(secondHold)).toMatchObject({ state: 'pending', point: 'input' })
  })
})
