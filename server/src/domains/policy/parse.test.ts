import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { policySet } from '../../../test/support/policies.ts'
import { parsePolicySet } from './parse.ts'

/** A document with one rule that ends with `lines`. The first of them is line 6 and starts at column 5. */
const document = (...lines: string[]): string =>
  `name: test\nrules:\n  - id: rule\n    description: x\n    at: [input]\n${lines.join('\n').replace(/^/gm, '    ')}\n`

const errorsOf = (source: string): string[] => {
  const parsed = parsePolicySet(source)
  return parsed.ok ? [] : parsed.errors.map(({ line, column, field, message }) => `${line}:${column} ${field}: ${message}`)
}

describe('parsePolicySet: valid document', () => {
  test('set has every field of the document [GW-POL-3]', () => {
    const set = policySet(`
name: acme
tests: [tests/acme.yaml]
texts:
  careful: Answer with care.
rules:
  - id: secrets-never-leave
    description: Credentials must not reach a provider.
    at: [input, message]
    when: content.findings.secret > 0
    verdict: require_approval
    risk: high
    classification: restricted
    transforms: [redact:pii, "truncate:20"]
    directives: ["route:region=eu", system:careful]
    hold_expires_in: 4h
    on_error: skip
`)
    expect(set).toEqual({
      name: 'acme',
      tests: ['tests/acme.yaml'],
      cases: [],
      texts: new Map([['careful', 'Answer with care.']]),
      rules: [
        {
          id: 'secrets-never-leave',
          description: 'Credentials must not reach a provider.',
          at: ['input', 'message'],
          when: 'content.findings.secret > 0',
          condition: expect.any(Function),
          growth: { reads: ['secret'], staysTrue: true, needsWhole: undefined },
          reads: ['content.findings.secret'],
          verdict: 'require_approval',
          risk: 'high',
          classification: 'restricted',
          transforms: ['redact:pii', 'truncate:20'],
          directives: ['route:region=eu', 'system:careful'],
          holdExpiresInMs: 4 * 3_600_000,
          onError: 'skip',
        },
      ],
    })
  })

  test('verdict is allow when the rule sets none', () =>
    expect(policySet(document('when: "true"', 'risk: high')).rules[0]).toMatchObject({ verdict: 'allow', onError: 'deny' }))

  test('condition can be a YAML boolean', () =>
    expect(policySet(document('when: true', 'verdict: deny')).rules[0]?.when).toBe('true'))
})

