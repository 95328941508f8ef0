import { describe, expect, test } from 'vitest'
import { HOSTILE_UNITS } from '../../../test/support/classification/hostile-texts.ts'
import { Random } from '../../../test/support/classification/random.ts'
import {
  makeApiKeys,
  makeConnectionStrings,
  makeDecoys,
  makePrivateKeys,
  makeTokens,
} from '../../../test/support/classification/secret-texts.ts'
import { readings } from '../../platform/lib/plain-text.ts'
import { MIN_RELEASE_WINDOW } from '../../shared/principal.ts'
import { DETECTORS, PERSONAL_DATA, SECRETS } from './detectors.ts'
import { isBounded, scanGrowing, windowOf } from './growing-scan.ts'
import { scan } from './scan.ts'

const BOUNDED = DETECTORS.filter(isBounded)
const reads = ['pii', 'secret'] as const
const window = windowOf({ detectors: BOUNDED, reads })
const options = { detectors: BOUNDED, budgetMs: 60_000, readsEncoded: true, window, reads } as const

const PERSONAL = [
  ...['jane.doe+work@mail.example.co.uk', 'jürgen@müller.de', 'jane (at) example (dot) co (dot) uk'],
  ...['jane@exam\u200bple.com', 'Tel.: 030/1234567', '+1-203-305-2492x5662'],
  ...['+１ ２０２ ５５５ ０１２３', 'card 4111 1111 1111 1111'],
  ...['DE89 3704 0044 0532 0130 00', 'SSN: 536-90-4399', 'passport no. C01X00T47', 'server 203.0.113.77'],
  ...['2001:db8:85a3::8a2e:370:7334', 'My name is Jane van der Meulen-O’Neill', 'Kind regards,\nJane Doe'],
  ...['born on 14 March 1979', 'date of birth: 14.03.1979', `a${'\u0301'.repeat(30)}nna@example.com`],
]
const FILLERS = [
  ...Object.values(HOSTILE_UNITS),
  ...['Good morning to all of you. ', '“Quoted” — text… ', '中文句子没有空格，也没有秘密。'],
  ...['x'.repeat(90), '\n\n', 'name = value; ', '😀 ', 'é̂ '],
]

const random = new Random(11)
const EXAMPLES = [makeApiKeys, makeConnectionStrings, makePrivateKeys, makeTokens, makeDecoys]
  .flatMap((make) => Object.values(make(random)))
  .concat(PERSONAL)

/** About `length` characters of filler and examples in any order, with few or many examples. */
function makeText(length: number): string {
  const share = random.pick([2, 20, 60])
  let text = 'Good morning to all of you. '.repeat(random.number(80))
  while (text.length < length)
    text += random.number(100) < share ? random.pick(EXAMPLES) + random.pick(['', ' ', ', ', '\n']) : random.pick(FILLERS)
  return text
}

test('detectors: all of personal data and secrets are bounded, and the window is that of the longest', () => {
  expect(BOUNDED).toEqual([...PERSONAL_DATA, ...SECRETS])
  for (const { reach = 0 } of BOUNDED) expect(reach).toBeLessThan(window)
  expect(window).toBe(MIN_RELEASE_WINDOW)
})

const PROSE = 'The weather was fine and no person was in a hurry. '.repeat(16)

test.each([
  ["create user app identified by 'hunter2x';", 'that is the password.'],
  ['machine api.example.com login bob password correct-horse', 'see v2 of it.'],
  ['localhost:5432:prod:app:correcthorse', 'see v2 of it.'],
  ['Run echo "root:Sommer2024x" | chpasswd', 'then mysql -u root.'],
  ["CREATE USER app IDENTIFIED BY 'correcthorse'", 'the 3rd'],
  ['PWD for server: Hunter22', 'password'],
  ['ПАРОЛЬ для входа: Sommer2024', 'password'],
  ['Passwort für den Server: Sommer-2024', 'v2'],
  ['expdp scott/Tiger2024', ' -u'],
  ['default password correct-horse9x', 'user bob'],
])('findings: one that a word far behind it makes a finding is never clear: %s', (secret, word) => {
  const text = `${secret} ${PROSE}`
  const [start = Number.POSITIVE_INFINITY] = (scan([`${text}${word}`], options).findings[0] ?? []).map((finding) => finding.start)
  expect(start).toBeLessThan(secret.length)
  expect(scanGrowing(text, options).clearEnd).toBeLessThanOrEqual(start)
})

