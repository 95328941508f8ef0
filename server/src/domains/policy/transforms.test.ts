import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { FINDING_TYPES, type Finding, type FindingType } from '../../shared/finding.ts'
import { applyTransforms, FINDING_LABELS, isTruncation, maskText, parseTransform } from './transforms.ts'
import { Vault } from './vault.ts'

const mail = 'jane.roe@example.org'
const card = '4111 1111 1111 1111'

/** Findings for every occurrence of each needle. */
function find(text: string, needles: Readonly<Record<string, FindingType>>): Finding[] {
  return Object.entries(needles).flatMap(([needle, type]) =>
    [...text.matchAll(new RegExp(needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g'))].map(({ index }) => ({
      type,
      start: index,
      end: index + needle.length,
    })),
  )
}
const transform = (text: string, needles: Readonly<Record<string, FindingType>>, ...transforms: string[]) => {
  const { texts, applied } = applyTransforms([{ text, findings: find(text, needles) }], transforms, new Vault())
  return [texts[0], applied]
}

describe('parseTransform', () => {
  test('reads a finding type, a group and a length', () => {
    expect(parseTransform('redact:pii')).toEqual({ kind: 'redact', target: 'pii' })
    expect(parseTransform('mask:pii.card')).toEqual({ kind: 'mask', target: 'pii.card' })
    expect(parseTransform('pseudonymize:secret')).toEqual({ kind: 'pseudonymize', target: 'secret' })
    expect(parseTransform('truncate:20')).toEqual({ kind: 'truncate', length: 20 })
    expect([isTruncation('truncate:20'), isTruncation('redact:pii')]).toEqual([true, false])
  })
  test.each([
    '',
    'redact',
    'redact:',
    'redact:all',
    'blur:pii',
    'truncate:0',
    'truncate:1.5',
    'truncate:x',
    'Redact:pii',
    'truncate:pii',
  ])('undefined for %j', (text) => expect(parseTransform(text)).toBeUndefined())
})

test.each(FINDING_TYPES)('redact: %s has a label', (type) =>
  expect(transform('abcdef', { bcd: type }, `redact:${type}`)).toEqual([`a[${FINDING_LABELS[type]}]ef`, [`redact:${type}`]]),
)

test.each([
  [card, '***************1111'],
  ['DE89 3704 0044 0532 0130 00', '**********************30 00'],
  [mail, '***************e.org'],
  ['1234', '****'],
  ['12-34', '*****'],
  ['12345', '*2345'],
  ['😀é1234', '**1234'],
  ['', ''],
])('maskText: last four letters or digits of %s stay', (text, expected) => expect(maskText(text)).toBe(expected))

describe('pseudonymize', () => {
  test('equal originals have one placeholder in all texts, and the vault restores them', () => {
    const vault = new Vault()
    const texts = [`From ${mail}`, `To ${mail}, not x@y.zz`].map((text) => ({
      text,
      findings: find(text, { [mail]: 'pii.email', 'x@y.zz': 'pii.email' }),
    }))
    const changed = applyTransforms(texts, ['pseudonymize:pii'], vault)
    expect(changed).toEqual({ texts: ['From <EMAIL_1>', 'To <EMAIL_1>, not <EMAIL_2>'], applied: ['pseudonymize:pii'] })
    expect(changed.texts.map((text) => vault.restore(text))).toEqual(texts.map(({ text }) => text))
  })
})

describe('truncate', () => {
  test.each([
    ['abcdef', 'abc'],
    ['abc', 'abc'],
    ['a😀😀b', 'a😀😀'],
    ['😀😀😀😀', '😀😀😀'],
    ['', ''],
  ])('cuts %s between characters', (text, expected) =>
    expect(transform(text, {}, 'truncate:3')).toEqual([expected, text === expected ? [] : ['truncate:3']]),
  )
})

const FOUND = { [mail]: 'pii.email', [card]: 'pii.card' } as const
const ALL = ['pseudonymize:pii', 'mask:pii', 'redact:pii']
test.each<[string, string, string[], string, string[]]>([
  ['a label replaces a finding', `Write to ${mail} or ${card}.`, ['redact:pii'], 'Write to [EMAIL] or [CARD].', ['redact:pii']],
  ['only findings of the target change', `${mail} ${card}`, ['redact:pii.card'], `${mail} [CARD]`, ['redact:pii.card']],
  ['the shortest length applies', 'abcdef', ['truncate:5', 'truncate:2', 'truncate:9'], 'ab', ['truncate:5', 'truncate:2']],
  ['no placeholder is cut', `to ${mail} now`, ['pseudonymize:pii', 'truncate:6'], 'to ', ['pseudonymize:pii', 'truncate:6']],
  ['no label is cut', `to ${mail} now`, ['redact:pii', 'truncate:10'], 'to [EMAIL]', ['redact:pii', 'truncate:10']],
  ['redact wins over mask', mail, ALL, '[EMAIL]', ['redact:pii']],
  ['mask wins over pseudonymize', card, ALL.slice(0, 2), '***************1111', ['mask:pii']],
  [
    'the strictest applies to each span',
    `${mail} ${card}`,
    ['redact:pii.email', ...ALL.slice(0, 1)],
    '[EMAIL] <CARD_1>',
    ['redact:pii.email', 'pseudonymize:pii'],
  ],
  ['transforms that change nothing are not listed', 'nothing', ['redact:pii', 'mask:secret', 'truncate:100'], 'nothing', []],
])('applyTransforms: %s', (_, text, transforms, changed, applied) =>
  expect(transform(text, FOUND, ...transforms)).toEqual([changed, applied]),
)

