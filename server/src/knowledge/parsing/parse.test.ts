import { afterAll, describe, expect, test } from 'vitest'
import { DOCX, DocumentError, type DocumentErrorCode, type Limits } from './document.ts'
import { chunkDocument, closeParsers, parseDocument } from './parse.ts'
import { ParserPool } from './parser-pool.ts'
import { docxOf, pdfOf, wordParagraph, zipOf } from './testing/files.ts'

afterAll(closeParsers)

function parse(content: string | Uint8Array, name: string, more: { mediaType?: string; limits?: Partial<Limits> } = {}) {
  return parseDocument(typeof content === 'string' ? Buffer.from(content) : content, { name, ...more })
}

async function refusal(
  content: string | Uint8Array,
  name: string,
  more = {},
): Promise<{ code: DocumentErrorCode; message: string }> {
  const error = await parse(content, name, more).then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(DocumentError)
  return error
}

describe('Markdown', () => {
  test('gives up its front matter, unchecked, of what the ingest knows only', async () => {
    const text =
      '---\ntitle: Leave\nclassification: restricted\nacl: {roles: [hr]}\nlang: de-AT\nauthor: X\n---\n# Urlaub\n\nText'
    expect(await parse(text, 'leave.md')).toEqual({
      title: 'Leave',
      markdown: '# Urlaub\n\nText',
      mediaType: 'text/markdown',
      language: 'de',
      frontMatter: { title: 'Leave', classification: 'restricted', acl: { roles: ['hr'] } },
    })
  })

  test.each([
    ['wrong YAML', '---\nclassification: [restricted\n---\ntext'],
    ['a label given twice', '---\nclassification: public\nclassification: restricted\n---\ntext'],
    ['a block that never ends', '---\nclassification: restricted\n\ntext'],
  ])('is refused rather than stripped of a label that cannot be understood: %s', async (_, text) => {
    expect(await refusal(text, 'a.md')).toMatchObject({ code: 'broken', message: expect.stringContaining('front matter') })
  })

  test('may begin with a ruler', async () => {
    expect((await parse('---\nJust text\n---\nmore', 'a.md')).markdown).toBe('---\nJust text\n---\nmore')
  })

  test('is called by its first heading, else by its file', async () => {
    expect((await parse('text\n\n# The *title* #\n', 'x/notes.md')).title).toBe('The *title*')
    expect((await parse('text', 'x/notes.v2.md')).title).toBe('notes.v2')
  })
})

describe('HTML', () => {
  test('keeps what a reader sees', async () => {
    const page = `<!doctype html><html lang="en-GB"><head><title>A &amp; B</title><style>p{}</style></head><body><nav>menu</nav>
      <h1>Head</h1><!-- secret comment --><p>See <a href="https://example.com/x">the page</a>, <a href="javascript:x()">not this</a>.</p>
      <script>evil()</script><div hidden>one</div><p style="color:red; display: none">two</p><span aria-hidden="true">three</span>
      <table><tr><th>Name</th><th>Day|s</th></tr><tr><td>Ann <ul><li>x</li></ul><script>bad()</script></td><td>3</td></tr></table>
      <pre><code>a_b = 1\n  # no heading</code></pre><p>john_doe@example.com</p><footer>imprint</footer></body></html>`
    expect(await parse(page, 'page.txt')).toEqual({
      title: 'A & B',
      language: 'en',
      mediaType: 'text/html',
      markdown: [
        '# Head',
        'See [the page](https://example.com/x), not this.',
        '| Name | Day\\|s |\n| --- | --- |\n| Ann - x | 3 |',
        '```\na_b = 1\n  # no heading\n```',
        'john_doe@example.com',
      ].join('\n\n'),
    })
  })

  test('nested deeper than a stack is refused, and the next file is read', async () => {
    expect((await refusal(`<html>${'<b><i>'.repeat(100_000)}`, 'deep.html', { limits: { milliseconds: 8_000 } })).code).toMatch(
      /broken|timeout|too_large/,
    )
    expect((await parse('fine', 'a.txt')).markdown).toBe('fine')
  })
})

describe('PDF', () => {
  test('is read page by page, in paragraphs, words joined over line ends', async () => {
    const { title, markdown } = await parse(pdfOf(['First para-\ngraph goes on\nhere.\n\nSecond.', 'Next page']), 'h.bin')
    expect(title).toBe('Handbook of tests')
    expect(markdown).toBe('## Page 1\n\nFirst paragraph goes on here.\n\nSecond.\n\n## Page 2\n\nNext page')
  })

  test('with a password is refused as encrypted', async () => {
    expect(await refusal(pdfOf(['text'], true), 'a.pdf')).toMatchObject({
      code: 'encrypted',
      message: expect.stringContaining('password'),
    })
  })

  test('without text, as from a scanner, asks for text recognition', async () => {
    expect(await refusal(pdfOf(['']), 'a.pdf')).toMatchObject({ code: 'empty', message: expect.stringContaining('OCR') })
  })

  test('that is cut off, or none at all, is broken', async () => {
    expect((await refusal(pdfOf(['text']).subarray(0, 60), 'a.pdf')).code).toBe('broken')
    expect((await refusal('no such thing', 'a.pdf')).code).toBe('broken')
  })
})

