import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiledPolicy, policyInput } from '../../../../test/support/policies.ts'
import { type DecidingRule, type PolicyPoint, VERDICTS } from '../../../shared/decision.ts'
import { countFindings } from '../../../shared/finding.ts'
import type { CompiledPolicy } from '../compile.ts'
import { evaluate, mergeDecisions } from '../evaluate.ts'
import type { PolicyInput } from '../input.ts'
import { type ReplayedDecision, Replayer } from './replayer.ts'
import { OTHER_VALUE, StoredInput, type StoredRequest } from './stored-input.ts'

/** Conditions on stored values, hashed values, texts and values that are never stored. */
const CONDITIONS = [
  'content.text.contains("zebra")',
  'content.text.contains("zebra") && user.role == "analyst"',
  'user.role == "analyst" || content.text.contains("zebra")',
  '!(content.text.contains("lion")) && request.tokens > 50',
  'content.findings.pii > 0',
  'content.findings["pii.email"] == 2',
  'rank(content.classification) >= rank("confidential")',
  'rank(content.risk_level) > rank("low")',
  'user.id == "jane"',
  'user.id in ["jane", "joe"] && user.verified',
  'user.id.startsWith("ja")',
  'user.id != "joe"',
  'user.attributes.wing == "left"',
  'has(user.attributes.wing)',
  'user.role == "pilot" && user.attributes.wing == "left"',
  'request.stream',
  'request.max_tokens > 100',
  'request.endpoint == "chat"',
  'now.getHours("UTC") < 12',
  'int(user.department) > 3',
  '["a", "b"].exists(x, x == user.role || x == user.department)',
]

const randomRule = fc.record({
  when: fc.constantFrom(...CONDITIONS),
  at: fc.constantFrom(['input'], ['output'], ['input', 'output']),
  verdict: fc.constantFrom(...VERDICTS),
  transforms: fc.subarray(['redact:pii', 'mask:secret']),
  directives: fc.subarray(['memory:off', 'max_tokens:9']),
  risk: fc.constantFrom('low', 'high'),
  on_error: fc.constantFrom('deny', 'skip'),
})
const randomRules = fc
  .array(randomRule, { maxLength: 6 })
  .map((rules) => rules.map((fields, index) => ({ id: `${index}-${fields.verdict}`, ...fields })))

const randomInput = fc
  .record({
    text: fc.constantFrom('a zebra', 'a lion', 'nothing'),
    id: fc.constantFrom('jane', 'joe', 'jack', ''),
    role: fc.constantFrom('analyst', 'a', 'guest'),
    department: fc.constantFrom('4', 'b', ''),
    attributes: fc.constantFrom({}, { wing: 'left' }, { wing: 'right' }),
    verified: fc.boolean(),
    emails: fc.integer({ min: 0, max: 2 }),
    tokens: fc.integer({ min: 0, max: 100 }),
    stream: fc.boolean(),
    classification: fc.constantFrom('internal', 'confidential'),
    riskLevel: fc.constantFrom('low', 'medium'),
    hour: fc.integer({ min: 0, max: 23 }),
  })
  .map(({ text, id, role, department, attributes, verified, emails, tokens, stream, classification, riskLevel, hour }) => {
    const base = policyInput()
    const findings = Array.from({ length: emails }, () => ({ type: 'pii.email' as const, start: 0, end: 1 }))
    return {
      ...base,
      user: { id, role, department, attributes, verified },
      request: { ...base.request, tokens, stream, maxTokens: tokens * 2 },
      content: { ...base.content, text, classification, riskLevel, findings: countFindings([findings]) },
      now: new Date(Date.UTC(2026, 0, 5, hour)),
    } as PolicyInput
  })

const compileRules = (rules: readonly object[]) => compiledPolicy(JSON.stringify({ name: 'test', rules }))

/** Decides as the pipeline does: at input, and at output unless the input ended the request. */
function decide(
  policy: CompiledPolicy,
  input: PolicyInput,
  output: PolicyInput,
): { decision: ReplayedDecision; invoked: boolean } {
  const decideAt = (point: PolicyPoint, given: PolicyInput) => {
    const { verdict, transforms, directives, rules } = evaluate(policy, point, given)
    const matching = policy.rules[point].filter(({ id }) => rules.some((rule) => rule.id === id && rule.error === undefined))
    const risk = matching.some((rule) => rule.risk === 'high') ? 'high' : 'low'
    return { classification: 'public', verdict, transforms, directives, rules, risk } as const
  }
  const atInput = decideAt('input', input)
  if (['deny', 'require_approval'].includes(atInput.verdict)) return { decision: atInput, invoked: false }
  return { decision: mergeDecisions(atInput, decideAt('output', output)), invoked: true }
}