test('applyTransforms: overlapping findings are one span with the strictest transform', () => {
  const findings: Finding[] = [
    { type: 'pii.email', start: 6, end: 12 },
    { type: 'secret.token', start: 2, end: 8 },
  ]
  const scanned = [{ text: '0123456789abcdef', findings }]
  const { texts, applied } = applyTransforms(scanned, ['redact:secret', 'pseudonymize:pii'], new Vault())
  expect([texts, applied]).toEqual([['01[TOKEN]cdef'], ['redact:secret']])
})

test('applyTransforms: adjacent findings are separate spans', () =>
  expect(transform('aabb', { aa: 'pii.phone', bb: 'pii.ip' }, 'redact:pii')).toEqual(['[PHONE][IP]', ['redact:pii']]))

test('applyTransforms: surrogate pairs are not split', () => {
  const findings: Finding[] = [{ type: 'pii.phone', start: 2, end: 4 }]
  expect(applyTransforms([{ text: 'a😀b', findings }], ['redact:pii'], new Vault()).texts).toEqual(['a[PHONE]'])
})

test.each([
  { start: -1, end: 2 },
  { start: 0, end: 9 },
  { start: 2, end: 2 },
  { start: 0.5, end: 2 },
  { start: Number.NaN, end: 2 },
])('applyTransforms: RangeError when the finding %j is outside its text', (span) => {
  const texts = [{ text: 'abc', findings: [{ type: 'pii.phone' as const, ...span }] }]
  expect(() => applyTransforms(texts, ['redact:pii'], new Vault())).toThrow(RangeError)
})

test('applyTransforms: TypeError when a transform is unknown', () =>
  expect(() => applyTransforms([{ text: 'abc', findings: [] }], ['blur:pii'], new Vault())).toThrow(TypeError))

const word = fc.constantFrom(mail, card, 'x@y.zz', 'hello', '😀', '<EMAIL_1>', ' ')
const NEEDLES = { [mail]: 'pii.email', 'x@y.zz': 'pii.email', [card]: 'pii.card', roe: 'pii.person' } as const
const transformName = fc.constantFrom(
  'redact:pii',
  'redact:pii.card',
  'mask:pii.card',
  'pseudonymize:pii',
  'pseudonymize:pii.email',
  'truncate:30',
)
const words = fc.array(fc.array(word, { maxLength: 8 }), { maxLength: 4 })
const withFindings = (texts: readonly string[]) => texts.map((text) => ({ text, findings: find(text, NEEDLES) }))

test('applyTransforms: transformed texts do not change when the transforms are applied again', () => {
  fc.assert(
    fc.property(words, fc.uniqueArray(transformName, { maxLength: 4 }), (parts, transforms) => {
      const once = applyTransforms(withFindings(parts.map((part) => part.join(''))), transforms, new Vault())
      const twice = applyTransforms(withFindings(once.texts), transforms, new Vault())
      expect(twice).toEqual({ texts: once.texts, applied: [] })
    }),
  )
})

test('pseudonymize: originals are not in the transformed texts, and the vault restores them', () => {
  fc.assert(
    fc.property(words, (parts) => {
      const texts = parts.map((part) => part.join(''))
      const vault = new Vault()
      const changed = applyTransforms(withFindings(texts), ['pseudonymize:pii'], vault)
      expect(changed.texts.map((text) => vault.restore(text))).toEqual(texts)
      for (const text of changed.texts) for (const needle of [mail, card]) expect(text).not.toContain(needle)
    }),
  )
})

test('applyTransforms: bounded time for a megabyte with 87,000 findings', () => {
  const text = 'a@b.example '.repeat(87_000)
  const findings = Array.from({ length: 87_000 }, (_, i): Finding => ({ type: 'pii.email', start: i * 12, end: i * 12 + 11 }))
  const transforms = ['pseudonymize:pii', 'truncate:900000']
  expect(cpuMs(() => applyTransforms([{ text, findings }], transforms, new Vault()))).toBeLessThan(5_000)
})
