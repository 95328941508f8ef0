import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { lines, pdfFile, type TestPdf, text, unicodeMap } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase, parsePdf } from '../../../../../../test/support/documents/pdf-case.ts'
import { closeParsers, parseDocument } from '../../parser-pool.ts'

const composite = (map: boolean, encoding = 'Identity-H', ordering = 'Identity') =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Some /Encoding /${encoding} ${map ? '/ToUnicode $map' : ''} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Some /DW 600 /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /AAAAAA+Some /Flags 4 >> >>] >>`
const inFont = (font: string, hex: string, objects: TestPdf['objects'] = {}): TestPdf => ({
  pages: [{ content: `${text(50, 740, 'Shown.')}BT /U 12 Tf 50 700 Td <${hex}> Tj ET`, resources: '/Font << /U $u >>' }],
  objects: { u: font, ...objects },
})
const lost = { is: 'Shown.', warns: ['font_without_map page 1 1'] }
const simple = (names: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /AAAAAA+Other /FirstChar 33 /LastChar 40 /Widths [500 500 500 500 500 500 500 500] /FontDescriptor << /Type /FontDescriptor /FontName /AAAAAA+Other /Flags 4 >> /Encoding << /Type /Encoding /Differences [33 ${names}] >> >>`

describe('PDF: fonts', () => {
  test.each<[string, PdfCase]>([
    ['glyph numbers without a map', { file: inFont(composite(false), '0024004800510057'), ...lost }],
    ['a map', { file: inFont(composite(true), '00010002', { map: unicodeMap({ 1: 'O', 2: 'K' }) }), is: 'Shown.\n\nOK' }],
    [
      'a map to private characters',
      { file: inFont(composite(true), '00010002', { map: unicodeMap({ 1: '\ue001', 2: '\ue002' }) }), ...lost },
    ],
    [
      'a map to control characters',
      { file: inFont(composite(true), '00010002', { map: unicodeMap({ 1: '\u0001', 2: '\u0002' }) }), ...lost },
    ],
    [
      'a map to the replacement character',
      { file: inFont(composite(true), '0001', { map: unicodeMap({ 1: '\ufffd' }) }), ...lost },
    ],
    [
      'a bullet of a symbol font',
      { file: inFont(composite(true), '00010002', { map: unicodeMap({ 1: '\uf0b7', 2: 'K' }) }), is: 'Shown.\n\n•K' },
    ],
    ['names of letters', { file: inFont(simple('/A /eacute /Euro /uni0416'), '21222324'), is: 'Shown.\n\nAé€Ж' }],
    ['names without a meaning', { file: inFont(simple('/foo1 /foo2 /foo3'), '212223'), ...lost }],
    [
      'letters outside of the plane of two bytes',
      { file: inFont(composite(true), '0001', { map: unicodeMap({ 1: '𝒳' }) }), is: 'Shown.\n\n𝒳' },
    ],
    ['a Chinese font whose map is not in the file', { file: inFont(composite(false, 'GBK-EUC-H', 'GB1'), 'c4e3bac3'), ...lost }],
  ])('%s', async (_, value) => checkPdf(value))

  test('a file whose fonts have no map is refused with what to do', async () => {
    const file = inFont(composite(false), '00240048')
    const only = { ...file, pages: [{ ...file.pages[0], content: 'BT /U 12 Tf 50 700 Td <00240048> Tj ET' }] }
    await expect(parsePdf(only)).rejects.toMatchObject({
      code: 'empty',
      message:
        'The fonts of the PDF do not say which letters they show. Save it again from the program that created it, or recognise its text (OCR).',
    })
  })
})