describe('parsePolicySet: error with line, column and field', () => {
  test.each([
    ['an unknown verdict', 'verdict: perhaps', '7:14 rules[0].verdict: must be one of allow'],
    ['an unknown point', 'verdict: deny\nat: [inputs]', '8:5 rules[0].at: is set twice'],
    ['an unknown field', 'verdict: deny\nwenn: x', '8:5 rules[0].wenn: unknown field'],
    ['a field twice', 'verdict: deny\nverdict: allow', '8:5 rules[0].verdict: is set twice'],
    ['a field without a value', 'verdict:', '7:5 rules[0].verdict: has no value'],
    ['no effect', '', '3:5 rules[0]: has no effect'],
    ['an unknown risk', 'risk: severe', '7:11 rules[0].risk: must be one of low'],
    ['an unknown classification', 'classification: secret', '7:21 rules[0].classification: must be one of public'],
    ['an unknown transform', 'transforms: [redact:pii, blur:pii]', '7:30 rules[0].transforms[1]: unknown transform'],
    ['an unknown finding', 'transforms: ["redact:pii.mail"]', '7:18 rules[0].transforms[0]: unknown transform'],
    ['a bad length', 'transforms: ["truncate:-1"]', '7:18 rules[0].transforms[0]: unknown transform'],
    ['an unknown directive', 'directives: ["fly:away"]', '7:18 rules[0].directives[0]: unknown directive'],
    ['a text that is not declared', 'directives: ["system:x"]', '7:18 rules[0].directives[0]: unknown text x'],
    ['an expiry without a hold', 'verdict: deny\nhold_expires_in: 4h', '8:22 rules[0].hold_expires_in: requires verdict'],
    ['a bad duration', 'verdict: require_approval\nhold_expires_in: 4x', '8:22 rules[0].hold_expires_in: must be a duration'],
    ['a hold of 31 days', 'verdict: require_approval\nhold_expires_in: 31d', '8:22 rules[0].hold_expires_in: must be from 1s'],
    ['a bad on_error', 'verdict: deny\non_error: ignore', '8:15 rules[0].on_error: must be one of deny, skip'],
  ])('%s', (_, lines, expected) => expect(errorsOf(document('when: "true"', lines))[0]).toContain(expected))

  test.each([
    ['no condition', 'verdict: deny', '3:5 rules[0].when: is missing'],
    ['a number for a text', 'when: 1\nverdict: deny', '6:11 rules[0].when: must be text: put it in quotes'],
    ['an anchor', 'when: &x "true"\nverdict: deny', '6:14 : anchors (&name) are not allowed'],
    ['a tag', 'when: !!binary "true"\nverdict: deny', '6:20 : tags (!name) are not allowed'],
    ['broken YAML', 'when: [\nverdict: deny', '7:'],
  ])('%s', (_, lines, expected) => expect(errorsOf(document(lines))[0]).toContain(expected))

  test.each([
    ['syntax', 'content.text.nope(', 23, 'not CEL'],
    ['an unknown variable', 'temperature.high == "x"', 11, 'unknown name temperature; known names: user, application'],
    ['a misspelt variable', 'requst.model == "x"', 11, 'unknown name requst. Did you mean request?'],
    ['an unknown field', 'user.nme == "x"', 15, 'user has no field nme; its fields: id, role'],
    ['a misspelt field', 'user.rol == "x"', 15, 'user has no field rol. Did you mean role?'],
    [
      'an unknown finding',
      'content.findings.no_such_finding > 0',
      27,
      'unknown finding no_such_finding; known findings: pii.email',
    ],
    ['a misspelt finding', 'content.findings.secrets > 0', 27, 'unknown finding secrets. Did you mean secret?'],
    [
      'a misspelt finding in brackets',
      `'content.findings["pii.mail"] > 0'`,
      29,
      'unknown finding pii.mail. Did you mean pii.email?',
    ],
    ['a misspelt function', 'content.text.contain("x")', 23, 'unknown function contain. Did you mean contains?'],
    ['a misspelt loop', 'hit.regulations.exist(x, x == "y")', 26, 'unknown function exist. Did you mean exists?'],
    ['a finding without brackets', 'content.findings.pii.email > 0', 31, 'a whole number has no field email'],
    ['a group as a value', 'user == user', 11, 'user is not a value'],
    ['a name of another point', 'response.model == "x"', 11, 'response is not available at input, only at output'],
    ['text as a condition', 'content.text', 18, 'a condition must be true or false, but this is text'],
    ['a number as a condition', 'request.tokens + 1', 26, 'a condition must be true or false, but this is a whole number'],
    ['text against a number', 'content.text == 3', 24, 'text and a whole number are never equal'],
    ['text above a number', 'content.text > 3', 24, '> does not take text and a whole number'],
    ['text added to a number', 'content.text + 3 == "x"', 24, '+ does not take'],
    [
      'a word that does not exist',
      'content.classification == "confidental"',
      37,
      'unknown classification confidental. Did you mean confidential?',
    ],
    ['a word that is not in the list', 'request.endpoint in ["chats"]', 32, 'unknown endpoint chats'],
    ['words in alphabetical order', 'content.classification >= "internal"', 34, 'this compares words alphabetically'],
    ['ranks of two kinds', 'rank("high") <= rank(content.classification)', 23, 'a risk level and a classification cannot'],
    ['a rank of an unknown word', 'rank("secret") > 1', 16, 'secret is neither'],
    ['an unknown function', 'content.text.lower() == "x"', 23, 'unknown function lower'],
    ['a bad regular expression', 'content.text.matches("(")', 32, 'error parsing regexp'],
    ['a regular expression in a variable', 'content.text.matches(user.id)', 36, 'a regular expression must be a text literal'],
    ['an unknown time zone', 'now.getHours("Europe/Berln") > 8', 24, 'unknown time zone Europe/Berln'],
    ['a bad duration', 'now > now + duration("4x")', 23, 'duration fails'],
    ['a number beyond 64 bits', 'request.tokens > 99999999999999999999', 28, 'the number does not fit into 64 bits'],
    ['has() of a field', 'has(user.id)', 11, 'user.id always exists'],
    ['bytes', `'b"x" == b"y"'`, 11, 'bytes and unsigned numbers'],
    ['types as values', 'type(user.id) == string', 11, 'unknown function type'],
    ['messages', 'google.protobuf.Value{} == null', 11, 'unknown type'],
    ['a loop variable that hides another', 'hit.regulations.exists(user, true)', 26, 'user is already defined'],
    ['three nested loops', 'user.attributes.a.all(x, x.all(y, x.all(z, true)))', 46, 'too many nested loops'],
    ['a search inside two loops', 'user.attributes.a.all(x, x.all(y, y in user.attributes.b))', 46, 'too many nested loops'],
    ['two lists joined', 'user.attributes.a.exists(x, [x] + [x] == [])', 42, 'lists cannot be joined'],
    ['two unknown values added', 'user.attributes.a + user.attributes.b == "x"', 29, 'the types of both sides are unknown'],
    ['map inside a loop', 'user.attributes.a.all(x, x.map(y, y) == x)', 37, 'too many nested loops'],
  ])('condition with %s', (_, when, column, message) =>
    expect(errorsOf(document(`when: ${when}`, 'verdict: deny'))[0]).toContain(`6:${column} rules[0].when: ${message}`),
  )

  test('place in a condition of several lines', () => {
    expect(errorsOf(document('when: |', '  content.text', '    .contains(user.nme)', 'verdict: deny'))).toEqual([
      '8:23 rules[0].when: user has no field nme; its fields: id, role, department, roles, departments, groups, attributes, verified',
    ])
  })

  test('rule: its id is part of its errors, and not of others', () => {
    const rules = 'rules:\n  - { id: no-guests, at: [input], when: user.rol == "guest", verdic: deny }\n'
    const parsed = parsePolicySet(`name: x\n${rules}extra: 1\n`)
    expect(parsed.ok ? [] : parsed.errors.map(({ field, rule, message }) => [field, rule, message])).toEqual([
      ['extra', undefined, 'unknown field; known fields: name, tests, texts, rules'],
    ])
    const inRule = parsePolicySet(`name: x\n${rules}`)
    expect(inRule.ok ? [] : inRule.errors.map(({ rule, message }) => [rule, message])).toEqual([
      ['no-guests', 'has no effect: add one of verdict, risk, classification, transforms, directives'],
      ['no-guests', 'user has no field rol. Did you mean role?'],
      ['no-guests', 'unknown field. Did you mean verdict?'],
    ])
  })

  test('all errors in the order of the document', () => {
    const errors = errorsOf(document('when: user.nme == ""', 'verdict: perhaps', 'risk: severe'))
    expect(errors.map((error) => error.split(' ')[1])).toEqual(['rules[0].when:', 'rules[0].verdict:', 'rules[0].risk:'])
  })

  test('an id that is used twice', () => {
    const rule = '  - { id: a, at: [input], when: true, verdict: deny }\n'
    expect(errorsOf(`name: x\nrules:\n${rule}${rule}`)).toEqual(['4:5 rules[1].id: the id a is used twice: choose another'])
  })

  test.each([
    ['nothing', ''],
    ['a list', '- 1'],
    ['no rules', 'name: x'],
    ['no name', 'rules: []'],
    ['a number as its name', 'name: 1\nrules: []'],
    ['two documents', 'name: x\nrules: []\n---\nname: y\nrules: []'],
    ['an alias', 'name: x\ntexts: {a: &a x, b: *a}\nrules: []'],
  ])('%s', (_, source) => expect(errorsOf(source)).not.toEqual([]))
})