const overLines = (text: string, length: number): string => text.replace(new RegExp(`.{${length}}(?=.)`, 'g'), '$&\n> ')
const hexadecimal = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replace(/..(?=.)/g, '$& ')

/** Findings that are decided more than a window after their start. */
const LONG_FINDINGS = {
  'address of a long domain': `jürgen@${'bücher-und-mehr.'.repeat(9)}example.de`,
  'account number over lines': `DE89${'370400440532013000'.replace(/.(?=.)/g, '$&  \n>   ')}`,
  'name and further fields': `name: Zorblax Quuxington\n${'notes: nothing of interest here\n'.repeat(4)}email: x`,
  'key over lines': overLines(`hvb.${random.string(110)}`, 16),
  'connection string': `postgresql://${'übername'.repeat(12)}:gehe1m!sP4ss@db.example.org/x`,
  'password in quotes': `mysql -u root -p'corréct hörse 7 ${'battery '.repeat(11)}'`,
  'password beyond ASCII': `password = "Pä7${'ßwörter'.repeat(20)}!"`,
  'password for the next command': `echo Tr0ub4dor3x | ${'tee /dev/null && '.repeat(5)} docker login --password-stdin`,
  'number in groups, called hexadecimal after it': `${hexadecimal('4111111111111111')} is the number that I wrote down for you, in hexadecimal`,
  'private key': `-----BEGIN PRIVATE KEY-----\n${'x y z\n'.repeat(40)}-----END PRIVATE KEY-----`,
  'list of values': `Server=db1; ${'Option=value; '.repeat(40)}Password=hunter2hunter2`,
}

