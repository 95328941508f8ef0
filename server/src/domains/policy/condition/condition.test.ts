import { isCelError, parse, plan } from '@bufbuild/cel'
import { expect, test } from 'vitest'
import { compiledPolicy, policyInput, singleRuleDocument } from '../../../../test/support/policies.ts'
import type { PolicyPoint } from '../../../shared/decision.ts'
import { evaluate } from '../evaluate.ts'
import { createEnvironment } from './environment.ts'
import { parseCondition } from './syntax.ts'

const decide = (source: string, changes = {}, at: PolicyPoint = 'input') =>
  evaluate(compiledPolicy(source), at, policyInput(changes))

const memory = {
  classification: 'internal',
  regulations: ['gdpr'],
  scope: 'project',
  scopeId: 'p1',
  kind: 'fact',
  createdAt: new Date('2026-01-02T00:00:00Z'),
  expiresAt: null,
}
const hit = {
  classification: 'public',
  regulations: [],
  title: 'Handbook',
  collection: 'hr',
  document: 'doc_1',
  updatedAt: new Date('2026-01-03T00:00:00Z'),
}
const message = { conversationId: 'conv_1', sender: 'u1', group: '' }
const response = { model: 'm', provider: 'p', finishReason: 'length', tokens: 7 }
const attributes = { wing: 'left', level: 3, deep: { a: [true] } }
const user = { id: 'u1', role: 'pilot', department: 'hangar', attributes, verified: true }

test.each<[PolicyPoint, string, object]>([
  ['input', 'user.id == "u1" && user.role == "pilot" && user.department == "hangar" && user.verified', { user }],
  ['input', 'user.attributes.wing == "left" && user.attributes.level > 2 && user.attributes.deep.a[0]', { user }],
  ['input', '"wing" in user.attributes && has(user.attributes.wing) && !has(user.attributes.tail)', { user }],
  ['input', 'application.id == "app_1" && application.name == "test" && !application.settings.memory.enabled', {}],
  ['input', 'request.endpoint == "chat" && request.model == "some-model" && request.session_id == ""', {}],
  ['input', '!request.stream && !request.dry_run && request.message_count == 1', {}],
  ['input', 'request.tokens == 12 && request.max_tokens == 0 && size(content.text) == 12', {}],
  ['input', 'content.text == "Good morning" && content.classification == "internal" && content.risk_level == "low"', {}],
  ['input', 'content.findings["pii.email"] == 0 && content.findings.all(f, content.findings[f] == 0)', {}],
  ['input', 'now == timestamp("2026-03-02T12:00:00Z") && now.getHours("Asia/Tokyo") == 21', {}],
  ['output', 'response.model == "m" && response.provider == "p"', { response }],
  ['output', 'response.finish_reason == "length" && response.tokens == 7', { response }],
  ['output', 'response.model == "" && response.tokens == 0', {}],
  ['retrieve', 'hit.title == "Handbook" && hit.collection == "hr"', { hit }],
  ['retrieve', 'hit.classification == "public" && size(hit.regulations) == 0', { hit }],
  ['recall', 'memory.scope == "project" && memory.scope_id == "p1"', { memory }],
  ['recall', 'memory.kind == "fact" && "gdpr" in memory.regulations', { memory }],
  ['remember', 'memory.expires_at == null && memory.classification == "internal"', { memory }],
  ['remember', 'memory.expires_at > now', { memory: { ...memory, expiresAt: new Date('2027-01-01T00:00:00Z') } }],
  ['message', 'message.conversation_id == "conv_1" && message.sender == "u1" && message.group == ""', { message }],
])('variables: %s rules read %s', (at, when, changes) => {
  expect(decide(singleRuleDocument(when, { verdict: 'deny' }, at), changes, at).rules).toEqual([
    { id: 'rule', point: at, verdict: 'deny' },
  ])
})

test('size: a surrogate pair counts once', () => {
  const content = { ...policyInput().content, text: '😀a\ud800' }
  expect(decide(singleRuleDocument('size(content.text) == 3 && content.text.size() == 3'), { content }).verdict).toBe('deny')
})

test('content.text: a copy of a content with another text is judged by its own text', () => {
  const rule = singleRuleDocument('content.text.contains("zebra")')
  const content = { ...policyInput().content, text: 'a zebra' }
  expect(decide(rule, { content }).verdict).toBe('deny')
  expect(decide(rule, { content: { ...content, text: 'a horse' } }).verdict).toBe('allow')
})

test('parseCondition: error when the source has more than 256 blank characters in a row', () => {
  for (const blank of [' ', '\n', '\t', '\r\n']) {
    expect(parseCondition(`a ==${blank.repeat(4_000)}`)).toEqual({
      message: 'must have at most 256 blank characters in a row',
      offset: 4,
    })
  }
  expect(parseCondition(`1 ==${' '.repeat(256)}1`)).toHaveProperty('expr')
})

const { cel } = createEnvironment()
const evaluateAlone = (source: string): unknown => {
  const result = plan(cel, parse(source))({})
  return isCelError(result) ? result.message : result
}

test.each([
  ['timestamp("2026-03-29T00:59:59Z").getHours("Europe/Berlin")', 1n],
  ['timestamp("2026-03-29T01:00:00Z").getHours("Europe/Berlin")', 3n],
  ['timestamp("2026-03-29T02:30:00Z").getHours()', 2n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek()', 0n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek("+01:00")', 1n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek("01:00")', 1n],
  ['timestamp("2026-01-01T00:00:00Z").getDayOfYear()', 0n],
  ['timestamp("2026-12-31T00:00:00Z").getDayOfYear()', 364n],
  ['timestamp("2026-12-31T23:59:59Z").getFullYear("Asia/Tokyo")', 2027n],
  ['timestamp("2026-12-31T00:00:00Z").getMonth()', 11n],
  ['timestamp("2026-12-31T00:00:00Z").getDate()', 31n],
  ['timestamp("2026-12-31T00:00:00Z").getDayOfMonth()', 30n],
  ['timestamp("2026-12-31T00:00:00.250Z").getMilliseconds()', 250n],
  ['timestamp("2026-12-31T10:20:30Z").getMinutes("Asia/Kolkata")', 50n],
  ['duration("90m").getHours()', 1n],
])('timeFunctions: %s is %s in any time zone of the machine', (source, expected) => expect(evaluateAlone(source)).toBe(expected))
