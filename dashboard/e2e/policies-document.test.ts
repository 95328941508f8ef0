import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FUNCTIONS } from '../../server/src/domains/policy/condition/functions.ts'
import { VARIABLES } from '../../server/src/domains/policy/condition/variables.ts'
import { parsePolicySet } from '../../server/src/domains/policy/parse.ts'
import { RULE_FIELDS } from '../../server/src/domains/policy/rule-reader.ts'
import { parseTransform } from '../../server/src/domains/policy/transforms.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../server/src/shared/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../server/src/shared/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES } from '../../server/src/shared/finding.ts'
import { fromCel, toCel } from '../src/features/policies/condition-form.ts'
import { mergeTexts, resolve } from '../src/features/policies/merge.ts'
import { addTemplate, addTest, putRule, rulesIn } from '../src/features/policies/rule-document.ts'
import { NEW_RULE, toItemYaml, toRuleYaml } from '../src/features/policies/rule-fields.ts'
import * as vocabulary from '../src/features/policies/vocabulary.ts'

const examples = join(import.meta.dirname, '../../examples/policies')
const DEMO = readFileSync(join(examples, 'demo.yaml'), 'utf8')
const cookbook = readdirSync(join(examples, 'cookbook')).map((file) => readFileSync(join(examples, 'cookbook', file), 'utf8'))

const errorsOf = (source: string | undefined) => {
  const parsed = parsePolicySet(source ?? '')
  return parsed.ok ? [] : parsed.errors
}
const idsOf = (source: string) => rulesIn(source).map(({ id }) => id)

test.each([
  'true',
  'user.role == "guest"',
  'user.role in ["guest", "intern"] && !user.verified',
  'content.findings["pii.email"] > 0 || content.findings.secret > 0',
  'rank(content.classification) >= rank("confidential") && request.tokens > 200',
  'content.text.contains("a && \\"b\\" || c") && size(content.text) > 1000',
  '!(user.department in ["a", "b"]) && application.name != "support"',
])('condition form: shows and writes %s', (condition) => {
  const form = fromCel(condition)
  expect(form && toCel(form)).toBe(condition)
  const rule = { ...NEW_RULE, id: 'a', match: form?.match ?? 'all', clauses: form?.clauses ?? [] }
  expect(errorsOf(`name: x\nrules:\n${toRuleYaml(rule)}`)).toEqual([])
})

test.each([
  'user.role == "guest" && user.id == "a" || user.verified',
  'has(user.attributes.wing)',
  'content.text.matches(r"x")',
  'user.verified == true',
])('condition form: leaves %s to the editor', (condition) => expect(fromCel(condition)).toBeUndefined())

test('rule form: an edited rule replaces its text only', () => {
  const rule = rulesIn(DEMO).find(({ id }) => id === 'guests-are-brief')
  if (!rule?.fields) throw new Error('the form cannot show the rule')
  const edited = putRule(DEMO, toRuleYaml({ ...rule.fields, directives: ['max_tokens:100'] }), rule) ?? ''
  expect(errorsOf(edited)).toEqual([])
  expect(idsOf(edited)).toEqual(idsOf(DEMO))
  expect(edited).toContain('directives: [max_tokens:100]')
  expect(edited.slice(0, rule.from)).toBe(DEMO.slice(0, rule.from))
})

test('rule form: a new rule follows the last one, in a document of any form', () => {
  const rule = toRuleYaml({ ...NEW_RULE, id: 'new', hold_expires_in: '4h', verdict: 'require_approval' })
  for (const source of [
    DEMO,
    'name: x\nrules: []\n',
    'name: x\n',
    'name: x\nrules:\n',
    'name: x\nrules:\n- {id: a, at: [input], when: "true", risk: low}',
  ]) {
    const added = putRule(source, rule) ?? ''
    expect(errorsOf(added), added).toEqual([])
    expect(idsOf(added)).toEqual([...idsOf(source), 'new'])
  }
  expect(putRule('name: [', rule)).toBeUndefined()
})

test('rule form: a rule with a comment inside is left to the editor', () => {
  const source = 'name: x\nrules:\n  - id: a\n    at: [input]\n    # why\n    when: "true"\n    risk: low\n'
  expect(rulesIn(source)[0]?.fields).toBeUndefined()
})

test('templates: all of them can be added to the demo, also twice', () => {
  let source = DEMO
  for (const template of [...cookbook, ...cookbook]) source = addTemplate(source, template, true) ?? ''
  expect(errorsOf(source)).toEqual([])
  expect(new Set(idsOf(source)).size).toBe(idsOf(source).length)
  expect(idsOf(source).length).toBe(idsOf(DEMO).length + 2 * cookbook.flatMap(idsOf).length)
})

test('tests: one is added to a document without tests, with names of files in one line, and with cases', () => {
  const test = toItemYaml({ name: 'tried', at: 'input', expect: { verdict: 'allow', rules: [] } })
  const rules = 'rules:\n  - { id: a, description: a, at: [input], when: true, verdict: deny }\n'
  for (const [tests, count] of [
    ['', 0],
    ['tests: []\n', 0],
    ['tests: [a.yaml, { name: one, at: input, expect: { verdict: deny } }]\n', 1],
    ['tests:\n  - a.yaml # of the team\n', 0],
  ] as const) {
    const source = addTest(`name: tried\n${tests}${rules}`, test) ?? ''
    const parsed = parsePolicySet(source)
    expect(parsed.ok && parsed.set.cases.length, source).toBe(count + 1)
    expect(parsed.ok && parsed.set.tests.length, source).toBe(tests.includes('a.yaml') ? 1 : 0)
    expect(source).toContain('rules: []')
  }
})

test('merge: changes of different lines merge, those of the same lines need a choice', () => {
  const base = 'a\nb\nc\nd\ne\n'
  expect(resolve(mergeTexts(base.replace('a', 'A'), base, base.replace('e', 'E')), {})).toBe('A\nb\nc\nd\nE\n')
  const parts = mergeTexts(base.replace('c', 'mine'), base, base.replace('c', 'theirs'))
  const conflict = parts.findIndex(({ kind }) => kind === 'conflict')
  expect(resolve(parts, {})).toBeUndefined()
  expect(resolve(parts, { [conflict]: 'other' })).toBe('a\nb\ntheirs\nd\ne\n')
  expect(resolve(parts, { [conflict]: 'both' })).toBe('a\nb\nmine\ntheirs\nd\ne\n')
})

test('policy editor: completes the names and values of the server', () => {
  expect(vocabulary.RULE_FIELDS).toEqual(RULE_FIELDS)
  expect(vocabulary.VARIABLES).toEqual([...VARIABLES.keys()])
  expect(vocabulary.FINDINGS).toEqual([...FINDING_TYPES, ...FINDING_GROUPS])
  expect(vocabulary.CLASSIFICATIONS).toEqual(CLASSIFICATIONS)
  expect(vocabulary.RISK_LEVELS).toEqual(RISK_LEVELS)
  expect(vocabulary.FIELD_VALUES.at?.toSorted()).toEqual(POLICY_POINTS.toSorted())
  expect(vocabulary.FIELD_VALUES.verdict).toEqual(VERDICTS)
  for (const transform of vocabulary.TRANSFORMS) expect(parseTransform(transform), transform).toBeDefined()
  // `has` is a macro of CEL, not a function.
  for (const name of vocabulary.FUNCTIONS.filter((one) => one !== 'has')) expect(FUNCTIONS.has(name), name).toBe(true)
})
