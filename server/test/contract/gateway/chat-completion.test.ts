import { describe, expect, test } from 'vitest'
import { CHAT, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'

const sentPrompt = await governed.sendPrompt('', { more: { temperature: 0.4, max_tokens: 321 } })
const body = expectSuccess(sentPrompt.response)
describe('chat completion', () => {
  test('id: string [GW-COMP-1]', () => expect(body.id).toMatch(/.+/))
  test('object: constant chat.completion [GW-COMP-1]', () => expect(body.object).toBe('chat.completion'))
  test('model: string, as requested [GW-COMP-1]', () => expect(body.model).toBe('scripted'))
  test('choices: index, message and finish_reason [GW-COMP-2]', () => {
    expect(body.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: sentPrompt.answer }, finish_reason: 'stop' },
    ])
  })
  test('usage: prompt_tokens, completion_tokens, total_tokens, all integer [GW-COMP-3]', () => {
    expect(body.usage).toEqual({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 })
  })
  test('governance: GovernanceBlock [GW-GOV-1]', () => expect(body.governance).toBeTypeOf('object'))
  test('body: has the fields of the contract and `created`, and no other [GW-COMP-1]', () => {
    expect(Object.keys(body).toSorted()).toEqual(['choices', 'created', 'governance', 'id', 'model', 'object', 'usage'])
  })
})

describe('governance block', () => {
  test('audit_id: string [GW-GOV-2]', () => expect(body.governance.audit_id).toMatch(/^aud_[0-9a-z]{26}$/))
  test('audit_id: differs for every request', async () => {
    const other = expectSuccess((await governed.sendPrompt()).response)
    expect(other.governance.audit_id).not.toBe(body.governance.audit_id)
  })
  test('decision: verdict, transforms, directives [GW-GOV-3]', () => {
    expect(body.governance.decision).toEqual({ verdict: 'allow', transforms: [], directives: [] })
  })
  test('risk_level: enum risk_level [GW-GOV-4]', () => expect(body.governance.risk_level).toBe('low'))
  test('user_verified: boolean [GW-GOV-4]', () => expect(body.governance.user_verified).toBe(false))
  test('dry_run: only in a dry run [GW-GOV-4]', async () => {
    expect(body.governance.dry_run).toBeUndefined()
    const dryRun = expectSuccess(await governed.chat('Good morning', { governance: { dry_run: true } }))
    expect(dryRun.governance.dry_run).toBe(true)
  })
})

const GREETING = [{ role: 'user', content: 'Good morning' }]
const expectInvalid = async (field: string, change: Readonly<Record<string, unknown>>, param = field) =>
  expect(expectError(await governed.chat(GREETING, change), 'VALIDATION_ERROR').param).toBe(param)

describe('messages of a chat [GW-CHAT-1]', () => {
  test('role is required', () => expectInvalid('role', { messages: [{ content: 'x' }] }, 'messages[0].role'))
  test('content is required', () => expectInvalid('content', { messages: [{ role: 'user' }] }, 'messages[0].content'))
  test.each([42, null, true, ['x'], { text: 'x' }, [{ type: 'text', text: 'x' }]])(
    'content: 400 when it is %j instead of a string',
    async (content) => {
      const { param } = expectError(await governed.chat([{ role: 'user', content }]), 'VALIDATION_ERROR')
      expect(param).toMatch(/^messages\[0\]\.content/)
    },
  )
  test('content: accepted when it is empty', async () => void expectSuccess(await governed.chat([{ role: 'user', content: '' }])))
  test('messages: system, user, assistant and user messages reach the provider in order', async () => {
    const key = word()
    const messages = ['system', 'user', 'assistant', 'user'].map((role, i) => ({ role, content: `${role} ${i} ${key}` }))
    expectSuccess(await governed.chat(messages))
    expect(governed.provider.callsWith(key)[0]?.body.messages).toEqual(messages)
  })
})

describe('POST /v1/chat/completions', () => {
  test.each([5, ['scripted'], {}, ''])('model %j: 400', (model) => expectInvalid('model', { model }))
  test('messages: required [GW-CHAT-1]', () => expectInvalid('messages', { messages: undefined }))
  test.each(['hello', { role: 'user' }, null, []])('messages %j: 400 [GW-CHAT-1]', (messages) =>
    expectInvalid('messages', { messages }),
  )
  test('messages: each is an object', () => expectInvalid('messages', { messages: ['hello'] }, 'messages[0]'))
  test.each([0, 0.4, 2])(
    'temperature %j is accepted [GW-CHAT-3]',
    async (temperature) => void expectSuccess(await governed.chat(GREETING, { temperature })),
  )
  test.each(['hot', '0.5', true, -1, 3])('temperature %j: 400 [GW-CHAT-3]', (temperature) =>
    expectInvalid('temperature', { temperature }),
  )
  test.each(['10', 1.5, true, 0, -1])('max_tokens %j: 400 [GW-CHAT-3]', (max_tokens) =>
    expectInvalid('max_tokens', { max_tokens }),
  )
  test('temperature, max_tokens, messages and model reach the provider [GW-CHAT-3]', () => {
    const sent = governed.provider.callsWith(sentPrompt.word)[0]?.body
    expect(sent).toMatchObject({
      model: 'scripted',
      temperature: 0.4,
      max_tokens: 321,
      messages: [{ role: 'user', content: sentPrompt.prompt }],
    })
  })
  test.each([true, false])('stream %j is accepted [GW-CHAT-3]', async (stream) => {
    expect((await governed.chat(GREETING, { stream })).status).toBe(200)
  })
  test.each(['true', 1, {}])('stream %j: 400 [GW-CHAT-3]', (stream) => expectInvalid('stream', { stream }))
  test('response 200 is JSON without stream, text/event-stream with it [GW-PATH-1, GW-SSE-1]', async () => {
    expect(sentPrompt.response.headers.get('content-type')).toMatch(/^application\/json/)
    expect((await governed.chat(GREETING, { stream: true })).headers.get('content-type')).toMatch(/^text\/event-stream/)
  })
  test.each(['x', 5, ['x']])('governance %j: 400 [GW-CHAT-4]', (governance) => expectInvalid('governance', { governance }))
  test.each([
    ['governance.session_id', { session_id: 5 }],
    ['governance.dry_run', { dry_run: 'yes' }],
    ['governance.review_item_id', { review_item_id: 5 }],
    ['governance.wait_for_approval_seconds', { wait_for_approval_seconds: '5' }],
    ['governance.user', { user: 'someone' }],
  ])('%s of another type: 400 [GW-CHAT-4]', (field, governance) => expectInvalid(field, { governance }))
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
  const asUser = (user: unknown) => ({ governance: { user } })
  const verdict = async (mark: string, user: object) =>
    expectSuccess((await governed.sendPrompt(mark, { more: asUser(user) })).response).governance.decision.verdict

  test('id: required', () => expectInvalid('governance.user.id', asUser({ role: 'pilot' })))
  test('id is the only required field', async () => void expectSuccess(await governed.chat(GREETING, asUser({ id: 'someone' }))))
  test.each([
    ['id', 5],
    ['id', ''],
    ['role', 5],
    ['department', ['d']],
    ['attributes', 'a'],
    ['attributes', ['a']],
  ])('%s %j: 400', (field, value) => expectInvalid(`governance.user.${field}`, asUser({ id: 'someone', [field]: value })))
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
  test('upgraded to verified when a valid user token is sent [GW-AUTH-6, GW-AUTH-7]', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    expect(expectSuccess(await governed.chat(GREETING, {}, { userToken })).governance.user_verified).toBe(true)
  })
})
