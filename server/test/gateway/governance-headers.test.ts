import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT, EMBEDDINGS, expectError, expectSuccess } from '../support/gateway-client.ts'
import { formatRequest, sendBytes } from '../support/raw-http.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())

const user = (content = 'Good morning') => [{ role: 'user', content }]
const BODIES = [
  ['chat completions', CHAT, { model: 'scripted', messages: user() }, {}],
  ['responses', '/v1/responses', { model: 'scripted', input: 'Good morning' }, {}],
  ['messages', '/v1/messages', { model: 'scripted', max_tokens: 9, messages: user() }, { 'anthropic-version': '2023-06-01' }],
  ['embeddings', EMBEDDINGS, { model: 'scripted', input: 'Good morning' }, {}],
] as const

describe.each(BODIES)('governance headers of %s', (_name, path, json, headers) => {
  const send = (more: Readonly<Record<string, string>>, governance?: object) =>
    governed.post(path, governance ? { ...json, governance } : json, { headers: { ...headers, ...more } })
  const errorOf = async (response: Promise<Awaited<ReturnType<typeof send>>>) => {
    const { status, body } = await response
    expect(status).toBe(400)
    return body.error
  }

  test('user: has the effect of the block when sent as headers [GW-GOV-5]', async () => {
    const id = { 'x-gatehouse-user': 'CN=J%C3%A4ne Roe' }
    const sent = { ...id, 'x-gatehouse-user-role': 'clerk', 'x-gatehouse-user-department': 'loans' }
    const response = await send(sent)
    const userOf = async (answer: typeof response) =>
      (await governed.record(expectSuccess(answer).governance.audit_id)).user as Record<string, unknown>
    expect(await userOf(response)).toMatchObject({ id: expect.any(String), role: 'clerk', department: 'loans', verified: false })
    const user = { id: 'CN=Jäne Roe', role: 'clerk', department: 'loans' }
    for (const headers of [{}, sent]) expect(await userOf(await send(headers, { user }))).toEqual(await userOf(response))
    expect(response.headers.get('x-gatehouse-user-verified')).toBe('false')
  })

  test('user: 400 that names the header when it is invalid, ambiguous or differs from the body [GW-GOV-5]', async () => {
    const refusals: readonly [Record<string, string>, object | undefined, string][] = [
      [{ 'x-gatehouse-user': '<script>' }, undefined, 'must be a name on one line'],
      [{ 'x-gatehouse-user': 'J\xfcrgen' }, undefined, 'must be percent-encoded UTF-8: J%C3%BCrgen'],
      [{ 'x-gatehouse-user': 'jane' }, { user: { id: 'joan' } }, 'must not differ from governance.user.id of the body'],
    ]
    for (const [sent, governance, message] of refusals) {
      const error = await errorOf(send(sent, governance))
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', param: 'x-gatehouse-user' })
      expect(error.message).toContain(`x-gatehouse-user: ${message}`)
    }
    expect((await errorOf(send({ 'x-gatehouse-user': 'jane' }, { user: 'jane' }))).param).toBe('governance.user')
    expect((await errorOf(send({ 'x-gatehouse-user-role': 'clerk' }))).param).toBe('governance.user.id')
  })

  test('verdict: is a header of the response and of a denial [GW-GOV-6]', async () => {
    const response = await send({})
    const { decision, risk_level } = expectSuccess(response).governance
    expect(response.headers.get('x-gatehouse-verdict')).toBe(decision.verdict)
    expect(response.headers.get('x-gatehouse-risk-level')).toBe(risk_level)
    const denied = await governed.post(CHAT, { model: 'scripted', messages: user('juniper-deny') })
    expectError(denied, 'POLICY_DENIED')
    expect(denied.headers.get('x-gatehouse-verdict')).toBe('deny')
    expect(denied.headers.get('x-audit-id')).toBe(denied.body.error.audit_id)
  })
})

