import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { asyncCpuMs } from '../../../../test/support/cpu-time.ts'
import { docxOf, pdfOf, wordParagraph, zipOf } from '../../../../test/support/documents/files.ts'
import { DOCX, DocumentError, type DocumentErrorCode, type Limits, readingMs } from './document.ts'
import { chunkDocument, closeParsers, ParserPool, parseDocument } from './parser-pool.ts'

afterAll(closeParsers)

function parse(content: string | Uint8Array, name: string, more: { mediaType?: string; limits?: Partial<Limits> } = {}) {
  return parseDocument(typeof content === 'string' ? Buffer.from(content) : content, { name, ...more })
}

async function refusal(content: string | Uint8Array, name: string, more = {}): Promise<DocumentError> {
  const error = await parse(content, name, more).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(DocumentError)
  return error as DocumentError
}

describe('parseDocument: Markdown', () => {
  test('returns the known fields of front matter unchecked', async () => {
    const text =
      '---\ntitle: Leave\nclassification: restricted\nacl: {roles: [hr]}\nlang: de-AT\nauthor: X\n---\n# Urlaub\n\nText'
    expect(await parse(text, 'leave.md')).toEqual({
      title: 'Leave',
      markdown: '# Urlaub\n\nText',
      mediaType: 'text/markdown',
      frontMatter: { title: 'Leave', classification: 'restricted', acl: { roles: ['hr'] } },
      warnings: [],
      attachments: [],
    })
  })

  test('keeps a ruler at the start', async () => {
    expect((await parse('---\nJust text\n---\nmore', 'a.md')).markdown).toBe('---\nJust text\n---\nmore')
  })

  test('uses the first heading as title, else the file name', async () => {
    expect((await parse('text\n\n# The *title* #\n', 'x/notes.md')).title).toBe('The *title*')
    expect((await parse('text', 'x/notes.v2.md')).title).toBe('notes.v2')
  })
})

describe('parseDocument: HTML', () => {
  test('keeps only visible content', async () => {
    const page = `<!doctype html><html lang="en-GB"><head><title>A &amp; B</title><style>p{}</style></head><body><nav>menu</nav>
      <h1>Head</h1><!-- secret comment --><p>See <a href="https://example.com/x">the page</a>, <a href="javascript:x()">not this</a>.</p>
      <script>evil()</script><div hidden>one</div><p style="color:red; display: none">two</p><span aria-hidden="true">three</span>
      <table><tr><th>Name</th><th>Day|s</th></tr><tr><td>Ann <ul><li>x</li></ul><script>bad()</script></td><td>3</td></tr></table>
      <pre><code>a_b = 1\n  # no heading</code></pre><p>john_doe@example.com</p><footer>imprint</footer></body></html>`
    expect(await parse(page, 'page.txt')).toEqual({
      title: 'A & B',
      mediaType: 'text/html',
      warnings: [
        { kind: 'hidden_text', count: 3 },
        { kind: 'navigation', count: 2 },
      ],
      attachments: [],
      markdown: [
        '# Head',
        'See [the page](https://example.com/x), not this.',
        '| Name | Day\\|s |\n| --- | --- |\n| Ann - x | 3 |',
        '```\na_b = 1\n  # no heading\n```',
        'john_doe@example.com',
      ].join('\n\n'),
    })
  })

  test('refuses too deep nesting and reads the next file', async () => {
    expect((await refusal(`<html>${'<b><i>'.repeat(100_000)}`, 'deep.html', { limits: { milliseconds: 8_000 } })).code).toMatch(
      /broken|timeout|too_large/,
    )
    expect((await parse('fine', 'a.txt')).markdown).toBe('fine')
  })
})

describe('parseDocument: PDF', () => {
  test('returns pages and paragraphs with hyphenated words joined', async () => {
    const { title, markdown } = await parse(pdfOf(['First para-\ngraph goes on\nhere.\n\nSecond.', 'Next page']), 'h.bin')
    expect(title).toBe('Handbook of tests')
    expect(markdown).toBe('## Page 1\n\nFirst paragraph goes on here.\n\nSecond.\n\n## Page 2\n\nNext page')
  })
})

