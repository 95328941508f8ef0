import { isCelError, parse, plan } from '@bufbuild/cel'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policyInput } from '../../../../test/support/policies.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../../shared/classification.ts'
import { countFindings, FINDING_TYPES } from '../../../shared/finding.ts'
import { Bindings } from './bindings.ts'
import { compileCondition } from './condition.ts'
import { compileDirectTest } from './direct-test.ts'
import { createEnvironment } from './environment.ts'

const environment = createEnvironment()
const words = ['', 'a', 'zebra', 'Zebra', 'chat', 'sales', 'hangar', 'ß', '😀', 'a"b']
const text = fc.constantFrom(
  'user.role',
  'user.department',
  'content.text',
  'request.model',
  ...words.map((word) => JSON.stringify(word)),
)
const literal = fc.constantFrom(...words.map((word) => JSON.stringify(word)))
const finding = fc.constantFrom(
  ...FINDING_TYPES.map((type) => `content.findings["${type}"]`),
  'content.findings.pii',
  'content.findings.secret',
)
const rank = fc.constantFrom('rank(content.classification)', 'rank("public")', 'rank("confidential")', 'rank("restricted")')
const number = fc.oneof(fc.constantFrom('request.tokens', 'request.message_count', '0', '1', '12', '9007199254740993'), finding)
const time = fc.constantFrom(
  'now',
  'timestamp("2026-03-02T12:00:00Z")',
  'timestamp("2026-03-02T13:00:00.001+01:00")',
  'timestamp("2026-03-02T12:00:00.0000001Z")',
  'timestamp("1969-12-31T23:59:59.999Z")',
  'timestamp("0001-01-01T00:00:00Z")',
  'timestamp("tomorrow")',
)
const compare = fc.constantFrom('==', '!=', '<', '<=', '>', '>=')
const leaf = fc.oneof(
  fc.constantFrom('true', 'false', 'user.verified', 'request.stream'),
  fc.tuple(text, compare, text).map((parts) => parts.join(' ')),
  fc.tuple(number, compare, number).map((parts) => parts.join(' ')),
  fc.tuple(rank, compare, rank).map((parts) => parts.join(' ')),
  fc.tuple(time, compare, time).map((parts) => parts.join(' ')),
  fc.tuple(text, fc.constantFrom('contains', 'startsWith', 'endsWith'), text).map(([a, name, b]) => `${a}.${name}(${b})`),
  fc.tuple(text, fc.array(literal, { maxLength: 4 })).map(([a, list]) => `${a} in [${list.join(', ')}]`),
  fc.tuple(text, fc.constantFrom('zeb', '(?i)ZEBRA', '^a', 'a|b', '\\\\bchat\\\\b')).map(([a, re]) => `${a}.matches("${re}")`),
)
/** Conditions that fail, or are not boolean, at evaluation. */
const failing = fc.constantFrom(
  'user.attributes.absent == "x"',
  'user.attributes.text',
  'user.attributes.text > 3',
  '1 / request.message_count > 0',
)
const input = fc.record({
  role: fc.constantFrom(...words),
  department: fc.constantFrom(...words),
  verified: fc.boolean(),
  text: fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((parts) => parts.join(' ')),
  tokens: fc.nat(20),
  messageCount: fc.nat(2),
  classification: fc.constantFrom(...CLASSIFICATIONS),
  riskLevel: fc.constantFrom(...RISK_LEVELS),
  found: fc.array(fc.constantFrom(...FINDING_TYPES), { maxLength: 4 }),
})
const toInput = (values: typeof input extends fc.Arbitrary<infer T> ? T : never) => {
  const { role, department, verified, text, tokens, messageCount, classification, riskLevel, found } = values
  return policyInput({
    user: { id: 'u', role, department, verified, attributes: { text: 'x' } },
    content: { text, classification, riskLevel, findings: countFindings([found.map((type) => ({ type, start: 0, end: 1 }))]) },
    request: { ...policyInput().request, tokens, messageCount },
  })
}

/** The result of the library alone; undefined: it fails, or the result is not a boolean. */
function evaluateWithLibrary(source: string, bindings: Bindings): boolean | undefined {
  const result = plan(environment.cel, parse(source))(bindings as never)
  return isCelError(result) || typeof result !== 'boolean' ? undefined : result
}

test('compileDirectTest: same result as the CEL library on random conditions', () => {
  fc.assert(
    fc.property(leaf, input, (source, values) => {
      const policyValues = toInput(values)
      const { expr } = parse(source)
      const direct = expr && compileDirectTest(expr, environment)
      if (direct) expect(direct(policyValues)).toBe(evaluateWithLibrary(source, new Bindings(policyValues)))
    }),
    { numRuns: 2_000 },
  )
})

test('compileCondition: &&, || and ! have the three-valued logic of CEL', () => {
  const { condition } = fc.letrec((tie) => ({
    condition: fc.oneof(
      { depthSize: 'small' },
      leaf,
      failing,
      fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie('condition').map((a) => `!(${a})`),
    ),
  }))
  let compared = 0
  fc.assert(
    fc.property(condition as fc.Arbitrary<string>, input, (source, values) => {
      const compiled = compileCondition(source, ['input'], environment)
      if (!compiled.ok) return
      compared += 1
      const policyValues = toInput(values)
      const outcome = compiled.condition(policyValues, new Bindings(policyValues))
      expect(typeof outcome === 'string' ? undefined : outcome).toBe(evaluateWithLibrary(source, new Bindings(policyValues)))
    }),
    { numRuns: 2_000 },
  )
  expect(compared).toBeGreaterThan(1_000)
})

test('compileDirectTest: typical conditions have a direct test', () => {
  for (const source of [
    'content.findings.secret > 0',
    'content.findings["pii.email"] > 0',
    'content.text.contains("x")',
    'content.text.matches("(?i)wire transfer")',
    'rank("confidential") <= rank(content.classification)',
    'request.endpoint in ["chat", "message"]',
    'user.verified',
    'now < timestamp("2020-01-01T00:00:00Z")',
  ]) {
    const { expr } = parse(source)
    expect(expr && compileDirectTest(expr, environment), source).toBeDefined()
  }
})
