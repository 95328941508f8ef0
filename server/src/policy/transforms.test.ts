import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { FINDING_TYPES, type Finding, type FindingType } from '../domain/finding.ts'
import { FINDING_LABELS, maskText } from './redaction.ts'
import { applyTransforms, isTruncation, parseTransform } from './transforms.ts'
import { Vault } from './vault.ts'

const mail = 'jane.roe@example.org'
const card = '4111 1111 1111 1111'

/** Finds each `needle` in `text`, wherever it stands. */
function find(text: string, needles: Readonly<Record<string, FindingType>>): Finding[] {
  return Object.entries(needles).flatMap(([needle, type]) =>
    [...text.matchAll(new RegExp(needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g'))].map(({ index }) => ({
      type,
      start: index,
      end: index + needle.length,
    })),
  )
}
const change = (text: string, needles: Readonly<Record<string, FindingType>>, ...transforms: string[]) => {
  const { texts, applied } = applyTransforms([{ text, findings: find(text, needles) }], transforms, new Vault())
  return [texts[0], applied]
}

describe('parsing', () => {
  test('a finding type, a group, a length', () => {
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
  ])('%j is none', (text) => {
    expect(parseTransform(text)).toBeUndefined()
  })
})

describe('redact', () => {
  test('puts the name of the finding in its place', () => {
    expect(change(`Write to ${mail} or ${card}.`, { [mail]: 'pii.email', [card]: 'pii.card' }, 'redact:pii')).toEqual([
      'Write to [EMAIL] or [CARD].',
      ['redact:pii'],
    ])
  })
  test('touches only what it names', () => {
    expect(change(`${mail} ${card}`, { [mail]: 'pii.email', [card]: 'pii.card' }, 'redact:pii.card')).toEqual([
      `${mail} [CARD]`,
      ['redact:pii.card'],
    ])
  })
  test('has a name for every finding type', () => {
    for (const type of FINDING_TYPES)
      expect(change('abcdef', { bcd: type }, `redact:${type}`)).toEqual([`a[${FINDING_LABELS[type]}]ef`, [`redact:${type}`]])
  })
})

test.each([
  [card, '***************1111'],
  ['DE89 3704 0044 0532 0130 00', '**********************30 00'],
  [mail, '***************e.org'],
  ['1234', '****'],
  ['12-34', '*****'],
  ['12345', '*2345'],
  ['😀é1234', '**1234'],
  ['', ''],
])('mask keeps the last four of %s', (text, expected) => expect(maskText(text)).toBe(expected))

describe('pseudonymize', () => {
  test('gives the same original the same placeholder in all texts, and the vault brings it back', () => {
    const vault = new Vault()
    const texts = [`From ${mail}`, `To ${mail}, not x@y.zz`].map((text) => ({
      text,
      findings: find(text, { [mail]: 'pii.email', 'x@y.zz': 'pii.email' }),
    }))
    const changed = applyTransforms(texts, ['pseudonymize:pii'], vault)
    expect(changed).toEqual({ texts: ['From <EMAIL_1>', 'To <EMAIL_1>, not <EMAIL_2>'], applied: ['pseudonymize:pii'] })
    expect(changed.texts.map((text) => vault.restore(text))).toEqual(texts.map(({ text }) => text))
  })
  test('never gives a placeholder that stands in any of the texts', () => {
    const vault = new Vault()
    const { texts } = applyTransforms(
      [
        { text: mail, findings: find(mail, { [mail]: 'pii.email' }) },
        { text: 'mine: <EMAIL_1>', findings: [] },
      ],
      ['pseudonymize:pii'],
      vault,
    )
    expect(texts).toEqual(['<EMAIL_2>', 'mine: <EMAIL_1>'])
    expect(texts.map((text) => vault.restore(text))).toEqual([mail, 'mine: <EMAIL_1>'])
  })
})

describe('truncate', () => {
  test.each([
    ['abcdef', 'abc'],
    ['abc', 'abc'],
    ['a😀😀b', 'a😀😀'],
    ['😀😀😀😀', '😀😀😀'],
    ['', ''],
  ])('cuts %s between characters', (text, expected) => {
    expect(change(text, {}, 'truncate:3')).toEqual([expected, text === expected ? [] : ['truncate:3']])
  })
  test('keeps to the shortest of several, and lists those that it goes beyond', () => {
    expect(change('abcdef', {}, 'truncate:5', 'truncate:2', 'truncate:9')).toEqual(['ab', ['truncate:5', 'truncate:2']])
  })
  test('never leaves half a placeholder', () => {
    expect(change(`to ${mail} now`, { [mail]: 'pii.email' }, 'pseudonymize:pii', 'truncate:6')).toEqual([
      'to ',
      ['pseudonymize:pii', 'truncate:6'],
    ])
    expect(change(`to ${mail} now`, { [mail]: 'pii.email' }, 'redact:pii', 'truncate:10')).toEqual([
      'to [EMAIL]',
      ['redact:pii', 'truncate:10'],
    ])
  })
})

