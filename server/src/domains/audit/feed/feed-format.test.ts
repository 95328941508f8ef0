import { describe, expect, test } from 'vitest'
import { type AuditRecord, createChangeDraft } from '../record/record.ts'
import { type FeedPosition, feedPlace, formatCursor, parseCursor } from './cursor.ts'
import { OCSF_VERSION, toOcsf } from './ocsf.ts'

const ID = 'ws_01h45ytscbebyvny4gc8cr8ma2'
const change = { action: 'key.revoke', object_type: 'key', object_id: 'key_1', fields: [] }
const draft = createChangeDraft({ id: 'aud_1', workspaceId: ID, at: new Date('2026-03-01T09:00:00Z'), actor: 'u1', change })
const integrity = { sequence: 7, prev_hash: '0'.repeat(64), hash: 'f'.repeat(64) }
const changed: AuditRecord = { ...draft, integrity }
const decision = {
  verdict: 'deny',
  transforms: [],
  directives: [],
  rules: [{ id: 'no|cards=1', point: 'input', verdict: 'deny' }],
} as const
const denied: AuditRecord = {
  ...changed,
  endpoint: 'chat',
  application_id: 'app_1',
  change: null,
  status: 403,
  error_code: 'POLICY_DENIED',
  risk_level: 'high',
  decision,
  findings: { input: { 'pii.card': 2 } },
  user: { id: 'u1', verified: true, role: 'a=b', department: 'R\\D\nLab' },
  attempts: [{ provider: 'openai', model: 'small', status: 200, outcome: 'ok', ms: 5, prompt_tokens: 3, completion_tokens: 4 }],
}

describe('OCSF', () => {
  test('toOcsf: a denied chat is a blocked API activity with risk, model and tokens [GW-AUD-13]', () => {
    expect(toOcsf(denied, '1.2.3')).toMatchObject({
      class_uid: 6003,
      category_uid: 6,
      activity_id: 1,
      type_uid: 600301,
      time: Date.parse('2026-03-01T09:00:00Z'),
      severity_id: 4,
      status_id: 2,
      status_code: '403',
      status_detail: 'POLICY_DENIED',
      action_id: 2,
      disposition_id: 2,
      is_alert: true,
      risk_level_id: 3,
      metadata: { version: OCSF_VERSION, uid: 'aud_1', sequence: 7, tenant_uid: ID, product: { version: '1.2.3' } },
      actor: { user: { uid: 'u1' }, app_uid: 'app_1' },
      api: { operation: 'chat', response: { code: 403 } },
      ai_model: { name: 'small', ai_provider: 'openai' },
      message_context: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      unmapped: { findings: { input: { 'pii.card': 2 } } },
    })
  })

  test.each([
    ['key.revoke', 4],
    ['policy.publish', 3],
    ['application.create', 1],
    ['audit.export', 2],
  ])('toOcsf: the change %s has the activity %i', (action, activity) => {
    const event = toOcsf({ ...changed, change: { ...change, action } }, '1')
    expect(event).toMatchObject({ activity_id: activity, resources: [{ type: 'key', uid: 'key_1' }] })
    expect(event).not.toHaveProperty('action_id')
  })

  test.each([
    ['allow', 200, 1],
    ['escalate', 200, 19],
    ['require_approval', 409, 14],
    ['require_approval', 200, 8],
  ] as const)('toOcsf: the verdict %s with status %i has the disposition %i', (verdict, status, disposition) => {
    const record = { ...denied, status, review: { id: 'rev_1' }, decision: { ...decision, verdict } }
    expect(toOcsf(record, '1')).toMatchObject({ disposition_id: disposition })
  })
})

test('cursor: is read back, and refused when it was not made here', () => {
  const position = { [ID]: feedPlace(12, '0123456789abcdef') }
  expect(parseCursor(formatCursor(position))).toEqual(position)
  const hash = '01234567'
  const crafted = [{ nonsense: [1, hash] }, { [ID]: [-1, hash] }, { [ID]: [1.5, hash] }, { [ID]: [1, 'x'] }, { [ID]: 1 }]
  for (const wrong of ['', 'x', '12', ...crafted.map((position) => formatCursor(position as unknown as FeedPosition))])
    expect(parseCursor(wrong)).toBeUndefined()
})
