import { describe, expect, test } from 'vitest'
import { compiledPolicy } from '../../../test/support/policies.ts'

function growingOutputOf(...rules: readonly object[]) {
  const named = rules.map((rule, index) => ({ id: `rule-${index}`, at: ['output'], ...rule }))
  return compiledPolicy(JSON.stringify({ name: 'test', rules: named })).growingOutput
}
const denyWhen = (when: string) => growingOutputOf({ when, verdict: 'deny' })

const GROWING = [
  'content.findings.pii > 0',
  'content.findings["secret.api_key"] >= 2',
  '0 < content.findings["pii.email"]',
  'content.findings.secret != 0',
  'content.findings.pii > request.message_count',
  'content.classification == "restricted"',
  'content.classification in ["restricted", "confidential"]',
  'rank(content.classification) >= rank("confidential")',
  'user.role == "guest" && content.findings.pii > 0',
  '!(user.role == "guest") && (content.findings.pii > 0 || content.findings.secret > 0)',
]
const WHOLE = [
  ['content.text.contains("x")', 'it reads content.text'],
  ['content.plain.size() > 3', 'it reads content.plain'],
  ['content.findings.pii == 0', 'it compares content.findings.pii with =='],
  ['content.findings.pii == 2', 'it compares content.findings.pii with =='],
  ['content.findings.pii != 2', 'it compares content.findings.pii with !='],
  ['content.findings.pii < 2', 'it compares content.findings.pii with <'],
  ['2 >= content.findings.pii', 'it compares content.findings.pii with >='],
  ['!(content.findings.pii > 0)', 'it negates a value that depends on the text'],
  ['content.classification == "internal"', 'it reads content.classification'],
  ['content.classification != "restricted"', 'it reads content.classification'],
  ['content.classification in ["internal", "restricted"]', 'it reads content.classification'],
  ['content.findings.pii > content.findings.secret', 'it compares content.findings.pii with >'],
  ['content.findings.pii > 0 && response.tokens > 5', 'it reads response.tokens'],
  ['content.tool_calls.exists(call, call.name == "x")', 'it reads content.tool_calls'],
  ['content.unread > 0', 'it reads content.unread'],
] as const
const UNBOUNDED = [
  'content.findings.injection > 0',
  'content.findings["hidden.text"] > 0',
  'rank(content.risk_level) >= rank("high")',
]

describe('output rules on a growing text [GW-WIN-8]', () => {
  test.each(GROWING)('condition: can be judged, and denies early: %s', (when) =>
    expect(denyWhen(when)).toMatchObject({ needsWhole: undefined, earlyDenials: [{ id: 'rule-0' }] }),
  )

  test.each(WHOLE)('condition: needs the whole response: %s', (when, reason) => {
    const { needsWhole, earlyDenials } = denyWhen(when)
    expect(needsWhole).toEqual({ rule: 'rule-0', reason })
    expect(earlyDenials).toEqual([])
  })

  test.each([
    'content.findings.pii > 0 && now < timestamp("2030-01-01T00:00:00Z")',
    'content.findings.pii > 0 || now.getHours() < 6',
  ])('condition: can be judged, and does not deny early, because the time at the end decides: %s', (when) =>
    expect(denyWhen(when)).toEqual({ needsWhole: undefined, reads: ['pii'], earlyDenials: [] }),
  )

  test.each(UNBOUNDED)('condition: needs the whole response, but bounded findings can deny early: %s', (when) => {
    const { needsWhole, earlyDenials } = denyWhen(when)
    expect(needsWhole).toMatchObject({ rule: 'rule-0' })
    expect(earlyDenials).toHaveLength(1)
  })

  test('condition: one that reads nothing of the text can be judged, and denies at the end', () =>
    expect(denyWhen('user.role == "guest"')).toEqual({ needsWhole: undefined, reads: [], earlyDenials: [] }))

  test.each([
    [{ transforms: ['truncate:40'] }, 'its transform is truncate:40'],
    [{ transforms: ['redact:pii', 'redact:injection'] }, 'its transform is redact:injection'],
  ])('effect: needs the whole response: %o', (effect, reason) =>
    expect(growingOutputOf({ when: 'user.verified', ...effect }).needsWhole).toEqual({ rule: 'rule-0', reason }),
  )

  test('transform: one of personal data or secrets can be judged', () => {
    const output = growingOutputOf({ when: true, transforms: ['redact:pii', 'mask:secret.token'] })
    expect(output).toEqual({ needsWhole: undefined, reads: ['pii', 'secret.token'], earlyDenials: [] })
  })

  test.each(['require_approval', 'escalate'])('verdict: %s can be judged on findings', (verdict) => {
    const output = growingOutputOf({ when: 'content.findings["pii.iban"] > 0', verdict })
    expect(output).toEqual({ needsWhole: undefined, reads: ['pii.iban'], earlyDenials: [] })
  })

  test.each([
    ['content.findings["pii.email"] > 0 || content.findings.secret > 0', ['pii.email', 'secret']],
    ['content.classification == "restricted"', ['pii', 'secret']],
    ['user.role == "guest"', []],
  ])('findings: those that a condition reads: %s', (when, reads) => expect(denyWhen(when).reads).toEqual(reads))

  test('policy set: rules of other points do not matter', () => {
    const input = { at: ['input'], when: 'content.text.contains("x")', verdict: 'require_approval' }
    expect(growingOutputOf(input).needsWhole).toBeUndefined()
  })
})
