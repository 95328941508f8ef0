import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compiledPolicy, policyInput } from '../../../test/support/policies.ts'
import { type DecidingRule, type PolicyPoint, VERDICTS } from '../../domain/decision.ts'
import { countFindings } from '../../domain/finding.ts'
import type { CompiledPolicy } from '../compile.ts'
import { evaluate, mergeDecisions } from '../evaluate.ts'
import type { PolicyInput } from '../input.ts'
import type { ReplayedDecision } from './replayed-decision.ts'
import { Replayer } from './replayer.ts'
import { OTHER_VALUE, StoredInput } from './stored-input.ts'
import type { StoredRequest } from './stored-request.ts'

/** Of stored values, of hashed ones, of texts and of what nobody stores. */
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
  'user.role == "nobody" && user.attributes.wing == "left"',
  'request.stream',
  'request.max_tokens > 100',
  'request.endpoint == "chat"',
  'now.getHours("UTC") < 12',
  'int(user.department) > 3',
  '["a", "b"].exists(x, x == user.role || x == user.department)',
]

const rule = fc.record({
  when: fc.constantFrom(...CONDITIONS),
  at: fc.constantFrom(['input'], ['output'], ['input', 'output']),
  verdict: fc.constantFrom(...VERDICTS),
  transforms: fc.subarray(['redact:pii', 'mask:secret']),
  directives: fc.subarray(['memory:off', 'max_tokens:9']),
  risk: fc.constantFrom('low', 'high'),
  on_error: fc.constantFrom('deny', 'skip'),
})
const policy = fc
  .array(rule, { maxLength: 6 })
  .map((rules) => rules.map((one, index) => ({ id: `${index}-${one.verdict}`, ...one })))

const input = fc
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
    const emailed = Array.from({ length: emails }, () => ({ type: 'pii.email' as const, start: 0, end: 1 }))
    return {
      ...base,
      user: { id, role, department, attributes, verified },
      request: { ...base.request, tokens, stream, maxTokens: tokens * 2 },
      content: { ...base.content, text, classification, riskLevel, findings: countFindings(emailed) },
      now: new Date(Date.UTC(2026, 0, 5, hour)),
    } as PolicyInput
  })

const document = (rules: readonly object[]) => compiledPolicy(JSON.stringify({ name: 'test', rules }))

/** As the pipeline decides: input, and output unless input has ended it. */
function decide(
  decided: CompiledPolicy,
  given: PolicyInput,
  answer: PolicyInput,
): { demand: ReplayedDecision; answered: boolean } {
  const raised = { classification: 'public', risk: 'low' } as const
  const only = (point: PolicyPoint, at: PolicyInput) => {
    const { verdict, transforms, directives, rules } = evaluate(decided, point, at)
    const classes = decided.rules[point].filter(({ id }) => rules.some((one) => one.id === id && one.error === undefined))
    const risk = classes.some((one) => one.risk === 'high') ? 'high' : 'low'
    return { ...raised, verdict, transforms, directives, rules, risk } as const
  }
  const atInput = only('input', given)
  if (['deny', 'require_approval'].includes(atInput.verdict)) return { demand: atInput, answered: false }
  return { demand: mergeDecisions(atInput, only('output', answer)), answered: true }
}

function stored(rules: readonly DecidingRule[], given: PolicyInput, answer: PolicyInput, answered: boolean): StoredRequest {
  const known = ['jane', 'joe']
  const facts = ({ user, request, content, now }: PolicyInput) => ({
    'user.id': user.id === '' || known.includes(user.id) ? user.id : OTHER_VALUE,
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
      { ...point, point: 'input', state: 'evaluated', input: new StoredInput(facts(given)) },
      { ...point, point: 'output', state: answered ? 'evaluated' : 'unreached', input: new StoredInput(facts(answer)) },
    ],
  }
}

const comparable = ({ rules, transforms, directives, ...rest }: ReplayedDecision) => ({
  ...rest,
  rules: rules.map((one) => JSON.stringify(one)).toSorted(),
  transforms: transforms.toSorted(),
  directives: directives.toSorted(),
})

test('the policy that was in force changes nothing', () => {
  fc.assert(
    fc.property(policy, input, input, (rules, given, answer) => {
      const decided = document(rules)
      const { demand, answered } = decide(decided, given, answer)
      const { kind, before, unknown } = new Replayer(decided).replay(stored(demand.rules, given, answer, answered), decided)
      expect(comparable(before)).toEqual(comparable(demand))
      expect({ kind, unknown }).toEqual({ kind: 'unchanged', unknown: [] })
    }),
    { numRuns: 300 },
  )
})

test('what is called changed has changed, what is called unchanged has not, and nothing known is wrong', () => {
  const kinds = { changed: 0, unchanged: 0, unknown: 0 }
  fc.assert(
    fc.property(policy, policy, input, input, (rules, drafted, given, answer) => {
      const [decided, draft] = [document(rules), document(drafted)]
      const then = decide(decided, given, answer)
      const now = decide(draft, given, answer)
      const { kind, after, unknown } = new Replayer(draft).replay(
        stored(then.demand.rules, given, answer, then.answered),
        decided,
      )
      kinds[kind] += 1
      const differs = JSON.stringify(comparable(then.demand)) !== JSON.stringify(comparable(now.demand))
      if (kind === 'changed') expect(differs).toBe(true)
      if (kind === 'unchanged') expect(differs).toBe(false)
      if (unknown.length === 0) expect(comparable(after)).toEqual(comparable(now.demand))
      else expect(unknown.every(({ missing = 'content.text', unreached }) => unreached || MAY_BE_MISSING.has(missing))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
  expect(Math.min(...Object.values(kinds))).toBeGreaterThan(5)
})

const MAY_BE_MISSING = new Set(['content.text', 'user.id', 'user.attributes'])

describe('a new condition', () => {
  const replayed = (when: string, facts: Readonly<Record<string, unknown>>) => {
    const draft = document([{ id: 'new', at: ['input'], when, verdict: 'deny' }])
    const at = {
      point: 'input',
      state: 'evaluated',
      endingVerdicts: [],
      effectiveVerdicts: {},
      input: new StoredInput(facts),
    } as const
    return new Replayer(draft).replay({ rules: [], points: [at] }, document([]))
  }

  test.each([
    ['compares a name that is some other', 'user.id == "joe"', { 'user.id': OTHER_VALUE }, 'unchanged'],
    ['compares it both ways', '"joe" != user.id', { 'user.id': OTHER_VALUE }, 'changed'],
    ['looks into a name that is hashed', 'user.id.endsWith("e")', { 'user.id': OTHER_VALUE }, 'unknown'],
    ['is decided by what is stored', 'content.text.contains("x") && user.role == "b"', { 'user.role': 'a' }, 'unchanged'],
    ['hangs on a text', 'content.text.contains("x") && user.role == "a"', { 'user.role': 'a' }, 'unknown'],
    ['breaks on what is stored', 'int(user.role) > 1', { 'user.role': 'a' }, 'changed'],
  ])('that %s', (_, when, facts, kind) => {
    expect(replayed(when, facts).kind).toBe(kind)
  })

  test('that cannot be decided names what is missing', () => {
    expect(replayed('user.attributes.wing == "left"', {}).unknown).toEqual([
      { rule: 'new', point: 'input', missing: 'user.attributes', unreached: false },
    ])
  })
})
