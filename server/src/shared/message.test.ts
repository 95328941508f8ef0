import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../test/support/cpu-time.ts'
import { type ChatMessage, collect, collectTexts, joinsOfTurns, replaceTexts } from './message.ts'

const calling = (written: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'pay', arguments: written } }],
  },
]
const argumentsOf = (messages: unknown): string => /"arguments":("(?:[^"\\]|\\.)*")/.exec(JSON.stringify(messages))?.[1] ?? ''
/** The arguments after `change` was done to every text. */
const rewrittenArguments = (written: string, change: (text: string) => string): string => {
  const messages = calling(written)
  return JSON.parse(argumentsOf(replaceTexts(messages, collectTexts(messages).map(change))))
}
const saying = (content: string) => [{ role: 'assistant', content }]
const rewrittenContent = (content: string, change: (text: string) => string): string | undefined =>
  replaceTexts(saying(content), collectTexts(saying(content)).map(change))[0]?.content

const IBAN = 'GB33BUKB20201555555555'
const ESCAPED = String.raw`{"iban":"\u0047B33BUKB20201555555555"}`

describe('no escape hides a text', () => {
  test.each([
    [String.raw`{"k":"\u0047B33\u0042UKB"}`, '{"k":"GB33BUKB"}'],
    [String.raw`{"k":"postgres:\/\/db"}`, '{"k":"postgres://db"}'],
    [String.raw`{"harriet.lowe\u0040example.com":1}`, '{"harriet.lowe@example.com":1}'],
    [String.raw` [ "a\nb\tc", "\ud83e\udd8a" ]`, ' [ "a\nb\tc", "🦊" ]'],
    [String.raw`["\\u0047", "\"", "\u005c", "\u0022", "\ud83e"]`, String.raw`["\\u0047", "\"", "\\", "\"", "\ud83e"]`],
  ])('%s', (written, shown) => {
    expect(collectTexts(calling(written))).toContain(shown)
    expect(collectTexts(saying(written))).toEqual([shown])
  })
  test.each([String.raw`"\u0047B33"`, String.raw`{"iban":"\u0047B33`])(
    'in arguments that are no object, or cut off: %s',
    (written) => expect(collectTexts(calling(written)).join()).toContain('GB33'),
  )
  test.each([String.raw`[C:\new]`, String.raw`{\rtf1 x}`, String.raw`Say "\u0047".`])(
    'a text that is no JSON stays as it is: %s',
    (text) => expect(collectTexts(saying(text))).toEqual([text]),
  )
})

describe('what is changed is written back as JSON, and the rest to the byte', () => {
  const hide = (text: string) => text.replace(IBAN, '[IBAN]')
  test.each([
    [ESCAPED, '{"iban":"[IBAN]"}'],
    [
      String.raw`{ "a":"\u0041\/" ,"iban": "for \"me\": \u0047B33BUKB20201555555555" }`,
      String.raw`{ "a":"\u0041\/" ,"iban": "for \"me\": [IBAN]" }`,
    ],
    [`{"${IBAN}":[1.50,true,null,"x"]}`, '{"[IBAN]":[1.50,true,null,"x"]}'],
  ])('%s', (written, expected) => {
    expect(rewrittenArguments(written, hide)).toBe(expected)
    expect(rewrittenContent(written, hide)).toBe(expected)
  })
  test.each([
    ['{"k":4111111111111111}', '{"k":"************1111"}', '************1111'],
    ['{"k":[4111111111111111],"n":-1.5e3}', '{"k":["[CARD]"],"n":-1.5e3}', '[CARD]'],
    ['[[4111111111111111]]', '[["[CARD]"]]', '[CARD]'],
    ['{"k":-4111111111111111, "x":"4"}', '{"k":"-<CARD_1>", "x":"4"}', '<CARD_1>'],
    ['{"k":4.111111111111111e15,"n":1.5}', '{"k":"[CARD]","n":1.5}', '[CARD]'],
    ['{"n":1e13,"k":-41.11111111111111e14}', '{"n":1e13,"k":"-[CARD]"}', '[CARD]'],
  ])('a number becomes a string: %s', (written, expected, replacement) =>
    expect(rewrittenArguments(written, (text) => text.replace('4111111111111111', replacement))).toBe(expected),
  )
  test('a line break or a backslash that comes in is escaped', () =>
    expect(JSON.parse(rewrittenArguments('{"k":"<PERSON_1>"}', (text) => text.replace('<PERSON_1>', 'a\nb\\c')))).toEqual({
      k: 'a\nb\\c',
    }))
  test.each([
    ['cut short', (text: string) => text.slice(0, 12)],
    ['replaced across its strings', (text: string) => text.replace(/b".*"c/, '[INJECTION]')],
    ['given a quote that ends a string', (text: string) => text.replace('b', 'b","admin":"')],
  ])('arguments whose form is %s are JSON still', (_, change) => {
    const written = '{"a":"bbb","c":"ddd"}'
    expect(JSON.parse(rewrittenArguments(written, (text) => (text === written ? change(text) : text)))).toEqual({
      text: change(written),
    })
  })
  test('prose is replaced as it is', () => expect(rewrittenContent('Hello {x}', () => '{"')).toBe('{"'))
  test('arguments that were no JSON need not become it', () => expect(rewrittenArguments(`to ${IBAN}`, hide)).toBe('to [IBAN]'))
  test('no value moves from one field into another', () => {
    const forged = JSON.stringify({ to: `${IBAN}","amount":"9999`, amount: IBAN })
    expect(JSON.parse(rewrittenArguments(forged, (text) => text.replaceAll(IBAN, '[IBAN]')))).toEqual({
      to: '[IBAN]","amount":"9999',
      amount: '[IBAN]',
    })
  })
})

