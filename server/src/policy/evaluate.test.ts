import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { compiledPolicy, policyInput, singleRuleDocument } from '../../test/support/policies.ts'
import { CLASSIFICATIONS, classificationRank, RISK_LEVELS, riskRank } from '../domain/classification.ts'
import { type PolicyPoint, VERDICTS, verdictRank } from '../domain/decision.ts'
import type { CompiledPolicy } from './compile.ts'
import { evaluate, mergeDecisions } from './evaluate.ts'

const document = (rules: readonly object[]): string => JSON.stringify({ name: 'test', rules })
const decide = (source: string, changes = {}, at: PolicyPoint = 'input') =>
  evaluate(compiledPolicy(source), at, policyInput(changes))

test('no policy, and no rule matching, mean allow at the classification and risk that were found', () => {
  const untouched = { verdict: 'allow', classification: 'internal', risk: 'low', transforms: [], directives: [], rules: [] }
  expect(evaluate(undefined, 'input', policyInput())).toEqual(untouched)
  expect(decide(singleRuleDocument('content.text.contains("zebra")'))).toEqual(untouched)
})

test('every rule that matches is named, and adds what it demands, each thing once', () => {
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

test('a rule cannot lower classification or risk', () => {
  const content = { ...policyInput().content, classification: 'restricted', riskLevel: 'critical' }
  const decision = decide(singleRuleDocument('true', { classification: 'public', risk: 'low' }), { content })
  expect(decision).toMatchObject({ classification: 'restricted', risk: 'critical' })
})

describe('a condition that breaks', () => {
  const attributes = { text: 'x', list: [1, 2], many: Array.from({ length: 501 }, () => 'a') }
  const user = { ...policyInput().user, attributes }

  test.each([
    ['an attribute that is not there', 'user.attributes.absent == "x"', 'missing_value'],
    ['an index that is not there', 'user.attributes.list[2] == 1', 'missing_value'],
    ['a comparison that does not fit', 'user.attributes.text > 3', 'wrong_type'],
    ['an attribute that is no boolean', 'user.attributes.text', 'not_boolean'],
    ['a choice that gives no boolean', 'user.verified ? true : user.attributes.text', 'not_boolean'],
    ['a division by zero', '1 / request.max_tokens > 0', 'out_of_range'],
    ['the rank of no word', 'rank(user.attributes.text) > 1', 'out_of_range'],
    ['more attributes than a condition may go through', 'user.attributes.many.exists(a, a == "b")', 'out_of_range'],
    ['text that is no number', 'int(user.attributes.text) > 1 || double(user.attributes.text) > 1.0', 'out_of_range'],
    ['text that is no time', 'timestamp(user.attributes.text) < now', 'failed'],
  ])('(%s) counts as a denial that names the rule and the failure', (_, when, error) => {
    const decision = decide(singleRuleDocument(when, { verdict: 'escalate', risk: 'high' }), { user })
    expect(decision).toMatchObject({
      verdict: 'deny',
      risk: 'low',
      rules: [{ id: 'rule', point: 'input', verdict: 'deny', error }],
    })
  })

  test('never names what it looked at', () => {
    const secret = { ...user, attributes: { text: 'the-secret' } }
    for (const when of [
      'user.attributes[user.attributes.text] == 1',
      'int(user.attributes.text) == 1',
      'timestamp(user.attributes.text) < now',
    ]) {
      expect(JSON.stringify(decide(singleRuleDocument(when), { user: secret }))).not.toContain('the-secret')
    }
  })

  test('is passed over only in a rule marked on_error: skip', () => {
    const decision = decide(singleRuleDocument('user.attributes.absent == "x"', { verdict: 'deny', on_error: 'skip' }))
    expect(decision).toMatchObject({ verdict: 'allow', rules: [] })
  })

  test('does not matter where the other side of && or || decides', () => {
    expect(decide(singleRuleDocument('user.verified && user.attributes.absent == "x"')).verdict).toBe('allow')
    expect(decide(singleRuleDocument('user.attributes.absent == "x" && user.verified')).verdict).toBe('allow')
    expect(decide(singleRuleDocument('user.attributes.absent == "x" || true')).rules).toEqual([
      { id: 'rule', point: 'input', verdict: 'deny' },
    ])
  })
})

describe('the variables', () => {
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
  const user = {
    id: 'u1',
    role: 'pilot',
    department: 'hangar',
    attributes: { wing: 'left', level: 3, deep: { a: [true] } },
    verified: true,
  }

  test.each<[PolicyPoint, string, object]>([
    ['input', 'user.id == "u1" && user.role == "pilot" && user.department == "hangar" && user.verified', { user }],
    ['input', 'user.attributes.wing == "left" && user.attributes.level > 2 && user.attributes.deep.a[0]', { user }],
    ['input', '"wing" in user.attributes && has(user.attributes.wing) && !has(user.attributes.tail)', { user }],
    ['input', 'application.id == "app_1" && application.name == "test" && !application.settings.memory.enabled', {}],
    ['input', 'request.endpoint == "chat" && request.model == "some-model" && request.session_id == ""', {}],
    [
      'input',
      '!request.stream && !request.dry_run && request.message_count == 1 && request.tokens == 12 && request.max_tokens == 0',
      {},
    ],
    ['input', 'content.text == "Good morning" && content.classification == "internal" && content.risk_level == "low"', {}],
    [
      'input',
      'size(content.text) == 12 && content.findings["pii.email"] == 0 && content.findings.all(f, content.findings[f] == 0)',
      {},
    ],
    ['input', 'now == timestamp("2026-03-02T12:00:00Z") && now.getHours("Asia/Tokyo") == 21', {}],
    [
      'output',
      'response.model == "m" && response.provider == "p" && response.finish_reason == "length" && response.tokens == 7',
      { response },
    ],
    ['output', 'response.model == "" && response.tokens == 0', {}],
    [
      'retrieve',
      'hit.title == "Handbook" && hit.collection == "hr" && hit.classification == "public" && size(hit.regulations) == 0',
      { hit },
    ],
    [
      'recall',
      'memory.scope == "project" && memory.scope_id == "p1" && memory.kind == "fact" && "gdpr" in memory.regulations',
      { memory },
    ],
    ['remember', 'memory.expires_at == null && memory.classification == "internal"', { memory }],
    [
      'remember',
      'memory.expires_at != null && memory.expires_at > now',
      { memory: { ...memory, expiresAt: new Date('2027-01-01T00:00:00Z') } },
    ],
    ['message', 'message.conversation_id == "conv_1" && message.sender == "u1" && message.group == ""', { message }],
  ])('at %s hold %s', (at, when, changes) => {
    expect(decide(singleRuleDocument(when, { verdict: 'deny' }, at), changes, at).rules).toEqual([
      { id: 'rule', point: at, verdict: 'deny' },
    ])
  })

  test.each<PolicyPoint>(['retrieve', 'recall', 'remember', 'message'])('at %s without its subject nothing is answered', (at) => {
    expect(() => evaluate(undefined, at, policyInput())).toThrow(TypeError)
  })

  test('a character outside the basic plane counts once', () => {
    const content = { ...policyInput().content, text: '😀a\ud800' }
    expect(decide(singleRuleDocument('size(content.text) == 3 && content.text.size() == 3'), { content }).verdict).toBe('deny')
  })
})

const rule = fc.record({
  when: fc.constantFrom('true', 'false', 'user.attributes.absent == "x"'),
  verdict: fc.constantFrom(...VERDICTS),
  risk: fc.constantFrom(...RISK_LEVELS),
  classification: fc.constantFrom(...CLASSIFICATIONS),
})
const named = (rules: readonly object[]) => document(rules.map((one, index) => ({ id: `r${index}`, at: ['input'], ...one })))

test('adding a rule never lowers verdict, risk or classification', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), rule, fc.nat(5), (rules, more, place) => {
      const [before, after] = [decide(named(rules)), decide(named(rules.toSpliced(place, 0, more)))]
      expect(verdictRank(after.verdict)).toBeGreaterThanOrEqual(verdictRank(before.verdict))
      expect(riskRank(after.risk)).toBeGreaterThanOrEqual(riskRank(before.risk))
      expect(classificationRank(after.classification)).toBeGreaterThanOrEqual(classificationRank(before.classification))
    }),
    { numRuns: 150 },
  )
})

