import { describe, expect, test } from 'vitest'
import { CHAT, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'

const sentPrompt = await governed.sendPrompt('', { more: { temperature: 0.4, max_tokens: 321 } })
const body = expectSuccess(sentPrompt.response)

test('chat completion: has the fields of the contract and `created`, and no other [GW-COMP-1, GW-COMP-2, GW-COMP-3, GW-GOV-1, GW-GOV-2, GW-GOV-3, GW-GOV-4, GW-VERD-1, GW-VERD-6]', async () => {
  expect(body).toEqual({
    id: expect.stringMatching(/.+/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', content: sentPrompt.answer }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    governance: expect.objectContaining({
      audit_id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
      decision: { verdict: 'allow', transforms: [], directives: [] },
      risk_level: 'low',
      user_verified: false,
    }),
  })
  expect(body.governance.dry_run).toBeUndefined()
  const dryRun = expectSuccess(await governed.chat('Good morning', { governance: { dry_run: true } })).governance
  expect(dryRun.dry_run).toBe(true)
  expect(dryRun.audit_id).not.toBe(body.governance.audit_id)
})

const GREETING = [{ role: 'user', content: 'Good morning' }]
const asUser = (user: unknown) => ({ governance: { user } })
const expectInvalid = async (param: string, change: Readonly<Record<string, unknown>>) =>
  expect(expectError(await governed.chat(GREETING, change), 'VALIDATION_ERROR').param).toBe(param)

describe('fields of a chat', () => {
  test.each<[string, readonly unknown[]]>([
    ['model', [5, ['scripted'], {}, '']],
    ['messages', [undefined, 'hello', { role: 'user' }, null, []]],
    ['temperature', ['hot', '0.5', true, -1, 3]],
    ['max_tokens', ['10', 1.5, true, 0, -1]],
    ['stream', ['true', 1, {}]],
    ['governance', ['x', 5, ['x']]],
  ])('%s: 400 that names it when it is one of %j [GW-CHAT-1, GW-CHAT-3, GW-CHAT-4]', async (field, values) => {
    for (const value of values) await expectInvalid(field, { [field]: value })
  })
  test.each([
    ['messages[0]', { messages: ['hello'] }],
    ['messages[0].role', { messages: [{ content: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['governance.session_id', { governance: { session_id: 5 } }],
    ['governance.dry_run', { governance: { dry_run: 'yes' } }],
    ['governance.review_item_id', { governance: { review_item_id: 5 } }],
    ['governance.wait_for_approval_seconds', { governance: { wait_for_approval_seconds: '5' } }],
    ['governance.user', asUser('someone')],
    ['governance.user.id', asUser({ role: 'pilot' })],
    ['governance.user.id', asUser({ id: 5 })],
    ['governance.user.id', asUser({ id: '' })],
    ['governance.user.role', asUser({ id: 'someone', role: 5 })],
    ['governance.user.department', asUser({ id: 'someone', department: ['d'] })],
    ['governance.user.attributes', asUser({ id: 'someone', attributes: 'a' })],
    ['governance.user.attributes', asUser({ id: 'someone', attributes: ['a'] })],
  ])(
    '%s: 400 that names it when the body has %j [GW-CHAT-1, GW-CHAT-4, GW-AUTH-4, API-ERR-2, API-ERR-3, API-ERR-4]',
    expectInvalid,
  )
  test.each([
    ...[0, 0.4, 2].map((temperature) => ({ temperature })),
    ...[true, false].map((stream) => ({ stream })),
    { messages: [{ role: 'user', content: '' }] },
    asUser({ id: 'someone' }),
  ])('%j is accepted [GW-CHAT-1, GW-CHAT-3, GW-AUTH-4]', async (change) => {
    expect((await governed.chat(GREETING, change)).status).toBe(200)
  })
  test.each([42, null, true, ['x'], { text: 'x' }, [{ type: 'text', text: 'x' }]])(
    'content: 400 when it is %j instead of a string [GW-CHAT-1]',
    async (content) => {
      const { param } = expectError(await governed.chat([{ role: 'user', content }]), 'VALIDATION_ERROR')
      expect(param).toMatch(/^messages\[0\]\.content/)
    },
  )
  test('messages: system, user, assistant and user messages reach the provider in order [GW-ENUM-7]', async () => {
    const key = word()
    const messages = ['system', 'user', 'assistant', 'user'].map((role, i) => ({ role, content: `${role} ${i} ${key}` }))
    expectSuccess(await governed.chat(messages))
    expect(governed.provider.callsWith(key)[0]?.body.messages).toEqual(messages)
  })
})

describe('POST /v1/chat/completions', () => {
  test('temperature, max_tokens, messages and model reach the provider [GW-CHAT-3]', () => {
    const sent = governed.provider.callsWith(sentPrompt.word)[0]?.body
    expect(sent).toMatchObject({
      model: 'scripted',
      temperature: 0.4,
      max_tokens: 321,
      messages: [{ role: 'user', content: sentPrompt.prompt }],
    })
  })
  test('response 200 is JSON without stream, text/event-stream with it [GW-PATH-1, GW-SSE-1]', async () => {
    expect(sentPrompt.response.headers.get('content-type')).toMatch(/^application\/json/)
    expect((await governed.chat(GREETING, { stream: true })).headers.get('content-type')).toMatch(/^text\/event-stream/)
  })
  test('governance.session_id and governance.user reach the policies [GW-CHAT-4]', async () => {
    const messages = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'juniper-chat' }))
    const asked = (session_id: string) => governed.chat(messages, { governance: { user: { id: 'someone' }, session_id } })
    expect(expectSuccess(await asked('afternoon')).governance.decision.verdict).toBe('escalate')
    expect(expectSuccess(await asked('morning')).governance.decision.verdict).toBe('allow')
  })
  test.each(['', '{"messages":', '[]', '"text"', 'null', '7'])('body %j: 400', async (raw) => {
    expectError(await governed.post(CHAT, undefined, { raw }), 'VALIDATION_ERROR')
  })
})

describe('governance.user [GW-AUTH-4]', () => {
  const verdict = async (mark: string, user: object) =>
    expectSuccess((await governed.sendPrompt(mark, { more: asUser(user) })).response).governance.decision.verdict

  test('id, role, department: trusted by default [GW-AUTH-5]', async () => {
    const pilot = { id: 'pilot-7', role: 'pilot', department: 'hangar' }
    expect(await verdict('juniper-pilot', pilot)).toBe('escalate')
    expect(await verdict('juniper-pilot', { ...pilot, department: 'office' })).toBe('allow')
  })
  test('attributes: free-form, any keys', async () => {
    expect(await verdict('juniper-wing', { id: 'x', attributes: { wing: 'left', a: 1, b: ['x'], c: { d: null } } })).toBe(
      'escalate',
    )
    expect(await verdict('juniper-wing', { id: 'x', attributes: {} })).toBe('allow')
  })
})
