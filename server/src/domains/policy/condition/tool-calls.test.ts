import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { compiledPolicy, policyInput, singleRuleDocument } from '../../../../test/support/policies.ts'
import { decodeArguments, type ToolCall } from '../../../shared/tool-call.ts'
import type { UnreadKind } from '../../../shared/unread.ts'
import { evaluate } from '../evaluate.ts'
import { parsePolicySet } from '../parse.ts'

/** The verdict, or the error, of a rule that denies when the condition is true. */
const outcome = (when: string, calls: readonly ToolCall[], at: 'input' | 'output' = 'input') => {
  const input = policyInput({ content: { ...policyInput().content, toolCalls: calls } })
  const [rule] = evaluate(compiledPolicy(singleRuleDocument(when, { verdict: 'deny' }, at)), at, input).rules
  return rule === undefined ? 'allow' : (rule.error ?? rule.verdict)
}
const problem = (when: string): string => {
  const parsed = parsePolicySet(singleRuleDocument(when))
  return parsed.ok ? '' : (parsed.errors[0]?.message ?? '')
}
const call = (name: string, given: string | Record<string, unknown> = ''): ToolCall => ({ name, arguments: given })

const LARGE_TRANSFER = 'content.tool_calls.exists(c, c.name == "transfer" && double(c.arguments.amount) > 1000.0)'
const SYSTEM_PATH = 'content.tool_calls.exists(c, has(c.arguments.path) && c.arguments.path.startsWith("/etc"))'

describe('request.tools: names that a condition reads', () => {
  const decide = (when: string, tools?: string[]) =>
    evaluate(compiledPolicy(singleRuleDocument(when)), 'input', policyInput({ request: { ...policyInput().request, tools } }))
      .verdict

  test.each([
    ["'shell' in request.tools", ['shell'], 'deny'],
    ["'shell' in request.tools", ['shells'], 'allow'],
    ["'shell' in request.tools", undefined, 'allow'],
    ["request.tools.exists(t, t.startsWith('db_'))", ['get', 'db_drop'], 'deny'],
    ["request.tools.exists(t, t.matches('^DB_'))", ['get', 'db_drop'], 'allow'],
    ["!request.tools.all(t, t in ['get', 'list'])", ['get', 'list'], 'allow'],
    ["!request.tools.all(t, t in ['get', 'list'])", ['get', ''], 'deny'],
    ['size(request.tools) > 1', ['get', 'list'], 'deny'],
    ["request.tools.exists(t, t in ['shell']) && size(content.tool_calls) == 0", ['shell'], 'deny'],
  ])('%s with %j: %s', (when, tools, verdict) => expect(decide(when, tools)).toBe(verdict))
})

