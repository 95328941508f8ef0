import { describe, expect, test } from 'vitest'
import { findIn } from '../../../test/support/classification/find-in.ts'
import { Random } from '../../../test/support/classification/random.ts'
import { makeConnectionStrings } from '../../../test/support/classification/secret-texts.ts'
import type { FindingType } from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { isBounded, scanGrowing, windowOf } from './growing-scan.ts'
import { scan } from './scan.ts'

// The window is as long as the longest finding that a rule reads (decision 0025).

const BOUNDED = DETECTORS.filter(isBounded)
const LIMITED = BOUNDED.flatMap(({ longest, type, ...others }) =>
  longest !== undefined && type !== undefined ? [{ ...others, longest, type }] : [],
)

const CARDS = [
  '4111111111111111',
  '378282246310005',
  '6304000000000000',
  '5555555555554444',
  '4222222222222',
  '6212345678900000003',
]
const IBANS = ['DE89370400440532013000', 'MT84MALT011000012345MTLCAST001S', 'NO9386011117947', 'FR1420041010050500013M02606']
const PHONES = [
  '+1-203-305-2492x5662',
  'Tel.: 030/1234567',
  '+49 30 1234567',
  '(030) - (12) / (34) 56',
  '0171 / 2345678 extension 123456',
]
const IDS = [
  'SSN: 536-90-4399',
  '756.9217.0769.85',
  'passport no. C01X00T47',
  '2 55 08 14 168 025 38',
  'BADD110365HCMLNS09',
  '12.345.678-5',
]
const IPS = ['203.0.113.77', '2001:db8:85a3::8a2e:370:7334', '2001:0db8:85a3:0000:0000:8a2e:0370:7334', 'v1.2.3.4']
const EMAILS = [
  'jane.doe+work@mail.example.co.uk',
  'jürgen@müller.de',
  'jane (at) example (dot) co (dot) uk',
  'git@github.com:',
  'a@b.png',
]
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'pii.card': CARDS,
  'pii.iban': IBANS,
  'pii.phone': PHONES,
  'pii.national_id': IDS,
  'pii.ip': IPS,
  'pii.email': EMAILS,
}
const SEPARATORS = [
  '',
  ' ',
  '-',
  ' - ',
  '  ',
  '\t. ',
  ' / ',
  '\n> ',
  '  \r\n\t>  ',
  '•·~',
  ' .\n    ',
  '_',
  ' : ',
  ') - (',
  '\u200b',
  '\u0301',
  '\u200b'.repeat(30),
]
const AFTER = [
  '',
  ' ',
  '.',
  '.5',
  'x',
  'é',
  '%',
  ' office',
  ', was',
  ' customers',
  ':',
  ' (dot) ',
  ' ext. 5',
  ' 4111',
  '\u0335',
  ' is base64',
]
const WORDS = [
  'card',
  'the',
  'SSN',
  'my passport no',
  'IBAN',
  'call me at',
  'Jane Miller',
  'name: Jane',
  'Server=db1; Password=',
  'саrd',
  'version',
]
const random = new Random(23)

const fullWidth = (value: string): string => value.replace(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))

/** A value whose characters are separated, by one separator or by several. */
function spread(value: string): string {
  const [one, every] = [random.pick(SEPARATORS), 1 + random.number(5)]
  const isMixed = random.number(3) === 0
  return [...value]
    .map((each, at) => (at % every === 0 && at > 0 ? (isMixed ? random.pick(SEPARATORS) : one) + each : each))
    .join('')
}

const ENCODINGS: readonly ((value: string) => string)[] = [
  (value) => `base64: ${Buffer.from(`The value is ${value}`).toString('base64')}`,
  (value) => `${Buffer.from(value).toString('hex')} in hex`,
  (value) =>
    `${Buffer.from(value)
      .toString('hex')
      .replace(/..(?=.)/g, '$& ')} is hexadecimal`,
  (value) => `reversed: ${[...value].reverse().join('')}`,
]

function piece(values: readonly string[]): string {
  switch (random.number(12)) {
    case 0:
      return random.pick(ENCODINGS)(random.pick(values))
    case 1:
      return random.pick(Object.values(makeConnectionStrings(random)))
    case 2:
      return random.string(random.number(30), '0123456789')
    case 3:
      return spread(random.string(random.number(40), 'AZaz09.- /:@'))
    case 4:
      return random.pick(Object.values(VALUES).flat())
    case 5:
      return fullWidth(random.pick(values))
    case 6:
      return random.pick(values)
    case 7:
    case 8:
      return spread(random.pick(values))
    case 9:
      return random.pick(SEPARATORS)
    default:
      return random.pick(WORDS)
  }
}