/** JSON with every kind of escape, and other text that looks like it. */
const written = fc.oneof(
  fc.json(),
  fc
    .jsonValue()
    .map((value) =>
      JSON.stringify(value).replace(/[a-zA-Z/](?=[^"]*"[,:}\]])/g, (character) =>
        character === '/' ? '\\/' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    ),
  fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', 'u', '0', '4', '7', ':', ',', ' ', '-', 'a') }),
)

test('replaceTexts with the texts of collectTexts changes nothing', () => {
  fc.assert(
    fc.property(written, (text) => {
      const messages = [...calling(text), ...saying(text), { role: 'user', content: [{ type: 'text', text }] }]
      expect(replaceTexts(messages, collectTexts(messages))).toBe(messages)
    }),
  )
})

test('JSON in which anything within a string was changed is JSON with just that changed', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.string().filter((text) => !/["\\]/.test(text)),
      (value, other) => {
        const json = JSON.stringify({ mark: 'zebra', value: [value, 'a zebra'] }).replaceAll('zebra', '\\u007aebra')
        const changed = JSON.parse(rewrittenArguments(json, (text) => text.replaceAll('zebra', () => other)))
        expect(changed).toEqual(JSON.parse(json.replaceAll('\\u007aebra', () => JSON.stringify(other).slice(1, -1))))
      },
    ),
  )
})

test('a megabyte of escapes or brackets is read in no time', () => {
  const texts = [
    `["${'\\u0041'.repeat(170_000)}"]`,
    `{"a":"\\n${'\\"'.repeat(500_000)}"}`,
    '['.repeat(500_000) + ']'.repeat(500_000),
  ]
  const ms = cpuMs(() => {
    for (const text of texts) rewrittenArguments(text, (shown) => `${shown} `)
  })
  expect(ms).toBeLessThan(5_000)
})

test('collect, replaceTexts: data: URLs in a text are read and written back in time that grows with the text', () => {
  const urls = (count: number): string => Array.from({ length: count }, (_, index) => `data:text/plain,card%20${index}`).join(' ')
  const change = (count: number) => {
    const messages = saying(urls(count))
    return replaceTexts(
      messages,
      collectTexts(messages).map((text) => (text.startsWith('card') ? 'gone' : text)),
    )
  }
  const least = (count: number): number => {
    const times = Array.from({ length: 5 }, () => cpuMs(() => change(count)))
    return Math.min(...times)
  }
  expect(change(3)[0]?.content).toBe('data:text/plain,gone data:text/plain,gone data:text/plain,gone')
  const [one, four] = [least(2_000), least(8_000)]
  // Time that grows with the square of the length would be sixteen times as much.
  expect(four).toBeLessThan(10 * one + 20)
})

