import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { resolveOverlaps, scan } from '../../src/domains/classification/scan.ts'
import { scanSplit } from '../../src/domains/classification/scan-joined.ts'
import { compileLiteralTest } from '../../src/domains/policy/condition/required-literals.ts'
import { parseCondition } from '../../src/domains/policy/condition/syntax.ts'
import { parseDirective } from '../../src/domains/policy/directives.ts'
import { parsePolicySet } from '../../src/domains/policy/parse.ts'
import { readPolicyTests } from '../../src/domains/policy/policy-test-reader.ts'
import { applyTransforms, maskText, parseTransform } from '../../src/domains/policy/transforms.ts'
import { Vault } from '../../src/domains/policy/vault.ts'
import { refused, shapes, type TextFunction } from './text-function.ts'

const options = { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY }
const vaultOf = (original: string) => {
  const vault = new Vault()
  vault.placeholderFor('EMAIL', original)
  return vault
}
/** One finding in every ten characters. */
const findingsIn = (text: string) =>
  Array.from({ length: Math.floor(text.length / 10) }, (_, at) => ({
    type: 'pii.email' as const,
    start: at * 10,
    end: at * 10 + 4,
  }))

function splitScan(text: string): unknown {
  const texts = text.match(/.{1,8}/gs) ?? []
  return scanSplit(
    texts,
    [texts.map((_, index) => index)],
    { ...scan([], options), findings: texts.map(() => []), joined: '' },
    options,
  )
}

export const POLICY_FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  'Vault.conceal': { run: (text) => vaultOf('jane').conceal(text), shapes: shapes(['', 'jane ', ''], ['', 'jan', '']) },
  'Vault.restore': { run: (text) => vaultOf('jane').restore(text), shapes: shapes(['', '<EMAIL_1>', ''], ['', '<EMAIL_', '']) },
  applyTransforms: {
    run: (text) => applyTransforms([{ text, findings: findingsIn(text) }], ['pseudonymize:pii', 'truncate:1000000'], new Vault()),
    most: 1 << 16,
    common: { findings: (length) => 'a@b.co 😀 '.repeat(length / 10) },
  },
  'applyTransforms (redact and mask)': {
    run: (text) => applyTransforms([{ text, findings: findingsIn(text) }], ['redact:pii.email', 'mask:pii'], new Vault()),
    most: 1 << 16,
    common: { findings: (length) => 'a@b.co 😀 '.repeat(length / 10) },
  },
  'scan (all detectors)': { run: (text) => scan([text], options) },
  'scan (split over messages of eight characters)': { run: splitScan },
  readPolicyTests: {
    run: readPolicyTests,
    most: 1 << 16,
    shapes: shapes(
      ['tests:\n', '  - {name: a, at: input, expect: {verdict: allow}}\n', ''],
      ['tests: [', '{', ''],
      ['tests:\n', '  - a\n', ''],
      ['tests:\n', '  - name: a\n', ''],
      ['', 'a: b\n', ''],
      ['', '? ', ''],
      ['', '&a ', ''],
      ['', '!a ', ''],
      ['tests: |\n', ' a\n', ''],
    ),
  },
  parsePolicySet: {
    run: parsePolicySet,
    most: 1 << 16,
    shapes: shapes(
      ['name: a\nrules:\n', '  - {id: a, at: [input], verdict: allow}\n', ''],
      ['name: a\nrules:\n', '  - id: a\n', ''],
      ['name: a\nrules:\n - when: "', '(', '"'],
      ['name: a\nrules:\n - when: "', 'a && ', 'b"'],
      ['name: a\nrules:\n - when: |\n', '     x\n', ''],
      ['name: a\nrules:\n - id: b\n   at: [input]\n   verdict: deny\n   when: content.text.matches("', '(a|', '")\n'],
      ['name: a\ntexts:\n', '  a: b\n', ''],
    ),
  },
  // A condition has at most 4,096 characters (POLICY_LIMITS).
  parseCondition: {
    run: (text) => refused(() => parseCondition(text)),
    most: 1_024,
    shapes: shapes(
      ['', '!', 'a'],
      ['', 'a.', 'a'],
      ['', 'a?b:', 'c'],
      ['', 'a+', 'b'],
      ['', '-', '1'],
      ['"', '\\n', '"'],
      ['', 'a||', 'b'],
      ['a in ', '[1,', ''],
    ),
  },
  compileLiteralTest: {
    run: compileLiteralTest,
    most: 1 << 14,
    shapes: shapes(['', 'a|', 'b'], ['', '(?:a)', ''], ['(?i)', 'a', '']),
  },
  maskText: { run: maskText },
  parseTransform: { run: parseTransform },
  parseDirective: { run: parseDirective },
  'Vault.reserve': {
    run: (text) => new Vault().reserve(text),
    shapes: shapes(['', '<A', ''], ['', '<A_', ''], ['', '&lt;A_1', ''], ['', '<EMAIL_1>', '']),
  },
  resolveOverlaps: {
    run: (text) =>
      resolveOverlaps(Array.from({ length: text.length }, (_, at) => ({ type: 'pii.email' as const, start: at, end: at + 3 }))),
    most: 1 << 16,
    common: { many: (length) => 'x'.repeat(length) },
  },
}