describe('governance headers of chats', () => {
  const sendChat = (headers: Readonly<Record<string, string>>) => governed.chat('Good morning', {}, { headers })

  test('session: is that of the review item when sent as a header [GW-GOV-5]', async () => {
    const { id } = await governed.holdPrompt('juniper-hold', { options: { headers: { 'x-gatehouse-session': 's-headers' } } })
    expect(expectSuccess(await governed.admin('GET', `/reviews/${id}`)).session_id).toBe('s-headers')
  })

  test('dry run: calls no provider, and the response says so [GW-GOV-5, GW-GOV-6]', async () => {
    const response = await sendChat({ 'x-gatehouse-dry-run': 'true' })
    expect(expectSuccess(response).governance.dry_run).toBe(true)
    expect(response.headers.get('x-gatehouse-dry-run')).toBe('true')
    const real = await sendChat({ 'x-gatehouse-dry-run': 'false' })
    expect(real.headers.has('x-gatehouse-dry-run')).toBe(false)
  })

  test.each([
    ['x-gatehouse-dry-run', 'yes', 'must be boolean'],
    ['x-gatehouse-wait-seconds', '121', 'must be <= 120'],
    ['x-gatehouse-wait-seconds', 'long', 'must be integer'],
    ['x-gatehouse-session', 'two words', 'must be an identifier'],
    ['x-gatehouse-review-item', '', 'must not be empty'],
  ])('%s: 400 when the value is %j [GW-GOV-5]', async (header, value, message) => {
    const error = expectError(await sendChat({ [header]: value }), 'VALIDATION_ERROR')
    expect(error.param).toBe(header)
    expect(error.message).toContain(`${header}: ${message}`)
  })

  test('session: 400 when the header is sent twice [GW-GOV-5]', async () => {
    const headers = {
      authorization: `Bearer ${governed.key()}`,
      'content-type': 'application/json',
      'x-gatehouse-session': 'a',
      'X-Gatehouse-Session': 'a',
    }
    const body = JSON.stringify({ model: 'scripted', messages: user() })
    const received = await sendBytes(governed.base, formatRequest({ path: CHAT, headers, body }))
    expect(received.toString()).toContain('x-gatehouse-session: must be sent once.')
  })

  test('user of a stored response: 400 when the header is sent twice [GW-GOV-5, GW-RESP-19]', async () => {
    const headers = { authorization: `Bearer ${governed.key()}`, 'x-gatehouse-user': 'alice', 'X-Gatehouse-User': 'bob' }
    const path = '/v1/responses/resp_01h455vb4pex5vsknk084sn02q'
    const received = await sendBytes(governed.base, formatRequest({ method: 'GET', path, headers }))
    expect(received.toString()).toContain('x-gatehouse-user: must be sent once.')
  })

  test('count_tokens: 400 that names the header when it is invalid [GW-GOV-5]', async () => {
    const json = { model: 'scripted', messages: user() }
    const headers = { 'anthropic-version': '2023-06-01', 'x-gatehouse-session': 'two words' }
    const { status, body } = await governed.post('/v1/messages/count_tokens', json, { headers })
    expect([status, body.error.param]).toEqual([400, 'x-gatehouse-session'])
  })

  test('review item: releases a held request when sent as a header [GW-GOV-5, GW-GOV-6]', async () => {
    const held = await governed.holdPrompt()
    expect(held.response.headers.get('x-gatehouse-review-item')).toBe(held.id)
    expect(held.response.headers.get('x-gatehouse-verdict')).toBe('require_approval')
    await governed.decide(held.id, 'approve')
    const headers = { 'x-gatehouse-review-item': held.id, 'x-gatehouse-wait-seconds': '0' }
    const released = await governed.chat(held.prompt, {}, { headers })
    expect(expectSuccess(released).choices[0]?.message.content).toBe(held.answer)
    expect(released.headers.get('x-gatehouse-review-item')).toBe(held.id)
  })
})
