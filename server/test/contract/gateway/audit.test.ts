import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess, type GatewayResponse } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

const record = await governed.record(expectSuccess((await governed.sendPrompt()).response).governance.audit_id)

describe('GET /v1/audit/{id} [GW-AUD-1]', () => {
  test('response 200: the audit record of an execution of the calling Application [GW-PATH-6]', () => {
    expect(record).toMatchObject({ id: expect.stringMatching(/^aud_/), object: 'audit_record', endpoint: 'chat' })
  })
  test('404 NOT_FOUND: unknown id [API-ERR-7]', async () => {
    for (const id of [
      'aud_01h455vb4pex5vsknk084sn02q',
      'nonsense',
      '%20',
      'aud_%F0%9F%A6%8A',
      `aud_${'z'.repeat(26)}`,
      'x'.repeat(250),
    ]) {
      const response = await governed.api('GET', `/v1/audit/${id}`)
      expect(expectError(response, 'NOT_FOUND').type).toBe('not_found_error')
    }
  })
  test('the request id of a response finds the record, also one of a refusal, a hold that was approved and a stream', async () => {
    const idsOf = ({ headers }: GatewayResponse) => [headers.get('x-request-id') ?? '', headers.get('x-audit-id') ?? '']
    const find = async (id: string) => expectSuccess(await governed.api('GET', `/v1/audit/${id}`))
    for (const response of [
      (await governed.sendPrompt()).response,
      (await governed.sendPrompt('juniper-deny')).response,
      (await governed.sendPrompt('', { more: { stream: true } })).response,
    ]) {
      const [requestId = '', auditId] = idsOf(response)
      expect((await find(requestId)).id).toBe(auditId)
    }
    const pending = async () =>
      (await governed.admin('GET', '/reviews?state=pending&limit=100')).body.data.map(({ id }) => String(id))
    const before = await pending()
    const waiting = governed.sendPrompt('juniper-hold', { more: { governance: { wait_for_approval_seconds: 60 } } })
    const opened = async () => (await pending()).find((id) => !before.includes(id))
    await expect.poll(opened, { timeout: 20_000 }).toBeDefined()
    const reviewId = String(await opened())
    await governed.decide(reviewId, 'approve')
    const { response } = await waiting
    const [requestId = '', auditId] = idsOf(response)
    const [hold, release] = [await find(requestId), await find(auditId ?? '')]
    expect([hold.status, release.status, hold.id === release.id]).toEqual([409, 200, false])
    for (const { review } of [hold, release]) expect(review).toMatchObject({ id: reviewId })
  })
  test('a request id that the client chose finds no record, also if it is that of another request', async () => {
    const first = (await governed.sendPrompt()).response
    const headers = { 'x-request-id': first.headers.get('x-request-id') ?? '' }
    const second = (await governed.sendPrompt('', { options: { headers } })).response
    expect([second.status, second.headers.get('x-request-id')]).toEqual([200, headers['x-request-id']])
    expect(second.headers.get('x-audit-id')).not.toBe(first.headers.get('x-audit-id'))
    const found = expectSuccess(await governed.api('GET', `/v1/audit/${headers['x-request-id']}`))
    expect(found.id).toBe(first.headers.get('x-audit-id'))
    const chosen = (await governed.sendPrompt('', { options: { headers: { 'x-request-id': `req_${'0'.repeat(26)}` } } })).response
    expectSuccess(chosen)
    expectError(await governed.api('GET', `/v1/audit/req_${'0'.repeat(26)}`), 'NOT_FOUND')
  })
  test('a lookup has its own audit record [GW-PIPE-8]', async () => {
    const response = await governed.api('GET', `/v1/audit/${record.id}`)
    const own = await governed.record(response.headers.get('x-audit-id') ?? '')
    expect(own).toMatchObject({ endpoint: 'audit', status: 200 })
    expect(own.id).not.toBe(record.id)
  })
})