describe('beginning of a text [GW-WIN-3]', () => {
  test.each(Object.entries(LONG_FINDINGS))(
    '%s: nothing of it is clear, because its detector marks its beginning',
    (_, example) => {
      const text = `${'Good morning. '.repeat(3)}${example} ${'And so on, and so on. '.repeat(30)}`
      const first = scan([text], options).findings[0]?.[0]?.start ?? text.length
      expect(first).toBeLessThan(text.length)
      // The marks alone protect these findings, also in a window of the longest reach.
      const marked = { ...options, window: 16 + Math.max(...BOUNDED.map(({ reach = 0 }) => reach)) }
      const unmarked = { ...marked, detectors: BOUNDED.map(({ marks: _marks, byForm: _form, ...others }) => others) }
      let needsMark = false
      for (let length = 0; length <= text.length; length += 3) {
        const beginning = text.slice(0, length)
        expect(scanGrowing(beginning, marked).clearEnd).toBeLessThanOrEqual(first)
        needsMark ||= scanGrowing(beginning, unmarked).clearEnd > first
      }
      expect(needsMark).toBe(true)
    },
  )

  test('text: what is clear at any length has no finding in the whole text, and settled findings stay', () => {
    let clear = 0
    for (let round = 0; round < 60; round++) {
      const text = makeText(window + 300 + random.number(3_000))
      const whole = scan([text], options)
      const first = whole.findings[0]?.[0]?.start ?? text.length
      for (let length = random.number(97); length < text.length; length += 20 + random.number(120)) {
        const seen = scanGrowing(text.slice(0, length), options)
        expect(seen.failed).toBe(false)
        expect(seen.clearEnd, JSON.stringify(text.slice(first, first + 80))).toBeLessThanOrEqual(first)
        for (const [name, count] of Object.entries(seen.counts)) {
          expect(count, name).toBeLessThanOrEqual(whole.counts[name as keyof typeof whole.counts])
        }
        clear += seen.clearEnd
      }
    }
    expect(clear).toBeGreaterThan(500_000)
  })

  test('examples of the detectors: never clear before they are complete', () => {
    for (const example of EXAMPLES) {
      const text = `${'Good morning. '.repeat(3)}${example} ${'And so on. '.repeat(80)}`
      const first = scan([text], options).findings[0]?.[0]?.start ?? text.length
      for (let length = 0; length <= text.length; length += 29) {
        expect(scanGrowing(text.slice(0, length), options).clearEnd, example).toBeLessThanOrEqual(first)
      }
    }
  })

  test('text: all but the window is clear when nothing is found', () => {
    const text = 'Good morning to all of you. '.repeat(100)
    const { clearEnd, isBlocked } = scanGrowing(text, options)
    expect(text.length - clearEnd).toBeLessThan(window + 30)
    expect(isBlocked).toBe(false)
  })

  test('word: it is held until it ends, however long it is', () => {
    const text = `Good morning. ${'x'.repeat(5_000)}`
    expect(scanGrowing(text, options).clearEnd).toBe('Good morning. '.length)
    expect(scanGrowing(`${text} ${'and so on '.repeat(60)}`, options).clearEnd).toBeGreaterThan(4_000)
  })

  test('character: a surrogate pair is never split', () => {
    const text = '😀'.repeat(1_000)
    for (let cut = 1_500; cut < 1_510; cut++) {
      const { clearEnd } = scanGrowing(text.slice(0, cut), options)
      expect(text.slice(0, clearEnd).isWellFormed()).toBe(true)
      expect(clearEnd).toBeGreaterThan(800)
    }
  })

  test('private key: nothing after its first line is clear before its last line can have arrived', () => {
    const text = `Here it is: -----BEGIN PRIVATE KEY-----\n${'not base64 at all\n'.repeat(1_000)}`
    expect(scanGrowing(text, options).clearEnd).toBe('Here it is: '.length)
  })

  test('JSON document: nothing in reach of an escape is clear, and escaped quotes do not stop it', () => {
    const text = `{"said": "${'He said \\"yes\\". '.repeat(100)}`
    expect(scanGrowing(`${text}\\`, options)).toMatchObject({ isBlocked: false })
    const { clearEnd, isBlocked } = scanGrowing(`${text}jane\\u0040example.com ${'and so on '.repeat(100)}`, options)
    const wordStart = text.lastIndexOf(' ', text.length + 'jane'.length - window - 1) + 1
    expect({ clearEnd, isBlocked }).toEqual({ clearEnd: wordStart, isBlocked: true })
    const prose = `As ${text}jane\\u0040example.com ${'and so on '.repeat(100)}`
    expect(scanGrowing(prose, options).isBlocked).toBe(false)
  })

  test.each([
    [
      'connection string',
      `{"c": "${'Some prose here. '.repeat(10)}Server=db1; ${'Option=value; '.repeat(60)}P\\u0061ssword=hunter2hunter2"}`,
    ],
    ['long word', `{"t": "${'Some prose here. '.repeat(10)}eyJhbGciOiJIUzI1NiJ9.${'QUJD'.repeat(180)}\\u002eQUJD"}`],
  ])('JSON document: no part of a %s that an escape completes is clear', (_, text) => {
    const { clearEnd } = scanGrowing(`${text} ${'and so on '.repeat(100)}`, options)
    expect(clearEnd).toBeLessThanOrEqual(`{"c": "${'Some prose here. '.repeat(10)}`.length)
  })

  test('JSON document: a finding that the escape after it ends is not counted', () => {
    const text = `{"to": "jane@example.co\\u006d.png", "x": "${'and so on '.repeat(200)}`
    expect(scanGrowing(text, options)).toMatchObject({ counts: {}, isBlocked: true })
  })

  test('data: URL: it is not clear, because its content is read when it is complete', () => {
    const text = `${'Good morning. '.repeat(3)}data:text/plain,jane%40example.com ${'And so on. '.repeat(100)}`
    expect(scanGrowing(text, options)).toMatchObject({ clearEnd: text.indexOf('data:'), isBlocked: true })
    expect(scanGrowing(text, { detectors: [], budgetMs: 1_000, window, reads: [], readsEncoded: false }).isBlocked).toBe(false)
  })

  test('detector: nothing is clear after it failed', () => {
    const find = () => {
      throw new Error('broken')
    }
    const broken = { name: 'broken', reach: 10, find }
    expect(scanGrowing('Good morning. '.repeat(100), { ...options, detectors: [broken] }).failed).toBe(true)
  })

  test('forms: invisible characters do not stretch a finding beyond the window', () => {
    const hidden = [...'4111111111111111'].join('\u200b'.repeat(60))
    const text = `Good morning. ${hidden} ${'And so on. '.repeat(80)}`
    expect(readings(text).plain.text).toContain('4111111111111111')
    for (let length = 0; length <= text.length; length += 17) {
      expect(scanGrowing(text.slice(0, length), options).clearEnd).toBeLessThanOrEqual('Good morning. '.length)
    }
  })
})