describe('parseDocument: Word', () => {
  const row = (...cells: string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join('')}</w:tr>`

  test('returns Markdown with headings and tables', async () => {
    const body = `${wordParagraph('Rules', 'Heading1')}${wordParagraph('Be &lt;kind&gt;.')}<w:tbl>${row('Name', 'Days')}${row('Ann', '3')}</w:tbl>`
    expect(await parse(docxOf(body, 'R &amp; D'), 'a.zip')).toMatchObject({
      title: 'R & D',
      mediaType: DOCX,
      warnings: [],
      attachments: [],
      markdown: '# Rules\n\nBe <kind>.\n\n| Name | Days |\n| --- | --- |\n| Ann | 3 |',
    })
  })

  test.each([
    [undefined, 'too_large', 'unpacks'],
    [0, 'broken', ''],
    [100, 'broken', ''],
    [100 << 20, 'broken', ''],
  ])('refuses a ZIP bomb before unpacking it when it states a size of %d bytes: %s', async (statedSize, code, says) => {
    const bomb = docxOf(wordParagraph('text'), '', { content: Buffer.alloc(150 << 20, 'a'), statedSize })
    expect(bomb.length).toBeLessThan(200_000)
    expect(await refusal(bomb, 'a.docx')).toMatchObject({ code, message: expect.stringContaining(says) })
  })
})

describe('parseDocument: CSV', () => {
  test('returns a table for any delimiter and keeps quotes, bars and line breaks in cells', async () => {
    const { markdown, mediaType } = await parse('Name;Note\n"Ann; B";"two\nlines, ""q"" | bar"\nBob;\n', 'a.csv')
    expect(mediaType).toBe('text/csv')
    expect(markdown).toBe('| Name | Note |\n| --- | --- |\n| Ann; B | two lines, "q" \\| bar |\n| Bob |  |')
    expect((await parse('a\tb\n1,5\t2', 'x', { mediaType: 'text/csv' })).markdown).toContain('| 1,5 | 2 |')
  })

  test('splits many rows into tables with row numbers and header', async () => {
    const { markdown } = await parse(`id,n\n${Array.from({ length: 120 }, (_, index) => `${index + 1},x`).join('\n')}`, 'a.csv')
    expect(markdown.match(/^## .*/gm)).toEqual(['## Rows 1–50', '## Rows 51–100', '## Rows 101–120'])
    expect(markdown.match(/\| id \| n \|/g)).toHaveLength(3)
  })
})

describe('parseDocument: JSON', () => {
  test('returns an outline with paths as headings', async () => {
    const value = { title: 'Prices', tax: 0.2, items: [{ name: 'Pen', tags: ['a', 'b'] }], none: null }
    const { markdown, title } = await parse(JSON.stringify(value), 'noending')
    expect(title).toBe('Prices')
    expect(markdown).toBe(
      '- title: Prices\n- tax: 0.2\n- none: null\n\n### items[0]\n\n- name: Pen\n\n#### items[0].tags\n\n- a\n- b',
    )
  })

  test('returns a heading for each record of JSON lines', async () => {
    const { markdown, mediaType } = await parse('{"a":1}\n\n{"a":"x\\ny"}\n', 'a.log')
    expect(mediaType).toBe('application/x-ndjson')
    expect(markdown).toBe('## Record 1\n\n- a: 1\n\n## Record 2\n\n- a: x\n  y')
  })
})

describe('parseDocument: text', () => {
  test.each<[what: string, text: string, bytes: Uint8Array, mediaType?: string]>([
    ['UTF-8 with a byte order mark', 'Grüße', Buffer.from('\ufeffGrüße')],
    ['UTF-16, little endian', 'Grüße', Buffer.from('\ufeffGrüße', 'utf16le')],
    ['UTF-16, big endian', 'Grüße', Buffer.from('\ufeffGrüße', 'utf16le').swap16()],
    ['Latin-1', 'Schöne Grüße aus Köln', Buffer.from('Schöne Grüße aus Köln', 'latin1')],
    ['the charset that the uploader states', 'При', Buffer.from([0xcf, 0xf0, 0xe8]), 'text/plain; charset=windows-1251'],
    ['a stated type with the name of an inherited field', 'Grüße', Buffer.from('Grüße'), 'constructor'],
  ])('decodes %s', async (_, text, bytes, mediaType) => {
    const parsed = await parse(bytes, 'a', mediaType === undefined ? {} : { mediaType })
    expect(parsed).toMatchObject({ title: 'a', markdown: text, mediaType: 'text/plain' })
  })

  test.each(['ID3 tags explained', 'BZh is how such files begin', 'MZ, too'])(
    'that begins like something else is still text: %s',
    async (text) => {
      expect((await parse(text, 'a.txt')).markdown).toBe(text)
    },
  )

  test('unifies line breaks and removes control characters', async () => {
    expect((await parse('\n\na\r\nb\u0007\rc  \n', 'a.txt')).markdown).toBe('a\nb\nc')
  })
})

describe('parseDocument: refusals', () => {
  const word = docxOf(wordParagraph('text'))
  const withPassword = Buffer.from(word)
  for (let at = word.indexOf('PK\x01\x02'); at >= 0; at = word.indexOf('PK\x01\x02', at + 4))
    withPassword.writeUInt16LE(1, at + 8)
  const oldOffice = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
  const encrypted = Buffer.concat([oldOffice, Buffer.from('EncryptedPackage', 'utf16le')])
  const front = (labels: string) => `---\n${labels}\n`

  test.each<[string, DocumentErrorCode, string | Uint8Array, string, { says?: string; limits?: Partial<Limits> }?]>([
    ['an empty file', 'empty', '', 'a.md'],
    ['nothing but white space', 'empty', ' \n\t\n', 'a.md'],
    ['a page without text', 'empty', '<html><script>x</script></html>', 'a.html'],
    ['a file over the limit', 'too_large', 'x'.repeat(101), 'a.txt', { limits: { bytes: 100 } }],
    ['more text than the limit', 'too_large', 'x'.repeat(101), 'a.txt', { limits: { characters: 100 } }],
    ['a table of more text than the limit', 'too_large', 'a,b\n'.repeat(50), 'a.csv', { limits: { characters: 100 } }],
    ['a picture', 'unsupported', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a.md'],
    ['an archive', 'unsupported', zipOf({ 'a.md': 'x' }), 'a.docx'],
    ['an archive with a folder of that name', 'unsupported', zipOf({ 'word/a.md': 'x' }), 'a.docx'],
    ['binary data', 'unsupported', Buffer.from([1, 2, 3, 0, 5, 6, 7, 8]), 'a.txt'],
    ['control characters without end', 'unsupported', '\u0001\u0002'.repeat(20), 'a.txt'],
    // Invalid front matter is not dropped, because its labels protect the document.
    ['wrong YAML', 'broken', `${front('classification: [restricted')}---\ntext`, 'a.md', { says: 'front matter' }],
    ['a label given twice', 'broken', `${front('acl: everyone\nacl: {}')}---\ntext`, 'a.md', { says: 'front matter' }],
    ['a block that never ends', 'broken', `${front('classification: restricted')}\ntext`, 'a.md', { says: 'front matter' }],
    ['YAML with an error at each anchor', 'broken', `${front(`title: a\n${'&a '.repeat(150_000)}`)}---\ntext`, 'a.md'],
    ['a PDF with a password', 'encrypted', pdfOf(['text'], true), 'a.pdf', { says: 'password' }],
    ['a scanned PDF without text', 'empty', pdfOf(['']), 'a.pdf', { says: 'OCR' }],
    ['a truncated PDF', 'broken', pdfOf(['text']).subarray(0, 60), 'a.pdf'],
    ['a PDF that is none', 'broken', 'no such thing', 'a.pdf'],
    ['a Word file that is cut off', 'broken', word.subarray(0, 400), 'a.docx'],
    ['a Word file without a document', 'broken', docxOf('', '', {}), 'a.docx'],
    ['a Word file with XML that is none', 'broken', docxOf('<w:p'), 'a.docx'],
    ['a Word file whose entries have a password', 'encrypted', withPassword, 'a.docx'],
    ['a Word file with a password', 'encrypted', encrypted, 'a.docx'],
    ['the old format of Word', 'unsupported', oldOffice, 'a.doc'],
    ['text of an unknown charset', 'unsupported', Buffer.from([0xc4, 0xee, 0xec]), 'a.txt', { says: 'Save the file as UTF-8' }],
    ['invalid JSON', 'broken', '{"a":', 'a.json'],
    ['an invalid line of JSON', 'broken', '{"a":1}\n{oops}\n', 'a.jsonl', { says: 'Line 2' }],
    ['JSON that is nested too deeply', 'broken', '['.repeat(50_000) + ']'.repeat(50_000), 'a.json'],
  ])('%s: %s', async (_, code, content, name, { says = '', ...more } = {}) => {
    expect(await refusal(content, name, more)).toMatchObject({ code, message: expect.stringContaining(says) })
  })

  test('gives a file a minute, and more time if it is large', () => {
    expect([0, 1, 1 << 20, 25 << 20].map(readingMs)).toEqual([60_000, 64_000, 64_000, 160_000])
  })

  test('refuses a slow file without blocking the event loop', async () => {
    const rows = `<html>${'<div>'.repeat(50)}${'<table><tr><td>x'.repeat(3_000)}`
    const ms = await asyncCpuMs(async () => {
      const error = await refusal(rows, 'a.html', { limits: { milliseconds: 5 } })
      expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('0.005 s') })
    })
    expect(ms).toBeLessThan(5_000)
    expect((await parse('fine', 'a.txt')).markdown).toBe('fine')
  })
})

describe('ParserPool', () => {
  const task = (text: string, name = 'a.txt') => ({ kind: 'parse', bytes: Buffer.from(text), options: { name } }) as const

  test('ends a thread above the memory limit and continues', async () => {
    const pool = new ParserPool({ workers: 1, memoryBytes: 96 << 20 })
    const greedy = `<html>${'<p>a</p>'.repeat(400_000)}`
    await expect(pool.run(task(greedy, 'a.html'), 30_000)).rejects.toMatchObject({ code: 'too_large' })
    expect(await pool.run(task('fine'), 10_000)).toMatchObject({ markdown: 'fine' })
    await pool.close()
  })

  test('limits the number of threads and ends idle ones', async () => {
    const pool = new ParserPool({ workers: 2, idleMs: 50 })
    const texts = Array.from({ length: 6 }, (_, index) => `text ${index}`)
    const all = texts.map((text) => pool.run<{ markdown: string }>(task(text), 10_000))
    await expect.poll(() => pool.size(), { interval: 1 }).toBe(2)
    expect((await Promise.all(all)).map((document) => document.markdown)).toEqual(texts)
    await expect.poll(() => pool.size()).toBe(0)
  })

  test('fails unfinished tasks when closed', async () => {
    const pool = new ParserPool({ workers: 1 })
    const all = Promise.allSettled([pool.run(task('a'), 10_000), pool.run(task('b'), 10_000)])
    await setImmediate()
    await pool.close()
    expect((await all).map((result) => result.status)).toEqual(['rejected', 'rejected'])
    expect(await pool.size()).toBe(0)
  })

  test('ends a slow thread and starts another', async () => {
    const pool = new ParserPool({ workers: 1 })
    await expect(pool.run(task(`<html>${'<p>a</p>'.repeat(200_000)}`, 'a.html'), 1)).rejects.toMatchObject({ code: 'timeout' })
    expect(await pool.run(task('fine'), 10_000)).toMatchObject({ markdown: 'fine' })
    await pool.close()
  })

  test('runs chunking tasks', async () => {
    const chunks = await chunkDocument('# A\n\ntext')
    expect(chunks).toMatchObject([{ position: 0, headings: ['A'], content: '# A\n\ntext' }])
  })
})
