import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
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
  test('a lookup has its own audit record [GW-PIPE-8]', async () => {
    const response = await governed.api('GET', `/v1/audit/${record.id}`)
    const own = await governed.record(response.headers.get('x-audit-id') ?? '')
    expect(own).toMatchObject({ endpoint: 'audit', status: 200 })
    expect(own.id).not.toBe(record.id)
  })
})