describe('PDF: files', () => {
  const page = { content: lines(50, 700, ['First line', 'second line.']) }
  const is = 'First line second line.'
  const embedded = {
    spec: '<< /Type /Filespec /F (prices.csv) /UF (prices.csv) /EF << /F $data >> >>',
    data: ['/Type /EmbeddedFile', 'a,b\n1,2'] as const,
  }

  test('files inside of the PDF are attachments', async () => {
    const file = { pages: [page], objects: embedded, catalog: '/Names << /EmbeddedFiles << /Names [(prices.csv) $spec] >> >>' }
    const { attachments, markdown } = await parsePdf(file)
    expect(markdown).toBe(is)
    expect(attachments.map(({ name, bytes }) => `${name}: ${Buffer.from(bytes).toString()}`)).toEqual(['prices.csv: a,b\n1,2'])
  })

  test('files that are pinned to a page are attachments', async () => {
    const pin = '<< /Type /Annot /Subtype /FileAttachment /F 4 /Rect [10 10 20 20] /FS $spec >>'
    const { attachments } = await parsePdf({ pages: [{ ...page, annotations: [pin] }], objects: embedded })
    expect(attachments.map(({ name, bytes }) => `${name}: ${Buffer.from(bytes).toString()}`)).toEqual(['prices.csv: a,b\n1,2'])
  })

  test('a file that is named and missing is a warning', async () => {
    const objects = { spec: '<< /Type /Filespec /F (prices.csv) /UF (prices.csv) >>' }
    const file = { pages: [page], objects, catalog: '/Names << /EmbeddedFiles << /Names [(prices.csv) $spec] >> >>' }
    await checkPdf({ file, is, warns: ['attachment file 1'] })
  })

  test('a file with a broken table of objects is read', async () => checkPdf({ file: { pages: [page], brokenTable: true }, is }))

  test('a file that was cut off behind its pages is read', async () => {
    const { parseFile } = await import('../../parse-file.ts')
    const bytes = pdfFile({ pages: [page] })
    expect((await parseFile(new Uint8Array(bytes.subarray(0, bytes.lastIndexOf('startxref'))), { name: 'a.pdf' })).markdown).toBe(
      is,
    )
  })

  test('a page whose operators are broken keeps the text before', async () =>
    checkPdf({ file: { content: `${text(50, 700, 'Before')} BT (unclosed` }, has: ['Before'] }))

  test('a page that is missing is named', async () =>
    checkPdf({
      file: { pages: [page, { content: '', entries: '/MediaBox $nothing /Annots 7' }], objects: { nothing: '(x)' } },
      has: ['First line'],
    }))

  test('a form that only Adobe shows is named', async () =>
    checkPdf({
      file: {
        pages: [page],
        objects: { xfa: ['', '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>'] },
        catalog: '/AcroForm << /XFA $xfa /Fields [] >>',
      },
      is,
      warns: ['form file 1'],
    }))

  test('pages of different sizes and user units', async () =>
    checkPdf({
      file: { content: text(5, 90, 'Tiny page', { size: 4 }), entries: '/MediaBox [0 0 100 100] /UserUnit 3' },
      is: 'Tiny page',
    }))

  test('content before the pages of a large page number', async () => {
    const { markdown } = await parsePdf({
      pages: Array.from({ length: 120 }, (_, at) => ({ content: text(50, 700, `Text ${at + 1}`) })),
    })
    expect(markdown).toContain('## Page 120\n\nText 120')
  })
})

describe('PDF: large files', () => {
  afterAll(closeParsers)
  // The limit of memory is the usual one. Other tests take the processor at the same time.
  const patient = { name: 'a.pdf', limits: { milliseconds: 100_000 } }
  const timeout = 120_000

  test(
    '25 MB of scanned pages with recognised text are read in a worker',
    async () => {
      const names = Array.from({ length: 48 }, (_, at) => `scan${at}`)
      const entries =
        '/Type /XObject /Subtype /Image /Width 2480 /Height 3508 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode'
      const bytes = pdfFile({
        pages: names.map((name, at) => ({
          content: `q 612 0 0 792 0 0 cm /Im Do Q ${text(50, 700, `Text of page ${at + 1}`, { before: '3 Tr' })}`,
          resources: `/XObject << /Im $${name} >>`,
        })),
        objects: Object.fromEntries(names.map((name) => [name, [entries, randomBytes(540_000)]])),
      })
      expect(bytes.length).toBeGreaterThan(25_900_000)
      const { markdown, warnings } = await parseDocument(bytes, patient)
      expect(markdown).toContain('## Page 48\n\nText of page 48')
      expect(warnings).toEqual([])
    },
    timeout,
  )

  test(
    'a drawing of half a million lines is read in a worker',
    async () => {
      const strokes = Array.from({ length: 500_000 }, (_, at) => `${at % 600} ${at % 790} m ${at % 601} ${at % 791} l S`)
      const bytes = pdfFile({ pages: [{ content: `${strokes.join('\n')}\n${text(50, 700, 'Map of the town')}` }] })
      expect((await parseDocument(bytes, patient)).markdown).toBe('Map of the town')
    },
    timeout,
  )
})