describe('where several meet', () => {
  test('redact wins over mask, mask over pseudonymize', () => {
    const all = ['pseudonymize:pii', 'mask:pii', 'redact:pii']
    expect(change(mail, { [mail]: 'pii.email' }, ...all)).toEqual(['[EMAIL]', ['redact:pii']])
    expect(change(card, { [card]: 'pii.card' }, ...all.slice(0, 2))).toEqual(['***************1111', ['mask:pii']])
  })
  test('each span has its own sternest', () => {
    expect(
      change(`${mail} ${card}`, { [mail]: 'pii.email', [card]: 'pii.card' }, 'redact:pii.email', 'pseudonymize:pii'),
    ).toEqual(['[EMAIL] <CARD_1>', ['redact:pii.email', 'pseudonymize:pii']])
  })
  test('findings that overlap go as one, under the sternest, and no end sticks out', () => {
    const findings: Finding[] = [
      { type: 'pii.email', start: 6, end: 12 },
      { type: 'secret.token', start: 2, end: 8 },
    ]
    const { texts, applied } = applyTransforms(
      [{ text: '0123456789abcdef', findings }],
      ['redact:secret', 'pseudonymize:pii'],
      new Vault(),
    )
    expect([texts, applied]).toEqual([['01[TOKEN]cdef'], ['redact:secret']])
  })
  test('findings that only touch stay apart', () => {
    expect(change('aabb', { aa: 'pii.phone', bb: 'pii.ip' }, 'redact:pii')).toEqual(['[PHONE][IP]', ['redact:pii']])
  })
})

test('only transforms that changed something are listed', () => {
  expect(change('nothing here', {}, 'redact:pii', 'mask:secret', 'truncate:100')).toEqual(['nothing here', []])
})

test('a pair of surrogates is never cut', () => {
  const { texts } = applyTransforms(
    [{ text: 'a😀b', findings: [{ type: 'pii.phone', start: 2, end: 4 }] }],
    ['redact:pii'],
    new Vault(),
  )
  expect(texts).toEqual(['a[PHONE]'])
})

test.each([
  { start: -1, end: 2 },
  { start: 0, end: 9 },
  { start: 2, end: 2 },
  { start: 0.5, end: 2 },
  { start: Number.NaN, end: 2 },
])('findings that do not fit their text (%j) let nothing through', (span) => {
  const texts = [{ text: 'abc', findings: [{ type: 'pii.phone' as const, ...span }] }]
  expect(() => applyTransforms(texts, ['redact:pii'], new Vault())).toThrow(RangeError)
})

test('an unknown transform lets nothing through', () => {
  expect(() => applyTransforms([{ text: 'abc', findings: [] }], ['blur:pii'], new Vault())).toThrow(TypeError)
})

const word = fc.constantFrom(mail, card, 'x@y.zz', 'hello', '😀', '<EMAIL_1>', ' ')
const NEEDLES = { [mail]: 'pii.email', 'x@y.zz': 'pii.email', [card]: 'pii.card', roe: 'pii.person' } as const
const transform = fc.constantFrom(
  'redact:pii',
  'redact:pii.card',
  'mask:pii.card',
  'pseudonymize:pii',
  'pseudonymize:pii.email',
  'truncate:30',
)
const asked = fc.tuple(fc.array(fc.array(word, { maxLength: 8 }), { maxLength: 4 }), fc.uniqueArray(transform, { maxLength: 4 }))
const found = (texts: readonly string[]) => texts.map((text) => ({ text, findings: find(text, NEEDLES) }))

test('carried out twice, transforms change nothing more', () => {
  fc.assert(
    fc.property(asked, ([parts, transforms]) => {
      const once = applyTransforms(found(parts.map((some) => some.join(''))), transforms, new Vault())
      const twice = applyTransforms(found(once.texts), transforms, new Vault())
      expect(twice).toEqual({ texts: once.texts, applied: [] })
    }),
  )
})

test('what was pseudonymized comes back, and nothing of it leaves', () => {
  fc.assert(
    fc.property(fc.array(fc.array(word, { maxLength: 8 }), { maxLength: 4 }), (parts) => {
      const texts = parts.map((some) => some.join(''))
      const vault = new Vault()
      const changed = applyTransforms(found(texts), ['pseudonymize:pii'], vault)
      expect(changed.texts.map((text) => vault.restore(text))).toEqual(texts)
      for (const text of changed.texts) for (const needle of [mail, card]) expect(text).not.toContain(needle)
    }),
  )
})

test('a megabyte with a hundred thousand findings takes little time', () => {
  const text = 'a@b.example '.repeat(87_000)
  const findings = Array.from({ length: 87_000 }, (_, i): Finding => ({ type: 'pii.email', start: i * 12, end: i * 12 + 11 }))
  const transforms = ['pseudonymize:pii', 'truncate:900000']
  expect(cpuMs(() => applyTransforms([{ text, findings }], transforms, new Vault()))).toBeLessThan(5_000)
})