describe('parsePolicySet: condition is accepted when it', () => {
  test.each([
    ['compares an attribute of unknown type', 'user.attributes.wing == "left" && user.attributes.level > 3'],
    ['is an attribute', 'user.attributes.vip'],
    ['tests whether an attribute exists', 'has(user.attributes.wing) || "wing" in user.attributes'],
    ['searches one list in another', 'user.attributes.groups.exists(g, g in application.settings.allowed)'],
    ['counts elements', 'user.attributes.groups.filter(g, g.startsWith("a")).size() > 1'],
    ['reads times', 'now.getHours("Europe/Berlin") < 8 || now > timestamp("2026-01-01T00:00:00Z") + duration("24h")'],
    ['orders classifications', 'rank("confidential") <= rank(content.classification)'],
    ['has a choice', '(user.verified ? request.tokens : request.max_tokens) > 100'],
    ['reads a map', '{"sales": 100, "legal": 10}[user.department] < request.tokens'],
    ['loops over findings', 'content.findings.exists(name, name.startsWith("pii") && content.findings[name] > 3)'],
  ])('%s', (_, when) =>
    expect(errorsOf(JSON.stringify({ name: 'x', rules: [{ id: 'a', at: ['input'], when, verdict: 'deny' }] }))).toEqual([]),
  )
})

describe('parsePolicySet: limits', () => {
  const rules = (count: number): string =>
    `name: x\nrules:\n${Array.from({ length: count }, (_, i) => `  - {id: r${i}, at: [input], when: true, risk: high}\n`).join('')}`

  test('1,000 rules', () => {
    expect(errorsOf(rules(1_000))).toEqual([])
    expect(errorsOf(rules(1_001))[0]).toContain('rules: must have at most 1000 entries')
  })

  test('256 KiB', () =>
    expect(errorsOf(`name: x\nrules: []\n#${'x'.repeat(262_144)}`)[0]).toContain('must have at most 262144 bytes'))

  test('4 KiB for a condition', () => {
    expect(errorsOf(document(`when: true ${'|| true '.repeat(600)}`, 'risk: high'))[0]).toContain(
      'must have at most 4096 characters',
    )
  })

  test.each(['['.repeat(250_000), '- '.repeat(100_000), '{a: '.repeat(60_000), '&a '.repeat(80_000), '!'.repeat(250_000)])(
    'bounded time for a document of nested values (%#)',
    (source) => {
      expect(cpuMs(() => expect(errorsOf(source)).not.toEqual([]))).toBeLessThan(10_000)
    },
  )

  test.each([`${'!('.repeat(800)}a`, `${'-('.repeat(800)}1`, '['.repeat(2_000)])(
    'bounded time for a condition of nested brackets (%#)',
    (when) => {
      const source = JSON.stringify({ name: 'x', rules: [{ id: 'a', at: ['input'], when, verdict: 'deny' }] })
      expect(cpuMs(() => expect(errorsOf(source)[0]).toContain('nested at most 64'))).toBeLessThan(3_000)
    },
  )
})