function toStoredRequest(
  rules: readonly DecidingRule[],
  input: PolicyInput,
  output: PolicyInput,
  invoked: boolean,
): StoredRequest {
  const comparedIds = ['jane', 'joe']
  const toValues = ({ user, request, content, now }: PolicyInput) => ({
    'user.id': user.id === '' || comparedIds.includes(user.id) ? user.id : OTHER_VALUE,
    'user.role': user.role,
    'user.department': user.department,
    'user.verified': user.verified,
    'request.endpoint': request.endpoint,
    'request.tokens': request.tokens,
    'request.max_tokens': request.maxTokens,
    'request.stream': request.stream,
    'content.classification': content.classification,
    'content.risk_level': content.riskLevel,
    'content.findings': content.findings,
    now,
  })
  const point = { endingVerdicts: ['deny', 'require_approval'], effectiveVerdicts: {} } as const
  return {
    rules,
    points: [
      { ...point, point: 'input', state: 'evaluated', input: new StoredInput(toValues(input)) },
      { ...point, point: 'output', state: invoked ? 'evaluated' : 'unreached', input: new StoredInput(toValues(output)) },
    ],
  }
}

const sorted = ({ rules, transforms, directives, ...rest }: ReplayedDecision) => ({
  ...rest,
  rules: rules.map((rule) => JSON.stringify(rule)).toSorted(),
  transforms: transforms.toSorted(),
  directives: directives.toSorted(),
})

test('Replayer: unchanged when the draft is the original policy', () => {
  fc.assert(
    fc.property(randomRules, randomInput, randomInput, (rules, input, output) => {
      const original = compileRules(rules)
      const { decision, invoked } = decide(original, input, output)
      const request = toStoredRequest(decision.rules, input, output, invoked)
      const { kind, before, unknown } = new Replayer(original).replay(request, original)
      expect(sorted(before)).toEqual(sorted(decision))
      expect({ kind, unknown }).toEqual({ kind: 'unchanged', unknown: [] })
    }),
    { numRuns: 300 },
  )
})

test('Replayer: changed, unchanged and the known decision are correct on random policies and requests', () => {
  const kinds = { changed: 0, unchanged: 0, unknown: 0 }
  fc.assert(
    fc.property(randomRules, randomRules, randomInput, randomInput, (rules, draftRules, input, output) => {
      const [original, draft] = [compileRules(rules), compileRules(draftRules)]
      const recorded = decide(original, input, output)
      const expected = decide(draft, input, output).decision
      const request = toStoredRequest(recorded.decision.rules, input, output, recorded.invoked)
      const { kind, after, unknown } = new Replayer(draft).replay(request, original)
      kinds[kind] += 1
      const differs = JSON.stringify(sorted(recorded.decision)) !== JSON.stringify(sorted(expected))
      if (kind === 'changed') expect(differs).toBe(true)
      if (kind === 'unchanged') expect(differs).toBe(false)
      if (unknown.length === 0) expect(sorted(after)).toEqual(sorted(expected))
      else expect(unknown.every(({ missing = 'content.text', unreached }) => unreached || NOT_STORED.has(missing))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
  expect(Math.min(...Object.values(kinds))).toBeGreaterThan(5)
})

const NOT_STORED = new Set(['content.text', 'user.id', 'user.attributes'])

describe('Replayer: new condition', () => {
  const replayCondition = (when: string, values: Readonly<Record<string, unknown>>) => {
    const draft = compileRules([{ id: 'new', at: ['input'], when, verdict: 'deny' }])
    const at = {
      point: 'input',
      state: 'evaluated',
      endingVerdicts: [],
      effectiveVerdicts: {},
      input: new StoredInput(values),
    } as const
    return new Replayer(draft).replay({ rules: [], points: [at] }, compileRules([]))
  }

  test.each([
    ['compares a hashed name with another value', 'user.id == "joe"', { 'user.id': OTHER_VALUE }, 'unchanged'],
    ['has the hashed name on the right', '"joe" != user.id', { 'user.id': OTHER_VALUE }, 'changed'],
    ['reads the text of a hashed name', 'user.id.endsWith("e")', { 'user.id': OTHER_VALUE }, 'unknown'],
    ['is decided by stored values', 'content.text.contains("x") && user.role == "b"', { 'user.role': 'a' }, 'unchanged'],
    ['depends on a text', 'content.text.contains("x") && user.role == "a"', { 'user.role': 'a' }, 'unknown'],
    ['fails on a stored value', 'int(user.role) > 1', { 'user.role': 'a' }, 'changed'],
  ])('kind when it %s', (_, when, values, kind) => expect(replayCondition(when, values).kind).toBe(kind))

  test('missing name when it cannot be decided', () => {
    expect(replayCondition('user.attributes.wing == "left"', {}).unknown).toEqual([
      { rule: 'new', point: 'input', missing: 'user.attributes', unreached: false },
    ])
  })
})