function makeText(values: readonly string[], length: number): string {
  let text = 'Good morning to all of you. '.repeat(random.number(4))
  while (text.length < length) text += piece(values) + random.pick(AFTER) + random.pick(['', ' ', ' ', '\n'])
  return text
}

describe.each(LIMITED)('$name: longest finding [GW-WIN-2]', (detector) => {
  const values = VALUES[detector.type] ?? []

  test(`findings: they are known when ${detector.longest} characters follow their start`, () => {
    let found = 0
    for (let round = 0; round < 400; round++) {
      const text = makeText(values, detector.longest + 200)
      const whole = findIn(detector, text)
      for (const { type, start, end } of whole) {
        expect(type).toBe(detector.type)
        expect(end - start).toBeLessThanOrEqual(detector.longest)
      }
      found += whole.length
      for (let length = random.number(7); length <= text.length; length += 1 + random.number(12)) {
        const isKnown = ({ start }: { readonly start: number }) => start <= length - detector.longest
        expect(findIn(detector, text.slice(0, length)).filter(isKnown), JSON.stringify(text)).toEqual(whole.filter(isKnown))
      }
    }
    expect(found).toBeGreaterThan(100)
  })

  test('text: nothing of a finding is clear at any length, with overlaps, in each form', () => {
    const reads: readonly FindingType[] = [detector.type]
    const options = {
      detectors: BOUNDED,
      budgetMs: 60_000,
      readsEncoded: false,
      window: windowOf({ detectors: BOUNDED, reads }),
      reads,
    }
    const own = { ...options, detectors: [detector] }
    let clear = 0
    for (let round = 0; round < 5; round++) {
      const text = makeText(values, options.window + 150) + 'And so on. '.repeat(random.number(80))
      const first = scan([text], own).findings[0]?.[0]?.start ?? text.length
      for (let length = 0; length <= text.length; length += 1 + random.number(7)) {
        const { clearEnd, failed } = scanGrowing(text.slice(0, length), options)
        expect(failed).toBe(false)
        expect(clearEnd, JSON.stringify([first, text])).toBeLessThanOrEqual(first)
        clear += clearEnd
      }
    }
    expect(clear).toBeGreaterThan(0)
  })
})

describe('findings of other types', () => {
  const reads = ['pii.card'] as const
  const options = {
    detectors: BOUNDED,
    budgetMs: 60_000,
    readsEncoded: false,
    window: windowOf({ detectors: BOUNDED, reads }),
    reads,
  }
  const start = 'Payment: '.length
  const text = `Payment: 4111 1111 1111 1111 today. ${'And so on. '.repeat(20)}`

  test('finding: it is never clear while another one hides it', () => {
    const fickle: Detector = {
      name: 'fickle',
      type: 'secret.token',
      reach: 10,
      find: (read, findings) => read.includes('not a token') || findings.push({ type: 'secret.token', start, end: start + 19 }),
    }
    const detectors = [...BOUNDED, fickle]
    for (const growing of [text, `${text} not a token`]) {
      expect(scanGrowing(growing, { ...options, detectors })).toMatchObject({ clearEnd: start })
    }
  })

  test('count: a finding counts when no finding of another type can take its place', () => {
    expect(scanGrowing(text, options)).toMatchObject({ clearEnd: start, isBlocked: false, counts: { pii: 0 } })
    expect(scanGrowing(text + 'And so on. '.repeat(40), options)).toMatchObject({
      clearEnd: start,
      isBlocked: true,
      counts: { 'pii.card': 1 },
    })
  })

  test('encoded text: it is held in the last 576 characters, because text after it can be a part of the same value', () => {
    const runs = ['pay 4111 1111', '1111 1111 now'].map((each) => Buffer.from(each).toString('base64'))
    const split = `In base64: ${runs.join(` ${'and so on '.repeat(40)} in base64 `)} ${'And so on. '.repeat(80)}`
    const first = scan([split], { ...options, detectors: BOUNDED }).findings[0]?.[0]?.start
    expect(first).toBe('In base64: '.length)
    for (let length = 0; length < split.length; length += 3) {
      expect(scanGrowing(split.slice(0, length), options).clearEnd).toBeLessThanOrEqual(first ?? 0)
    }
  })
})

test.each([
  [['pii.card'], 96],
  [['pii.ip'], 58],
  [['pii.national_id'], 116],
  [['pii.card', 'pii.phone'], 166],
  [['pii.iban'], 292],
  [['pii.email'], 440],
  [['pii.person'], 576],
  [['pii'], 576],
  [['secret.api_key'], 576],
  [[], 0],
] as const)('window: for rules that read %j it is %i characters', (reads, length) => {
  expect(windowOf({ detectors: BOUNDED, reads })).toBe(length)
})
