import { describe, expect, test } from 'vitest'
import { termsOf } from './language.ts'
import { splitWords } from './words.ts'

describe('splitWords', () => {
  test.each([
    ['INV-2024-0017', ['INV', '2024', '0017', 'INV-2024-0017']],
    ['snake_case', ['snake', 'case', 'snake_case']],
    ['parseHTTPRequest', ['parseHTTPRequest', 'parse', 'HTTP', 'Request']],
    ['v1.12.3', ['v1', '12', '3', 'v1.12.3']],
    ['retrieval.rank', ['retrieval', 'rank', 'retrieval.rank']],
    ['state-of-the-art', ['state', 'of', 'the', 'art']],
    ['ann@example.org', ['ann', 'example', 'org', 'ann@example.org']],
    ["don't, l'avion", ["don't", "l'avion"]],
    ['The end. Another', ['The', 'end', 'Another']],
    ['東京都', ['東', '東京', '京', '京都', '都']],
    ['ﬁle', ['file']],
    ['', []],
    ['… — !', []],
  ])('%s', (text, words) => expect(splitWords(text)).toEqual(words))

  test('limits words to 64 characters without splitting surrogate pairs', () => {
    const [word = ''] = splitWords(`${'a'.repeat(63)}${'𝐱'.normalize('NFC')}${'𐐨'.repeat(50)}`)
    expect(word.length).toBeLessThanOrEqual(64)
    expect(word.isWellFormed()).toBe(true)
  })

  test('splits a mebibyte of any text in linear time', () => {
    for (const unit of ['a-', 'aB', '-', "a'", '東', 'é', '1.']) {
      const { user } = process.threadCpuUsage()
      splitWords(unit.repeat(2 ** 20 / unit.length))
      expect(process.threadCpuUsage().user - user).toBeLessThan(5_000_000)
    }
  })
})

describe('termOf', () => {
  test.each([
    ['en', 'The connections were connected', ['connect', 'connect']],
    ['en', "Anne's invoices don't matter", ['ann', 'invoic', 'matter']],
    ['de', 'Die Häuser und Verbindungen', ['haus', 'verbind']],
    ['fr', "l'avion et les cafés", ['avion', 'caf']],
    ['ru', 'и книги', ['книг']],
    ['tr', 'KIZ kız', ['kız', 'kız']],
    ['none', 'The Connections', ['the', 'connections']],
    ['none', 'café', ['café']],
  ] as const)('%s: %s', (language, text, terms) => expect(termsOf(text, language)).toEqual(terms))

  test('does not stem numbers and identifiers', () => {
    expect(termsOf('ORDERS-2024s', 'en')).toEqual(['order', '2024s', 'orders-2024s'])
  })
})