describe('Word', () => {
  const row = (...cells: string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${wordParagraph(cell)}</w:tc>`).join('')}</w:tr>`

  test('becomes Markdown, with headings and tables', async () => {
    const body = `${wordParagraph('Rules', 'Heading1')}${wordParagraph('Be &lt;kind&gt;.')}<w:tbl>${row('Who', 'Days')}${row('Ann', '3')}</w:tbl>`
    expect(await parse(docxOf(body, 'R &amp; D'), 'a.zip')).toEqual({
      title: 'R & D',
      mediaType: DOCX,
      markdown: '# Rules\n\nBe <kind>.\n\n| Who | Days |\n| --- | --- |\n| Ann | 3 |',
    })
  })

  test('that unfolds to gigabytes is refused before it does', async () => {
    const bomb = zipOf({ 'word/document.xml': Buffer.alloc(80 << 20, 'a') })
    expect(bomb.length).toBeLessThan(200_000)
    expect(await refusal(bomb, 'a.docx')).toMatchObject({ code: 'too_large', message: expect.stringContaining('unpacks') })
  })

  test.each([
    ['cut off', docxOf(wordParagraph('text')).subarray(0, 400)],
    ['without a document', zipOf({ 'word/other.xml': '<a/>' })],
    ['with XML that is none', docxOf('<w:p')],
  ])('is broken: %s', async (_, file) => {
    expect((await refusal(file, 'a.docx')).code).toBe('broken')
  })

  test('with a password is encrypted, of the old kind unsupported', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
    expect((await refusal(old, 'a.doc')).code).toBe('unsupported')
    expect((await refusal(Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]), 'a.docx')).code).toBe('encrypted')
  })
})

