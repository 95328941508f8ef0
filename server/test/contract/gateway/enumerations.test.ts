import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

const capture = (field: string, value: unknown) =>
  governed.post('/v1/memory/capture', {
    content: 'Prefers mornings',
    scope: 'application',
    scope_id: 'apollo',
    kind: 'fact',
    classification: 'internal',
    [field]: value,
  })

describe('enumerations', () => {
  describe.each([
    ['classification', ['public', 'internal', 'confidential', 'restricted'], ['secret', 'Public', '', 3, null]],
    ['scope', ['user', 'session', 'application', 'department', 'project', 'workspace'], ['global', 'User', '', 3, null]],
    ['kind', ['fact', 'preference', 'decision', 'summary', 'workflow_state'], ['opinion', 'Fact', '', 3, null]],
  ])('%s (memory capture) [GW-ENUM-1, GW-ENUM-2, GW-ENUM-3]', (field, allowed, invalid) => {
    test.each(allowed)('%s is accepted', async (value) => {
      // The value is valid, so the only error left is that memory is off.
      const { message, param } = expectError(await capture(field, value), 'VALIDATION_ERROR')
      expect(message).toMatch(/not enabled/)
      expect(param).toBeNull()
    })
    test.each(invalid)('%j is 400 VALIDATION_ERROR and names the field', async (value) => {
      expect(expectError(await capture(field, value), 'VALIDATION_ERROR').param).toBe(field)
    })
  })

  test.each(['public', 'internal', 'confidential', 'restricted'])(
    'classification %s: a rule raises to it and never lowers it [GW-ENUM-1]',
    async (value) => {
      const { response } = await governed.sendPrompt(`juniper-class-${value}`)
      const { classification } = await governed.record(expectSuccess(response).governance.audit_id)
      // Content without findings starts as `internal` (GW-POL-7).
      expect(classification).toBe(value === 'public' ? 'internal' : value)
    },
  )

  test.each(['low', 'medium', 'high', 'critical'])('risk_level: %s [GW-ENUM-5]', async (risk) => {
    const { response } = await governed.sendPrompt(`juniper-risk-${risk}`)
    expect(expectSuccess(response).governance.risk_level).toBe(risk)
  })

  test.each(['system', 'user', 'assistant'])('chat message role: %s [GW-ENUM-7]', async (role) => {
    expectSuccess(await governed.chat([{ role, content: 'Good morning' }]))
  })
  test.each(['tool', 'developer', 'function', 'User', '', 7, null, ['user']])(
    'chat message role: %j is 400 VALIDATION_ERROR [GW-ENUM-7]',
    async (role) => {
      const response = await governed.chat([{ role: role as string, content: 'Good morning' }])
      expect(expectError(response, 'VALIDATION_ERROR').param).toBe('messages[0].role')
    },
  )
})