describe('content.tool_calls: calls that a condition reads', () => {
  test.each([
    [LARGE_TRANSFER, [call('transfer', '{"amount":1000.5}')], 'deny'],
    [LARGE_TRANSFER, [call('transfer', '{"amount":"1000.5"}')], 'deny'],
    [LARGE_TRANSFER, [call('transfer', '{"amount":1e999}')], 'deny'],
    [LARGE_TRANSFER, [call('transfer', '{"amount":5}')], 'allow'],
    [LARGE_TRANSFER, [call('transfer', '{"amount":5,"amount":5000}')], 'deny'],
    [LARGE_TRANSFER, [call('look_up', '{"amount":"much"}'), call('transfer', '{"amount":7}')], 'allow'],
    [LARGE_TRANSFER, [call('transfer', '{"amount":7}'), call('transfer', '{"amount":7000}')], 'deny'],
    [LARGE_TRANSFER, [], 'allow'],
    [SYSTEM_PATH, [call('read', '{"path":"/etc/passwd"}')], 'deny'],
    [SYSTEM_PATH, [call('read', '{"path":"\\u002fetc/passwd"}')], 'deny'],
    [SYSTEM_PATH, [call('read', '{"path":"/tmp"}'), call('ping')], 'allow'],
    ['content.tool_calls.exists(c, has(c.arguments.input))', [call('sql', { input: 'select 1' })], 'deny'],
    ['content.tool_calls.exists(c, has(c.arguments.input))', [call('sql', '{"path":')], 'deny'],
    ['content.tool_calls.exists(c, has(c.arguments.input))', [call('sql', '{}'), call('sql', '')], 'allow'],
    ['content.tool_calls.exists(c, size(c.arguments) == 0)', [call('ping', ' ')], 'deny'],
    ['content.tool_calls.exists(c, c.arguments.exists(k, k == "__proto__"))', [call('x', '{"__proto__":{"a":1}}')], 'deny'],
    ['content.tool_calls.exists(c, has(c.arguments.admin))', [call('x', '{"__proto__":{"admin":true}}')], 'allow'],
    ['content.tool_calls.exists(c, has(c.arguments.toString))', [call('x', '{}')], 'allow'],
    ['content.tool_calls[0].arguments.to[1].id == 7', [call('x', '{"to":[1,{"id":7}]}')], 'deny'],
    ['content.tool_calls.map(c, c.name) == ["a", "b"]', [call('a'), call('b')], 'deny'],
    ['content.tool_calls.exists(c, !(c.name in request.tools))', [call('a')], 'deny'],
  ])('%s with %j: %s', (when, calls, expected) => {
    expect(outcome(when, calls)).toBe(expected)
    expect(outcome(when, calls, 'output')).toBe(expected)
  })

  test.each([
    ['an argument is missing', LARGE_TRANSFER, '{}', 'missing_value'],
    ['an argument is not a number', LARGE_TRANSFER, '{"amount":"much"}', 'out_of_range'],
    ['an argument is a list', LARGE_TRANSFER, '{"amount":[5000]}', 'wrong_type'],
    ['an argument is null', LARGE_TRANSFER, '{"amount":null}', 'wrong_type'],
    ['the arguments are not JSON', LARGE_TRANSFER, '{"amount":5000', 'missing_value'],
    ['a path is not a text', SYSTEM_PATH, '{"path":["/etc"]}', 'wrong_type'],
    ['an argument has too many values', LARGE_TRANSFER, `{"amount":[${'1,'.repeat(500)}1]}`, 'out_of_range'],
    [
      'there are too many arguments',
      SYSTEM_PATH,
      JSON.stringify(Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`a${i}`, i]))),
      'out_of_range',
    ],
    ['an argument is nested deeply', SYSTEM_PATH, `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'out_of_range'],
  ])('denial when %s', (_, when, given, error) => expect(outcome(when, [call('transfer', given)])).toBe(error))

  test('arguments are not decoded when the name already decides', () => {
    const when = 'content.tool_calls.exists(c, c.name == "drop" && c.arguments.force == true)'
    const large = call('look_up', JSON.stringify({ text: 'x'.repeat(1_000_000) }))
    expect(outcome(when, Array(128).fill(large))).toBe('allow')
  })
})

test('content.tool_calls: a rule allows or denies, and never throws, when arguments are random texts', () => {
  const given = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.json().map((text) => text.slice(0, -1)),
  )
  const when = 'content.tool_calls.exists(c, has(c.arguments.a) && c.arguments.a.b[0] == c.arguments.c)'
  fc.assert(
    fc.property(fc.array(given, { maxLength: 4 }), (texts) => {
      const calls = texts.map((text) => call('x', text))
      expect(['allow', 'deny', 'missing_value', 'wrong_type', 'out_of_range', 'failed']).toContain(outcome(when, calls))
      expect(outcome('content.tool_calls.all(c, size(c.arguments) >= 0)', calls)).toBe('deny')
    }),
    { numRuns: 300 },
  )
})

describe('content.tool_calls: bounded work', () => {
  const number = `{"path":"/tmp","list":[${'1,'.repeat(500_000)}1]}`
  const text = JSON.stringify({ path: 'x'.repeat(1_000_000) })

  test.each<[string, string, string, string?]>([
    ['large texts', SYSTEM_PATH, text],
    ['large lists', SYSTEM_PATH, number],
    ['deep JSON', SYSTEM_PATH, `{"path":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 'out_of_range'],
    ['broken JSON', SYSTEM_PATH, `{"path":${'['.repeat(1_000_000)}`],
    [
      'a search in a nested loop',
      'content.tool_calls.exists(a, content.tool_calls.exists(b, a.arguments.path != b.arguments.path))',
      text,
    ],
  ])(
    'the work is that of reading each text once when 128 calls have a megabyte of arguments each: %s',
    (_, when, given, error = 'too_complex') => {
      const calls = Array.from({ length: 128 }, (_, i) => call(`t${i}`, given))
      // V8 takes 30 to 50 ms to refuse the broken text. The shortest of several times is the one that other programs disturbed least.
      const once = Math.min(...[1, 2, 3].map(() => cpuMs(() => void decodeArguments(given))))
      expect(cpuMs(() => expect(outcome(when, calls)).toBe(error))).toBeLessThan(1_000 + 1.5 * calls.length * once)
    },
  )

  test('too_complex within seconds when equal arguments are compared in a nested loop', () => {
    const given = JSON.stringify(Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`a${i}`, [i]])))
    const calls = Array.from({ length: 400 }, () => call('x', given))
    const when = 'content.tool_calls.all(a, content.tool_calls.all(b, a.arguments == b.arguments))'
    expect(cpuMs(() => expect(outcome(when, calls)).toBe('too_complex'))).toBeLessThan(5_000)
  })

  test('repeated calls are found when there are few', () => {
    const when =
      'content.tool_calls.exists(a, size(content.tool_calls.filter(b, b.name == "x")) > 1 && a.arguments == a.arguments)'
    expect(problem(when)).toContain('too many nested loops')
    const repeated = 'content.tool_calls.exists(a, content.tool_calls.exists(b, a.name != b.name && a.arguments == b.arguments))'
    expect(outcome(repeated, [call('a', '{"x":[1]}'), call('b', '{"x":[1]}')])).toBe('deny')
    expect(outcome(repeated, [call('a', '{"x":[1]}'), call('b', '{"x":[2]}')])).toBe('allow')
  })
})