test('the strictest verdict of the rules that matched or broke wins, whatever their order', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), (rules) => {
      const decision = decide(named(rules))
      expect(decision.verdict).toBe(
        VERDICTS.findLast((verdict) => decision.rules.some((one) => one.verdict === verdict)) ?? 'allow',
      )
      expect(decide(named(rules.toReversed())).verdict).toBe(decision.verdict)
    }),
    { numRuns: 150 },
  )
})

test('two points together are as strict as the stricter, and name a rule once', () => {
  const strict = decide(singleRuleDocument('true', { verdict: 'deny', transforms: ['redact:pii'] }))
  const mild = decide(singleRuleDocument('true', { verdict: 'allow', risk: 'high', directives: ['memory:off'] }))
  expect(mergeDecisions(mild, strict)).toMatchObject({
    verdict: 'deny',
    risk: 'high',
    transforms: ['redact:pii'],
    directives: ['memory:off'],
  })
  expect(mergeDecisions(strict, strict)).toEqual(strict)
})

describe('texts that a caller chose to be searched in a text of his', () => {
  const decideOn = (when: string, words: readonly string[], text: string) =>
    decide(singleRuleDocument(when), {
      user: { ...policyInput().user, attributes: { words } },
      content: { ...policyInput().content, text },
    })
  const any = 'user.attributes.words.exists(w, content.text.contains(w))'
  const words = Array.from({ length: 400 }, (_, i) => `word ${i}`)

  test('are found, also many in a long text', () => {
    expect(decideOn(any, words, `${'some text '.repeat(10_000)} word 399`).rules).toEqual([
      { id: 'rule', point: 'input', verdict: 'deny' },
    ])
    expect(decideOn(any, words, 'some text '.repeat(10_000)).rules).toEqual([])
  })

  test.each([
    ['too many in a megabyte', any, words, 'x'.repeat(1_048_576)],
    ['one against the search', any, [`${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`], 'a'.repeat(1_048_576)],
    [
      'a regular expression for each',
      'user.attributes.words.exists(w, content.text.matches("(?i)b+c"))',
      words,
      'bbc'.repeat(349_525).replaceAll('c', 'd'),
    ],
    ['its length for each', 'user.attributes.words.exists(w, size(content.text) < 3)', words, 'x'.repeat(1_048_576)],
  ])('are an error soon when they would take long (%s)', (_, when, list, text) => {
    const tooComplex = [{ id: 'rule', point: 'input', verdict: 'deny', error: 'too_complex' }]
    expect(cpuMs(() => expect(decideOn(when, list, text).rules).toEqual(tooComplex))).toBeLessThan(5_000)
  })
})