test('replaceTexts: a data: URL that another change has cut cannot be changed itself', () => {
  const messages = saying('see data:text/plain,a%20card now')
  const texts = collectTexts(messages).map((text) => (text === 'a card' ? 'gone' : 'see [URL] now'))
  expect(() => replaceTexts(messages, texts)).toThrow('a transform cannot change')
})

describe('media type of a long file', () => {
  const picture = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7) % 256)).toString('base64')
  const text = Buffer.from('plain words '.repeat(40)).toString('base64')
  const messages = (part: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }]
  const read = (part: object): string => collectTexts(messages(part)).join('\n')

  test.each([
    `data:image/png;note=JUNIPER;base64,${picture}`,
    `data:image/JUNIPER;base64,${picture}`,
    `data:text/plain;note=JUNIPER;base64,${text}`,
    `data:JUNIPER;base64,${text}`,
    `data:text/plain;note=JUNIPER,${'word%20'.repeat(60)}`,
  ])('texts: detectors read the text in the header of %s', (url) => {
    expect(read({ type: 'image_url', image_url: { url } })).toContain('JUNIPER')
    expect(read({ type: 'file', file: { file_data: url } })).toContain('JUNIPER')
    expect(read({ type: 'video_url', video_url: { url } })).toContain('JUNIPER')
  })

  test('texts: a usual header is no text', () => {
    expect(read({ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } })).toBe('Hi')
  })

  test('transform: fails when it would change the header, because it cannot be replaced', () => {
    const sent = messages({ type: 'image_url', image_url: { url: `data:image/JUNIPER;base64,${picture}` } })
    const changed = collectTexts(sent).map((each) => each.replace('JUNIPER', '[hidden]'))
    expect(() => replaceTexts(sent, changed)).toThrow('a transform cannot change the media type of a file')
  })
})

/** The joined texts of each run. */
const runsOf = (messages: readonly ChatMessage[]): readonly string[] => {
  const { texts, spoken } = collect(messages)
  return joinsOfTurns(messages, spoken).map((run) => run.map((index) => texts[index]).join('|'))
}
const says = (role: string, content: string | null, more: object = {}): ChatMessage => ({ role, content, ...more })

test.each<[string, readonly ChatMessage[], readonly string[]]>([
  ['consecutive users', [says('user', 'a'), says('user', 'b')], ['a|b']],
  ['consecutive assistants', [says('user', 'x'), says('assistant', 'a'), says('assistant', 'b')], ['a|b']],
  ['an empty assistant between users', [says('user', 'a'), says('assistant', ''), says('user', 'b')], ['a|b']],
  ['a tool result between users', [says('user', 'a'), says('tool', 'r', { tool_call_id: 'c' }), says('user', 'b')], ['a|b']],
  ['an assistant between users', [says('user', 'a'), says('assistant', 'x'), says('user', 'b')], []],
  [
    'an assistant that calls a tool between users',
    [
      says('user', 'a'),
      says('assistant', null, { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] }),
      says('user', 'b'),
    ],
    [],
  ],
])('turns: %s', (_, messages, expected) => {
  expect(runsOf(messages)).toEqual(expected)
})

const SECRET = 'My card is 4111 1111 1111 1111'
const fileOf = (bytes: Buffer) => {
  const file_data = `data:text/plain;base64,${bytes.toString('base64')}`
  return [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }]
}

test.each([
  ['a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(SECRET)])],
  ['zeros in the first 4 KiB', Buffer.concat([Buffer.from('a'.repeat(2_100), 'utf16le'), Buffer.from(SECRET)])],
])('text file: ASCII is collected when it looks like UTF-16 because of %s', (_, bytes) => {
  expect(collect(fileOf(bytes)).texts.some((text) => text.includes(SECRET))).toBe(true)
})

test('text file: has no second reading when it is UTF-16', () => {
  // A shorter file is also scanned as a word.
  const text = `${SECRET}${'.'.repeat(200)}`
  const { texts } = collect(fileOf(Buffer.from(`\uFEFF${text}`, 'utf16le')))
  expect(texts.filter((one) => one.includes('4111'))).toEqual([text])
})

test('text: a picture in a data: URL counts as unread', () => {
  const url = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]).toString('base64')}`
  const { unread } = collect([{ role: 'user', content: `see ![x](${url})` }])
  expect(unread).toEqual({ count: 1, bytes: 8, kinds: ['image'] })
})