describe('publishing: refuses a condition on tools that is a mistake', () => {
  test.each([
    ['content.tool_calls.exists(c, c.nam == "x")', 'unknown key nam. Did you mean name?'],
    ['content.tool_calls.exists(c, c.name > 3)', 'does not take text and a whole number'],
    ['content.tool_calls.exists(c, c.arguments == "x")', 'never equal'],
    ['content.tool_calls.name == "x"', 'a list has no field name'],
    ['"shell" in content.tool_calls', 'exists'],
    ['content.tool_calls == content.tool_calls', 'cannot be compared'],
    ['content.tool_calls.exists(c, c == c)', 'cannot be compared'],
    ['1 in request.tools', 'never in a list'],
    ['has(request.tools)', 'always exists'],
    ['request.tools == "shell"', 'never equal'],
    ['"picture" in content.unread_kinds', 'unknown kind of unread content picture'],
    ['content.unread_kinds.exists(k, k == "picture")', 'unknown kind of unread content picture'],
    ['content.unread_bytes > "large"', 'does not take'],
  ])('%s', (when, message) => expect(problem(when)).toContain(message))
})

test.each<[string, readonly UnreadKind[], number, string]>([
  ["'image' in content.unread_kinds", ['image', 'file'], 0, 'deny'],
  ["'audio' in content.unread_kinds", ['image', 'file'], 0, 'allow'],
  ['content.unread_kinds.exists(k, k != "image")', ['image'], 0, 'allow'],
  ['content.unread_bytes > 1000000', ['image'], 1_000_001, 'deny'],
  ['content.unread_bytes > 1000000', [], 0, 'allow'],
])('unread content: %s with %j and %i bytes: %s', (when, unreadKinds, unreadBytes, verdict) => {
  const content = { ...policyInput().content, unread: unreadKinds.length, unreadKinds, unreadBytes }
  expect(evaluate(compiledPolicy(singleRuleDocument(when)), 'input', policyInput({ content })).verdict).toBe(verdict)
})
