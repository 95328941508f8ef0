import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

describe('enumerations', () => {
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

  test.each(['tool', 'developer', 'function', 'User', '', 7, null, ['user']])(
    'chat message role: %j is 400 VALIDATION_ERROR [GW-ENUM-7]',
    async (role) => {
      const response = await governed.chat([{ role: role as string, content: 'Good morning' }])
      expect(expectError(response, 'VALIDATION_ERROR').param).toBe('messages[0].role')
    },
  )
})
