import { describe, test } from 'vitest'
import { lines, text, unicodeMap } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase } from '../../../../../../test/support/documents/pdf-case.ts'

const page = (content: string, is: string): PdfCase => ({ file: { content }, is })
/** A text with operators of its own. */
const raw = (x: number, y: number, shown: string) => `BT /F1 12 Tf ${x} ${y} Td ${shown} ET\n`

describe('PDF: words', () => {
  test.each<[string, PdfCase]>([
    [
      'a bold look by painting twice',
      page(
        text(50, 700, 'Warranty void') + text(50.4, 700, 'Warranty void') + text(50, 680, 'if the seal is broken.'),
        'Warranty void\n\nif the seal is broken.',
      ),
    ],
    [
      'painting four times',
      page([0, 0.3, 0.6].map((by) => text(50 + by, 700 - by, 'All bills fall off')).join(''), 'All bills fall off'),
    ],
    ['a shadow', page(text(51.5, 698.5, 'Illness', { before: '.7 g' }) + text(50, 700, 'Illness'), 'Illness')],
    ['a white shadow', page(text(51, 699, 'Illness', { before: '1 g' }) + text(50, 700, 'Illness'), 'Illness')],
    [
      'letter by letter, each twice',
      page(
        [...'Hello']
          .map((letter, at) => [0, 0.5].map((by) => text(50 + by + 6.6 * at, 700, letter, { font: 'F3' })).join(''))
          .join(''),
        'Hello',
      ),
    ],
    [
      'the same text in two places',
      page(text(50, 700, 'Total') + text(200, 700, 'Total') + text(50, 640, 'Total'), 'Total Total\n\nTotal'),
    ],
    ['double letters stay', page(text(50, 700, 'Mississippi, allowed, Zoo 11 000 ...'), 'Mississippi, allowed, Zoo 11 000 ...')],
    ['letters set with spaces', page(text(50, 700, 'N O T I C E   O F   D E F A U L T'), 'NOTICE OF DEFAULT')],
    ['letters of mixed case set with spaces', page(text(50, 700, 'H e l l o   W o r l d'), 'Hello World')],
    ['letters set wide', page(raw(50, 700, '5 Tc (Hello World) Tj'), 'Hello World')],
    ['letters moved apart', page(raw(50, 700, '[(N) -400 (O) -400 (T) -400 (I) -400 (C) -400 (E)] TJ'), 'NOTICE')],
    ['letters that are names', page(text(50, 700, 'Choose A B C D or E.'), 'Choose A B C D or E.')],
    ['short words', page(text(50, 700, 'I am a b c'), 'I am a b c')],
    ['words without spaces between them', page(raw(50, 700, '[(The) -300 (fee) -300 (is) -300 (due.)] TJ'), 'The fee is due.')],
    ['words at places', page(text(50, 700, 'The') + text(74, 700, 'fee') + text(95, 700, 'is'), 'The fee is')],
    ['kerning is no space', page(raw(50, 700, '[(A) 80 (V) 60 (A) -40 (T) -60 (AR)] TJ'), 'AVATAR')],
    ['spaces that are letters too', page(raw(50, 700, '(The ) Tj (fee) Tj ( is) Tj'), 'The fee is')],
    [
      'painted from right to left',
      page(text(122, 700, 'third') + text(80, 700, 'second') + text(50, 700, 'first'), 'first second third'),
    ],
    ['an accent over its letter', page(text(50, 700, 'caf') + text(65.1, 700, 'e') + text(66.2, 700, '\u00b4'), 'caf\u00e9')],
    ['a turned page', { file: { content: text(50, 500, 'Turned page'), entries: '/Rotate 90' }, is: 'Turned page' }],
    [
      'text that runs upwards',
      page(
        `${lines(80, 700, ['The main text.', 'More of it.'])}BT /F1 11 Tf 0 1 -1 0 40 300 Tm (Draft 7) Tj ET`,
        'The main text. More of it.\n\nDraft 7',
      ),
    ],
    [
      'a text upside down in turned coordinates',
      page(
        `q 1 0 0 -1 0 792 cm BT /F1 11 Tf 1 0 0 -1 50 100 Tm (From the top) Tj ET BT /F1 11 Tf 1 0 0 -1 50 112 Tm (to the end) Tj ET Q`,
        'From the top to the end',
      ),
    ],
    ['an exponent', page(text(50, 700, '10') + text(62.3, 704, '6', { size: 7 }) + text(69.5, 700, 'units'), '10⁶ units')],
    ['an exponent by the rise of text', page(raw(50, 700, '(10) Tj 7 Ts /F1 7 Tf (-3) Tj 0 Ts /F1 12 Tf ( m) Tj'), '10⁻³ m')],
    ['the mark of a footnote', page(text(50, 700, 'a fee of 25') + text(101.5, 704.5, '3', { size: 6 }), 'a fee of 25³')],
    ['an index', page(text(50, 700, 'H') + text(58, 697, '2', { size: 7 }) + text(62, 700, 'O'), 'H₂O')],
    [
      'exponents painted after the text',
      page(lines(50, 700, ['Area: 25 m', 'Next line']) + text(103.5, 704, '2', { size: 7 }), 'Area: 25 m² Next line'),
    ],
    [
      'ordinals',
      page(text(50, 700, 'on the 4') + text(91, 704, 'th', { size: 7 }) + text(99, 700, 'of May'), 'on the 4th of May'),
    ],
    [
      'ligatures',
      {
        file: {
          pages: [{ content: 'BT /U 12 Tf 50 700 Td <00010002000300040005> Tj ET', resources: '/Font << /U $u >>' }],
          objects: {
            u: '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode $map /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 600 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 >> >>] >>',
            map: unicodeMap({ 1: 'o', 2: '\ufb03', 3: 'c', 4: 'e', 5: '\ufb01' }),
          },
        },
        is: 'officefi',
      },
    ],
    [
      'Japanese in columns from right to left',
      {
        file: {
          pages: [
            {
              content: 'BT /U 12 Tf 500 700 Td <000100020003> Tj ET BT /U 12 Tf 480 700 Td <00040005> Tj ET',
              resources: '/Font << /U $u >>',
            },
          ],
          objects: {
            u: '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-V /ToUnicode $map /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 600 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 >> >>] >>',
            map: unicodeMap({ 1: '東', 2: '京', 3: '都', 4: '大', 5: '阪' }),
          },
        },
        is: '東京都大阪',
      },
    ],
    [
      'an Arabic ligature',
      {
        file: {
          pages: [{ content: 'BT /U 12 Tf 50 700 Td <0003000200010004> Tj ET', resources: '/Font << /U $u >>' }],
          objects: {
            u: '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode $map /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 600 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 >> >>] >>',
            map: unicodeMap({ 1: 'س', 2: '\ufefb', 3: 'م', 4: 'ا' }),
          },
        },
        is: 'اسلام',
      },
    ],
    [
      'Hebrew in the order in which it is read',
      {
        file: {
          pages: [{ content: 'BT /U 12 Tf 50 700 Td <0006000500040003000200010003> Tj ET', resources: '/Font << /U $u >>' }],
          objects: {
            u: '<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode $map /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 600 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 >> >>] >>',
            map: unicodeMap({ 1: 'ש', 2: 'ל', 3: 'ו', 4: 'ם', 5: '4', 6: '2' }),
          },
        },
        is: 'ושלום24',
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})

describe('PDF: line ends', () => {
  const both = (first: string, second: string, is: string): [string, PdfCase] => [
    `${first} ${second}`,
    page(lines(50, 700, [first, second]), is),
  ]
  test.each<[string, PdfCase]>([
    [
      'compounds keep their hyphen',
      page(
        lines(50, 700, ['The grant is open to every self-', 'employed person and to low-', 'income families.']),
        'The grant is open to every self-employed person and to low-income families.',
      ),
    ],
    both('the first para-', 'graph of it', 'the first paragraph of it'),
    both('a state-of-the-', 'art device', 'a state-of-the-art device'),
    both('the COVID-', '19 rules', 'the COVID-19 rules'),
    both('Frau Meier-', 'Schmidt kommt', 'Frau Meier-Schmidt kommt'),
    both('Vor-', 'und Nachteile', 'Vor- und Nachteile'),
    both('the years 2019 -', 'as before', 'the years 2019 - as before'),
    both('an EU-', 'wide rule', 'an EU-wide rule'),
    both('their wellbeing and the well-', 'being of all', 'their wellbeing and the wellbeing of all'),
    both('sun-dried fruit and sun-', 'dried herbs', 'sun-dried fruit and sun-dried herbs'),
    both('see example-', 'Text', 'see example-Text'),
    ['a soft hyphen', page(lines(50, 700, ['a soft infor\u00ad', 'mation']).replaceAll('\u00ad', '\\255'), 'a soft information')],
    [
      'a hyphen over two pages stays',
      {
        file: { pages: [{ content: text(50, 700, 'infor-') }, { content: text(50, 700, 'mation') }] },
        is: '## Page 1\n\ninfor-\n\n## Page 2\n\nmation',
      },
    ],
    [
      'paragraphs',
      page(lines(50, 700, ['One', 'goes on.']) + lines(50, 650, ['Two', 'goes on.']), 'One goes on.\n\nTwo goes on.'),
    ],
  ])('%s', async (_, value) => checkPdf(value))
})
