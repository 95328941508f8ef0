import { describe, test } from 'vitest'
import { lines, text } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase } from '../../../../../../test/support/documents/pdf-case.ts'

const box = (color: string, x: number, y: number, width: number, height: number) =>
  `q ${color} ${x} ${y} ${width} ${height} re f Q\n`
const shown = (content: string, is: string, warns: readonly string[] = []): PdfCase => ({ file: { content }, is, warns })
const one = ['hidden_text page 1 1']
const visible = text(50, 740, 'Shown.')

const picture = (kind = '') =>
  [
    `/Type /XObject /Subtype /Image ${kind} /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8`,
    '\0\xff\xff\0',
  ] as const
const withPicture = (content: string, more: Partial<PdfCase>): PdfCase => ({
  file: { pages: [{ content, resources: '/XObject << /Im1 $scan >>' }], objects: { scan: picture() } },
  ...more,
})
const draw = (x: number, y: number, width: number, height: number) => `q ${width} 0 0 ${height} ${x} ${y} cm /Im1 Do Q\n`
const scan = draw(0, 0, 612, 792)

describe('PDF: hidden text', () => {
  test.each<[string, PdfCase]>([
    ['white on white', shown(visible + text(50, 700, 'Unseen words', { before: '1 g' }), 'Shown.', one)],
    ['almost white', shown(visible + text(50, 700, 'Unseen words', { before: '.99 .99 .98 rg' }), 'Shown.', one)],
    ['white in CMYK', shown(visible + text(50, 700, 'Unseen words', { before: '0 0 0 0 k' }), 'Shown.', one)],
    [
      'white on a dark field',
      shown(
        visible + box('0 0 .4 rg', 40, 690, 200, 30) + text(50, 700, 'Head of a table', { before: '1 g' }),
        'Shown.\n\nHead of a table',
      ),
    ],
    [
      'white on a field that is white again',
      shown(
        visible + box('0 g', 40, 690, 200, 30) + box('1 g', 40, 690, 200, 30) + text(50, 700, 'Unseen', { before: '1 g' }),
        'Shown.',
        one,
      ),
    ],
    [
      'white on a shading',
      {
        file: {
          pages: [
            {
              content: `${visible}q 40 690 200 30 re W n /Sh1 sh Q ${text(50, 700, 'On a shade', { before: '1 g' })}`,
              resources: '/Shading << /Sh1 $shade >>',
            },
          ],
          objects: {
            shade:
              '<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 612 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [.5] /N 1 >> >>',
          },
        },
        is: 'Shown.\n\nOn a shade',
      },
    ],
    [
      'white on a picture',
      withPicture(visible + draw(40, 640, 200, 80) + text(50, 700, 'Caption', { before: '1 g' }), {
        is: 'Shown.\n\nCaption',
        warns: ['picture page 1 1'],
      }),
    ],
    ['black on black', shown(visible + box('0 g', 40, 690, 200, 30) + text(50, 700, 'Unseen'), 'Shown.', one)],
    [
      'white on a thick line',
      shown(
        `${visible}q 0 0 .4 RG 30 w 40 704 m 240 704 l S Q${text(50, 700, 'Head of a table', { before: '1 g' })}`,
        'Shown.\n\nHead of a table',
      ),
    ],
    ['grey text is seen', shown(text(50, 700, 'Small print', { before: '.8 g' }), 'Small print')],
    ['below a black bar', shown(visible + text(50, 700, 'Secret name') + box('0 g', 45, 695, 150, 18), 'Shown.', one)],
    [
      'one word of a line below a black bar',
      shown(text(50, 700, 'Ann Miller pays') + box('0 g', 71, 695, 29, 18), 'Ann pays', one),
    ],
    [
      'below a bar that is seen through',
      {
        file: {
          pages: [
            {
              content: `${text(50, 700, 'Marked words')}q /Gs gs 1 1 0 rg 45 695 150 18 re f Q`,
              resources: '/ExtGState << /Gs << /ca .4 >> >>',
            },
          ],
        },
        is: 'Marked words',
      },
    ],
    [
      'below a marker',
      {
        file: {
          pages: [
            {
              content: `${text(50, 700, 'Marked words')}q /Gs gs 1 1 0 rg 45 695 150 18 re f Q`,
              resources: '/ExtGState << /Gs << /BM /Multiply >> >>',
            },
          ],
        },
        is: 'Marked words',
      },
    ],
    [
      'transparent',
      {
        file: { content: `${visible}q /Gs gs ${text(50, 700, 'Unseen')} Q`, resources: '/ExtGState << /Gs << /ca 0 >> >>' },
        is: 'Shown.',
        warns: one,
      },
    ],
    ['invisible without a picture', shown(visible + text(50, 700, 'Unseen', { before: '3 Tr' }), 'Shown.', one)],
    ['outlined letters are seen', shown(text(50, 700, 'Outlined', { before: '1 Tr' }), 'Outlined')],
    ['outside of its frame', shown(`${visible}q 40 600 100 50 re W n ${text(50, 700, 'Unseen')} Q`, 'Shown.', one)],
    ['inside of its frame', shown(`q 40 690 200 30 re W n ${text(50, 700, 'Framed')} Q`, 'Framed')],
    [
      'outside of the page',
      shown(visible + text(-300, 700, 'Unseen') + text(50, 900, 'above'), 'Shown.', ['hidden_text page 1 2']),
    ],
    [
      'outside of the cut page',
      { file: { content: visible + text(50, 20, 'Printer mark'), entries: '/CropBox [0 50 612 792]' }, is: 'Shown.', warns: one },
    ],
    ['too small to be seen', shown(visible + text(50, 700, 'Unseen', { size: 0.2 }), 'Shown.', one)],
    [
      'a mask is no text',
      {
        file: {
          pages: [
            {
              content: `q /Gs gs ${box('0 0 1 rg', 50, 600, 100, 50)} Q ${visible}`,
              resources: '/ExtGState << /Gs << /SMask << /S /Luminosity /G $mask >> >> >>',
            },
          ],
          objects: {
            mask: [
              '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /CS /DeviceGray >> /Resources << /Font << /F1 $F1 >> >>',
              text(50, 610, 'Mask'),
            ],
          },
        },
        is: 'Shown.',
      },
    ],
    [
      'a group is text',
      {
        file: {
          pages: [{ content: `${visible}q 1 0 0 1 0 -40 cm /Fm1 Do Q`, resources: '/XObject << /Fm1 $form >>' }],
          objects: {
            form: [
              '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency >> /Resources << /Font << /F1 $F1 >> >>',
              text(50, 740, 'In a group'),
            ],
          },
        },
        is: 'Shown.\n\nIn a group',
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})

describe('PDF: pictures and recognised text', () => {
  const recognized = lines(50, 700, ['Recognised text of', 'the scanned page.']).replaceAll('BT', 'BT 3 Tr')
  test.each<[string, PdfCase]>([
    ['recognised text over a scan', withPicture(scan + recognized, { is: 'Recognised text of the scanned page.' })],
    ['recognised text below a scan', withPicture(recognized + scan, { is: 'Recognised text of the scanned page.' })],
    [
      'recognised text, and a text that is seen',
      withPicture(scan + recognized + text(50, 30, 'Copy 7'), { is: 'Recognised text of the scanned page.\n\nCopy 7' }),
    ],
    [
      'recognised text of a page without its picture',
      { file: { content: recognized }, is: 'Recognised text of the scanned page.' },
    ],
    [
      'two pictures beside text',
      withPicture(text(50, 740, 'Report') + draw(50, 500, 200, 100) + draw(300, 500, 200, 100), {
        is: 'Report',
        warns: ['picture page 1 2'],
      }),
    ],
    ['small marks', withPicture(text(50, 740, 'Report') + draw(50, 500, 8, 8), { is: 'Report' })],
    ['a picture on a page that is cut off', withPicture(text(50, 740, 'Report') + draw(700, 500, 200, 100), { is: 'Report' })],
    [
      'an inline picture',
      withPicture(`${text(50, 740, 'Report')}q 100 0 0 100 50 500 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q`, {
        is: 'Report',
        warns: ['picture page 1 1'],
      }),
    ],
    [
      'a page of text and a scanned page',
      {
        file: {
          pages: [{ content: text(50, 700, 'Cover letter') }, { content: scan, resources: '/XObject << /Im1 $scan >>' }],
          objects: { scan: picture() },
        },
        is: '## Page 1\n\nCover letter',
        warns: ['page_without_text page 2 1'],
      },
    ],
    [
      'a page of several pictures, one of letters as shapes, and an empty one',
      {
        file: {
          pages: [
            { content: text(50, 700, 'Cover letter') },
            { content: draw(0, 0, 612, 396) + draw(0, 396, 612, 396), resources: '/XObject << /Im1 $scan >>' },
            { content: '50 50 m 60 80 l 70 50 l f' },
            {},
          ],
          objects: { scan: picture() },
        },
        is: '## Page 1\n\nCover letter',
        warns: ['page_without_text page 2 2', 'page_without_text page 3 1'],
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})
