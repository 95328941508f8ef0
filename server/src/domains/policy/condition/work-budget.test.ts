import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { compiledPolicy, policyInput, singleRuleDocument } from '../../../../test/support/policies.ts'
import type { CompiledPolicy } from '../compile.ts'
import { evaluate } from '../evaluate.ts'

const decide = (source: string, changes = {}) => evaluate(compiledPolicy(source), 'input', policyInput(changes))
const withIds = (rules: readonly object[]) =>
  JSON.stringify({ name: 'test', rules: rules.map((fields, index) => ({ id: `r${index}`, at: ['input'], ...fields })) })

describe('work budget: texts of the client searched in the content', () => {
  const decideOn = (when: string, words: readonly string[], text: string) =>
    decide(singleRuleDocument(when), {
      user: { ...policyInput().user, attributes: { words } },
      content: { ...policyInput().content, text },
    })
  const any = 'user.attributes.words.exists(w, content.text.contains(w))'
  const words = Array.from({ length: 400 }, (_, i) => `word ${i}`)

  test('found when there are many of them and the content is long', () => {
    expect(decideOn(any, words, `${'some text '.repeat(10_000)} word 399`).rules).toEqual([
      { id: 'rule', point: 'input', verdict: 'deny' },
    ])
    expect(decideOn(any, words, 'some text '.repeat(10_000)).rules).toEqual([])
  })

  test.each([
    ['too many texts', any, words, 'x'.repeat(1_048_576)],
    ['a text that is slow to search', any, [`${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`], 'a'.repeat(1_048_576)],
    [
      'a regular expression for each text',
      'user.attributes.words.exists(w, content.text.matches("(?i)b+c"))',
      words,
      'bbc'.repeat(349_525).replaceAll('c', 'd'),
    ],
    ['the size for each text', 'user.attributes.words.exists(w, size(content.text) < 3)', words, 'x'.repeat(1_048_576)],
  ])('error within seconds when the work is too much: %s', (_, when, list, text) => {
    const tooComplex = [{ id: 'rule', point: 'input', verdict: 'deny', error: 'too_complex' }]
    expect(cpuMs(() => expect(decideOn(when, list, text).rules).toEqual(tooComplex))).toBeLessThan(5_000)
  })
})

describe('work budget: nested loops', () => {
  const list = `[${Array.from({ length: 100 }, (_, i) => i).join(',')}]`
  const words = Array.from({ length: 400 }, (_, i) => `word ${i}`)
  const inputWith = (text = '') =>
    policyInput({
      user: { ...policyInput().user, attributes: { words, others: words.map((word) => `${word}!`), text: `${text}a` } },
      content: { ...policyInput().content, text: `${text}b` },
    })
  const twoHundredRules = (when: string) =>
    compiledPolicy(withIds(Array.from({ length: 200 }, () => ({ when, verdict: 'escalate' }))))
  const outcomes = (policy: CompiledPolicy, text?: string) =>
    new Set(evaluate(policy, 'input', inputWith(text)).rules.map(({ error, verdict }) => error ?? verdict))

  test.each([
    'user.attributes.words.exists(a, user.attributes.others.exists(b, a + "!" == b))',
    `${list}.all(i, ${list}.all(j, request.tokens + i + j >= 0))`,
    'user.attributes.words.all(word, word in user.attributes.words)',
    'user.attributes.words.map(word, word + "!").size() == 400',
  ])('evaluated when the work fits the budget: %s', (when) => {
    const policy = compiledPolicy(withIds([{ when, verdict: 'escalate' }]))
    expect(outcomes(policy)).toEqual(new Set(['escalate']))
  })

  test.each([
    ['list literals', `${list}.all(i, ${list}.all(j, request.tokens + i + j >= 0))`, ''],
    ['lists of the client', 'user.attributes.words.exists(a, user.attributes.others.exists(b, a == b))', ''],
    ['in over a list', 'user.attributes.words.all(word, word in user.attributes.words)', ''],
    ['collected results', 'user.attributes.words.map(word, word + "!").size() > 999', ''],
    ['comparison of equal texts', 'user.attributes.words.all(a, user.attributes.text != content.text)', 'x'.repeat(1_048_576)],
    ['order of texts', 'user.attributes.words.all(a, user.attributes.text < content.text)', 'x'.repeat(1_048_576)],
  ])('error within seconds when every rule has %s', (_, when, text) => {
    const policy = twoHundredRules(when)
    expect(cpuMs(() => expect(outcomes(policy, text)).toContain('too_complex'))).toBeLessThan(5_000)
  })
})

test('work budget: forty conditions take bounded time when the content has a megabyte', () => {
  const rules = Array.from({ length: 40 }, (_, i) => ({
    when:
      i % 2
        ? `content.text.matches("(?i)\\\\bword${i}\\\\b.{0,20}transfer")`
        : `content.text.contains("zebra-${i}") || size(content.text) < 3`,
    verdict: 'deny',
  }))
  const content = { ...policyInput().content, text: 'word and transfer, words about warehouses. '.repeat(25_000) }
  const policy = compiledPolicy(withIds(rules))
  expect(cpuMs(() => void evaluate(policy, 'input', policyInput({ content })))).toBeLessThan(5_000)
})