describe('CSV', () => {
  test('is a table, whatever its delimiter; quotes, bars and line breaks stay in their cells', async () => {
    const { markdown, mediaType } = await parse('Name;Note\n"Ann; B";"two\nlines, ""q"" | bar"\nBob;\n', 'a.csv')
    expect(mediaType).toBe('text/csv')
    expect(markdown).toBe('| Name | Note |\n| --- | --- |\n| Ann; B | two lines, "q" \\| bar |\n| Bob |  |')
    expect((await parse('a\tb\n1,5\t2', 'x', { mediaType: 'text/csv' })).markdown).toContain('| 1,5 | 2 |')
  })

  test('of many rows comes in pieces that say which, each with the header', async () => {
    const { markdown } = await parse(`id,n\n${Array.from({ length: 120 }, (_, index) => `${index + 1},x`).join('\n')}`, 'a.csv')
    expect(markdown.match(/^## .*/gm)).toEqual(['## Rows 1–50', '## Rows 51–100', '## Rows 101–120'])
    expect(markdown.match(/\| id \| n \|/g)).toHaveLength(3)
  })

  test('that ends within quotes is broken', async () => {
    expect((await refusal('a,b\n"x,1\n', 'a.csv')).code).toBe('broken')
  })
})

describe('JSON', () => {
  test('is an outline with paths as headings', async () => {
    const value = { title: 'Prices', tax: 0.2, items: [{ name: 'Pen', tags: ['a', 'b'] }], none: null }
    const { markdown, title } = await parse(JSON.stringify(value), 'noending')
    expect(title).toBe('Prices')
    expect(markdown).toBe(
      '- title: Prices\n- tax: 0.2\n- none: null\n\n### items[0]\n\n- name: Pen\n\n#### items[0].tags\n\n- a\n- b',
    )
  })

  test('in lines has a heading per record', async () => {
    const { markdown, mediaType } = await parse('{"a":1}\n\n{"a":"x\\ny"}\n', 'a.log')
    expect(mediaType).toBe('application/x-ndjson')
    expect(markdown).toBe('## Record 1\n\n- a: 1\n\n## Record 2\n\n- a: x\n  y')
  })

  test('that is wrong names the line', async () => {
    expect((await refusal('{"a":', 'a.json')).code).toBe('broken')
    expect(await refusal('{"a":1}\n{oops}\n', 'a.jsonl')).toMatchObject({
      code: 'broken',
      message: expect.stringContaining('Line 2'),
    })
  })

  test('nested without end is broken', async () => {
    expect((await refusal('['.repeat(50_000) + ']'.repeat(50_000), 'a.json')).code).toBe('broken')
  })
})

describe('text', () => {
  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße')],
    ['UTF-16, little endian', Buffer.from('\ufeffGrüße', 'utf16le')],
    ['UTF-16, big endian', Buffer.from('\ufeffGrüße', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('Grüße', 'latin1')],
  ])('is understood in %s', async (_, bytes) => {
    expect(await parse(bytes, 'a.txt')).toEqual({ title: 'a', markdown: 'Grüße', mediaType: 'text/plain' })
  })

  test('in another charset is read as the uploader says', async () => {
    expect(
      (await parse(Buffer.from([0xcf, 0xf0, 0xe8]), 'a.txt', { mediaType: 'text/plain; charset=windows-1251' })).markdown,
    ).toBe('При')
  })

  test.each(['ID3 tags explained', 'BZh is how such files begin', 'MZ, too'])(
    'that begins like something else is still text: %s',
    async (text) => {
      expect((await parse(text, 'a.txt')).markdown).toBe(text)
    },
  )

  test('keeps one kind of line break and no control characters', async () => {
    expect((await parse('\n\na\r\nb\u0007\rc  \n', 'a.txt')).markdown).toBe('a\nb\nc')
  })
})

describe('refusals', () => {
  test.each<[string, DocumentErrorCode, string | Uint8Array, string, object?]>([
    ['an empty file', 'empty', '', 'a.md'],
    ['nothing but white space', 'empty', ' \n\t\n', 'a.md'],
    ['a page without text', 'empty', '<html><script>x</script></html>', 'a.html'],
    ['a file over the limit', 'too_large', 'x'.repeat(101), 'a.txt', { limits: { bytes: 100 } }],
    ['more text than the limit', 'too_large', 'x'.repeat(101), 'a.txt', { limits: { characters: 100 } }],
    ['a table of more text than the limit', 'too_large', 'a,b\n'.repeat(50), 'a.csv', { limits: { characters: 100 } }],
    ['a picture', 'unsupported', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a.md'],
    ['an archive', 'unsupported', zipOf({ 'a.md': 'x' }), 'a.docx'],
    ['a spreadsheet', 'unsupported', zipOf({ 'xl/workbook.xml': 'x' }), 'a.xlsx'],
    ['binary data', 'unsupported', Buffer.from([1, 2, 3, 0, 5, 6, 7, 8]), 'a.txt'],
    ['control characters without end', 'unsupported', '\u0001\u0002'.repeat(20), 'a.txt'],
  ])('%s: %s', async (_, code, content, name, more) => {
    expect((await refusal(content, name, more)).code).toBe(code)
  })

  test('of a file that takes too long, without a stall of the event loop', async () => {
    const rows = `<html>${'<div>'.repeat(50)}${'<table><tr><td>x'.repeat(3_000)}`
    let longest = 0
    let last = performance.now()
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 10)
    const error = await refusal(rows, 'a.html', { limits: { milliseconds: 5 } })
    clearInterval(beat)
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('0.005 s') })
    expect(longest).toBeLessThan(1_000)
    expect((await parse('fine', 'a.txt')).markdown).toBe('fine')
  })
})

describe('the pool', () => {
  const task = (text: string, name = 'a.txt') => ({ kind: 'parse', bytes: Buffer.from(text), options: { name } }) as const

  test('kills a thread that takes too much memory, and goes on', async () => {
    const pool = new ParserPool({ workers: 1, memoryBytes: 96 << 20 })
    const greedy = `<html>${'<p>a</p>'.repeat(400_000)}`
    await expect(pool.run(task(greedy, 'a.html'), 30_000)).rejects.toMatchObject({ code: 'too_large' })
    expect(await pool.run(task('fine'), 10_000)).toMatchObject({ markdown: 'fine' })
    await pool.close()
  })

  test('has no more threads than it may, and none when idle', async () => {
    const pool = new ParserPool({ workers: 2, idleMs: 50 })
    const all = Array.from({ length: 6 }, (_, index) => pool.run<{ markdown: string }>(task(`text ${index}`), 10_000))
    expect(pool.size).toBe(2)
    expect((await Promise.all(all)).map((document) => document.markdown)).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => `text ${index}`),
    )
    await expect.poll(() => pool.size).toBe(0)
  })

  test('that is closed fails what it had not finished', async () => {
    const pool = new ParserPool({ workers: 1 })
    const all = Promise.allSettled([pool.run(task('a'), 10_000), pool.run(task('b'), 10_000)])
    await pool.close()
    expect((await all).map((result) => result.status)).toEqual(['rejected', 'rejected'])
    expect(pool.size).toBe(0)
  })

  test('cuts into chunks as well', async () => {
    expect(await chunkDocument({ title: 't', markdown: '# A\n\ntext' })).toMatchObject([
      { position: 0, headings: ['A'], content: '# A\n\ntext' },
    ])
  })
})