describe('lists gone through inside one another', () => {
  const list = `[${Array.from({ length: 100 }, (_, i) => i).join(',')}]`
  const words = Array.from({ length: 400 }, (_, i) => `word ${i}`)
  const given = (text = '') =>
    policyInput({
      user: { ...policyInput().user, attributes: { words, others: words.map((one) => `${one}!`), text: `${text}a` } },
      content: { ...policyInput().content, text: `${text}b` },
    })
  const all = (when: string) => compiledPolicy(named(Array.from({ length: 200 }, () => ({ when, verdict: 'escalate' }))))
  const outcomes = (policy: CompiledPolicy, text?: string) =>
    new Set(evaluate(policy, 'input', given(text)).rules.map(({ error, verdict }) => error ?? verdict))

  test.each([
    'user.attributes.words.exists(a, user.attributes.others.exists(b, a + "!" == b))',
    `${list}.all(i, ${list}.all(j, request.tokens + i + j >= 0))`,
    'user.attributes.words.all(word, word in user.attributes.words)',
    'user.attributes.words.map(word, word + "!").size() == 400',
  ])('are gone through: %s', (when) => {
    const policy = compiledPolicy(named([{ when, verdict: 'escalate' }]))
    expect(outcomes(policy)).toEqual(new Set(['escalate']))
  })

  test.each([
    ['lists that are written out', `${list}.all(i, ${list}.all(j, request.tokens + i + j >= 0))`, ''],
    ["a caller's lists", 'user.attributes.words.exists(a, user.attributes.others.exists(b, a == b))', ''],
    ['one list in another', 'user.attributes.words.all(word, word in user.attributes.words)', ''],
    ['what is gathered', 'user.attributes.words.map(word, word + "!").size() > 999', ''],
    ['equal texts', 'user.attributes.words.all(a, user.attributes.text != content.text)', 'x'.repeat(1_048_576)],
    ['texts in order', 'user.attributes.words.all(a, user.attributes.text < content.text)', 'x'.repeat(1_048_576)],
  ])('in every rule are an error soon (%s)', (_, when, text) => {
    const policy = all(when)
    expect(cpuMs(() => expect(outcomes(policy, text)).toContain('too_complex'))).toBeLessThan(5_000)
  })
})

test('a megabyte of text passes forty conditions in bounded time', () => {
  const rules = Array.from({ length: 40 }, (_, i) => ({
    when:
      i % 2
        ? `content.text.matches("(?i)\\\\bword${i}\\\\b.{0,20}transfer")`
        : `content.text.contains("zebra-${i}") || size(content.text) < 3`,
    verdict: 'deny',
  }))
  const content = { ...policyInput().content, text: 'word and transfer, words about warehouses. '.repeat(25_000) }
  const policy = compiledPolicy(named(rules))
  expect(cpuMs(() => void evaluate(policy, 'input', policyInput({ content })))).toBeLessThan(5_000)
})
