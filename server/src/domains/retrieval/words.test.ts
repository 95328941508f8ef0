import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { LANGUAGES, termOf, termsOf } from './language.ts'
import { splitWords, TOKENIZER } from './words.ts'

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
    // Scripts without spaces end where Latin letters and digits begin.
    ['使用Docker，端口8443', ['使', '使用', '用', 'Docker', '端', '端口', '口', '8443']],
    ['サーバーのDNS設定', ['サー', 'ーバ', 'バー', 'ーの', 'DNS', '設', '設定', '定']],
    ['GPT-4o模型 ８４４３', ['GPT', '4o', 'GPT-4o', '模', '模型', '型', '8443']],
    ['第1章_概要.pdf', ['第', '1', '章', '概', '概要', '要', 'pdf']],
    // Korean particles follow their noun without a space.
    ['신청서를 인사팀에', ['신청', '청서', '서를', '인사', '사팀', '팀에']],
    ['책을 Docker는', ['책을', '책', 'Docker', '는']],
    ['책을', ['책을', '책']],
    // Characters without a glyph, and decomposed letters.
    ['Ver\u00adtrags\u200bnum\u2060mer', ['Vertragsnummer']],
    ['Vertrags\u00ad\n  nummer', ['Vertragsnummer']],
    ['Cafe\u0301 ｶﾞ', ['Café', 'ガ']],
    ['x\u0303y пʼять', ['x\u0303y', 'пʼять']],
    ['INV\u20112024', ['INV', '2024', 'INV-2024']],
    // A line break within a text of a script without spaces; Korean words have spaces.
    ['部署服\n务', ['部', '部署', '署', '署服', '服', '服务', '务']],
    ['サー  \r\n バー', ['サー', 'ーバ', 'バー']],
    ['신청\n서류', ['신청', '서류']],
    ['上\n\n海', ['上', '海']],
    ['ꦲꦏ꧀ꦱꦫ', ['ꦲꦏ', 'ꦏ꧀', '꧀ꦱ', 'ꦱꦫ']],
    // Names of programming languages.
    ['C++ and c#.', ['C', 'C++', 'and', 'c', 'c#']],
    ['A+B, ABC++, #1', ['A', 'B', 'ABC', '1']],
    // Letters and digits that follow each other.
    ['INC4711 25kg', ['INC4711', 'INC', '4711', '25kg', '25', 'kg']],
    ['v2 a81bc81b', ['v2', 'a81bc81b']],
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
      expect(cpuMs(() => void splitWords(unit.repeat(2 ** 20 / unit.length)))).toBeLessThan(5_000)
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
    ['en', 'İSTANBUL İstanbul istanbul', ['istanbul', 'istanbul', 'istanbul']],
    ['ko', '신청서', ['신청', '청서']],
    ['el', 'ΣΎΜΒΑΣΗ ΣΥΜΒΑΣΗ σύμβαση', ['συμβασ', 'συμβασ', 'συμβασ']],
    ['el', 'ΚΑΙ και ΑΠΌ από ΑΠΟ', []],
    ['none', 'οδός ΟΔΟΣ', ['οδοσ', 'οδοσ']],
    ['none', 'Straße STRASSE Strasse', ['strasse', 'strasse', 'strasse']],
    ['none', 'العُقُود العـقود العقود', ['العقود', 'العقود', 'العقود']],
    ['none', 'שָׁלוֹם שלום', ['שלום', 'שלום']],
    ['uk', "п'ять п’ять пʼять", ['ят', 'ят', 'ят']],
  ] as const)('%s: %s', (language, text, terms) => expect(termsOf(text, language)).toEqual(terms))

  test.each(LANGUAGES)('%s: no term is empty, and none has a space', (language) => {
    const marks = Array.from({ length: 0x700 }, (_, code) => String.fromCodePoint(code)).join(' ')
    const terms = splitWords(`${marks} ${marks.toUpperCase()} \u02bc a's 'tis`).map((word) => termOf(word, language).text)
    expect(terms.filter((term) => term === '' || /\s/.test(term))).toEqual([])
  })

  test('does not stem numbers and identifiers', () => {
    expect(termsOf('ORDERS-2024s', 'en')).toEqual(['order', '2024s', 'orders-2024s'])
  })
})

test('TOKENIZER: it is raised when texts get other terms, so that stored texts are indexed again', () => {
  const text = `INV-2024-0017 parseHTTPRequest INC4711 a@b.com/x_y "don't" l’avion Häuser connections книги KIZ İzmir café café
    Ver\u00adtrag 使用Docker部署 サー\nバー 신청서를 책을 ภาษาไทย ꦲꦏ꧀ꦱꦫ ${'long'.repeat(30)} The of and C++ ΑΘΉΝΑ Straße العُقُود
    Krankenversicherungsbeiträge ziektekostenverzekering anställningsavtalet`
  const terms = LANGUAGES.map((language) => splitWords(text).map((word) => termOf(word, language)))
  const digest = createHash('sha256').update(JSON.stringify(terms)).digest('hex')
  expect([TOKENIZER, digest.slice(0, 16)]).toEqual([4, '7727f23594ee187c'])
})
