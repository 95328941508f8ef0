import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { compiledPolicy, policyInput, singleRuleDocument } from '../../../test/support/policies.ts'

import { CLASSIFICATIONS, classificationRank, RISK_LEVELS, riskRank } from '../../shared/classification.ts'
import { type PolicyPoint, VERDICTS, verdictRank } from '../../shared/decision.ts'
import { evaluate, mergeDecisions } from './evaluate.ts'

const document = (rules: readonly object[]): string => JSON.stringify({ name: 'test', rules })
const decide = (source: string, changes = {}, at: PolicyPoint = 'input') =>
  evaluate(compiledPolicy(source), at, policyInput(changes))

test('evaluate: allow with the given classification and risk when no rule matches', () => {
  const unchanged = { verdict: 'allow', classification: 'internal', risk: 'low', transforms: [], directives: [], rules: [] }
  expect(evaluate(undefined, 'input', policyInput())).toEqual(unchanged)
  expect(decide(singleRuleDocument('content.text.contains("zebra")'))).toEqual(unchanged)
})

test('evaluate: decision has all matching rules and each of their obligations once', () => {
  const rule = { at: ['input'], when: 'true' }
  const decision = decide(
    document([
      { id: 'a', ...rule, transforms: ['redact:pii', 'truncate:9'], risk: 'medium' },
      { id: 'b', ...rule, verdict: 'escalate', transforms: ['redact:pii'], directives: ['memory:off'] },
      { id: 'c', ...rule, at: ['output'], verdict: 'deny' },
      { id: 'd', ...rule, verdict: 'require_approval', hold_expires_in: '4h', classification: 'restricted' },
      { id: 'e', ...rule, verdict: 'require_approval', hold_expires_in: '10m' },
    ]),
  )
  expect(decision).toEqual({
    verdict: 'require_approval',
    classification: 'restricted',
    risk: 'medium',
    transforms: ['redact:pii', 'truncate:9'],
    directives: ['memory:off'],
    rules: [
      { id: 'a', point: 'input', verdict: 'allow' },
      { id: 'b', point: 'input', verdict: 'escalate' },
      { id: 'd', point: 'input', verdict: 'require_approval' },
      { id: 'e', point: 'input', verdict: 'require_approval' },
    ],
    holdExpiresInMs: 600_000,
  })
})

describe('evaluate: failing condition', () => {
  const attributes = { text: 'x', list: [1, 2], many: Array.from({ length: 501 }, () => 'a') }
  const user = { ...policyInput().user, attributes }

  test.each([
    ['an absent attribute', 'user.attributes.absent == "x"', 'missing_value'],
    ['an absent index', 'user.attributes.list[2] == 1', 'missing_value'],
    ['a comparison of different types', 'user.attributes.text > 3', 'wrong_type'],
    ['an attribute that is not a boolean', 'user.attributes.text', 'not_boolean'],
    ['a choice that is not a boolean', 'user.verified ? true : user.attributes.text', 'not_boolean'],
    ['a division by zero', '1 / request.max_tokens > 0', 'out_of_range'],
    ['a rank of an unknown word', 'rank(user.attributes.text) > 1', 'out_of_range'],
    ['a list that is too long', 'user.attributes.many.exists(a, a == "b")', 'out_of_range'],
    ['a text that is not a number', 'int(user.attributes.text) > 1 || double(user.attributes.text) > 1.0', 'out_of_range'],
    ['a text that is not a time', 'timestamp(user.attributes.text) < now', 'failed'],
  ])('denial with rule and error when the condition has %s', (_, when, error) => {
    const decision = decide(singleRuleDocument(when, { verdict: 'escalate', risk: 'high' }), { user })
    const rules = [{ id: 'rule', point: 'input', verdict: 'deny', error }]
    expect(decision).toMatchObject({ verdict: 'deny', risk: 'low', rules })
  })

  test('decision does not contain the values that the condition reads', () => {
    const secret = { ...user, attributes: { text: 'the-secret' } }
    for (const when of [
      'user.attributes[user.attributes.text] == 1',
      'int(user.attributes.text) == 1',
      'timestamp(user.attributes.text) < now',
    ]) {
      expect(JSON.stringify(decide(singleRuleDocument(when), { user: secret }))).not.toContain('the-secret')
    }
  })

  test('error is ignored when the other operand of && or || decides', () => {
    expect(decide(singleRuleDocument('user.verified && user.attributes.absent == "x"')).verdict).toBe('allow')
    expect(decide(singleRuleDocument('user.attributes.absent == "x" && user.verified')).verdict).toBe('allow')
    expect(decide(singleRuleDocument('user.attributes.absent == "x" || true')).rules).toEqual([
      { id: 'rule', point: 'input', verdict: 'deny' },
    ])
  })
})

const rule = fc.record({
  when: fc.constantFrom('true', 'false', 'user.attributes.absent == "x"'),
  verdict: fc.constantFrom(...VERDICTS),
  risk: fc.constantFrom(...RISK_LEVELS),
  classification: fc.constantFrom(...CLASSIFICATIONS),
})
const withIds = (rules: readonly object[]) =>
  document(rules.map((fields, index) => ({ id: `r${index}`, at: ['input'], ...fields })))

test('evaluate: verdict, risk and classification are never lower when a rule is added', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), rule, fc.nat(5), (rules, added, place) => {
      const [before, after] = [decide(withIds(rules)), decide(withIds(rules.toSpliced(place, 0, added)))]
      expect(verdictRank(after.verdict)).toBeGreaterThanOrEqual(verdictRank(before.verdict))
      expect(riskRank(after.risk)).toBeGreaterThanOrEqual(riskRank(before.risk))
      expect(classificationRank(after.classification)).toBeGreaterThanOrEqual(classificationRank(before.classification))
    }),
    { numRuns: 150 },
  )
})

test('evaluate: strictest verdict of matching and failing rules wins in any order', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), (rules) => {
      const decision = decide(withIds(rules))
      expect(decision.verdict).toBe(
        VERDICTS.findLast((verdict) => decision.rules.some((deciding) => deciding.verdict === verdict)) ?? 'allow',
      )
      expect(decide(withIds(rules.toReversed())).verdict).toBe(decision.verdict)
    }),
    { numRuns: 150 },
  )
})

test('mergeDecisions: stricter verdict and risk, and each rule once', () => {
  const strict = decide(singleRuleDocument('true', { verdict: 'deny', transforms: ['redact:pii'] }))
  const lenient = decide(singleRuleDocument('true', { verdict: 'allow', risk: 'high', directives: ['memory:off'] }))
  expect(mergeDecisions(lenient, strict)).toMatchObject({
    verdict: 'deny',
    risk: 'high',
    transforms: ['redact:pii'],
    directives: ['memory:off'],
  })
  expect(mergeDecisions(strict, strict)).toEqual(strict)
})

test.each<PolicyPoint>(['retrieve', 'recall', 'remember', 'message'])(
  'evaluate: TypeError at %s when the input has no hit, memory or message',
  (point) => {
    expect(() => evaluate(undefined, point, policyInput())).toThrow(TypeError)
  },
)
