import { describe, test } from 'vitest'
import { field, lines, text } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase } from '../../../../../../test/support/documents/pdf-case.ts'

describe('PDF: forms', () => {
  const appearance = (shown: string): [string, string] => [
    '/Type /XObject /Subtype /Form /BBox [0 0 150 20] /Resources << /Font << /F1 $F1 /Za $za >> >>',
    shown,
  ]
  const labels = lines(50, 695, ['Name:', 'Policy number:'], 30)
  test.each<[string, PdfCase]>([
    [
      'values stand behind their labels',
      {
        file: {
          content: labels,
          annotations: [
            field([150, 690, 400, 710], '/FT /Tx /T (name) /V (Orla Quint)'),
            field([150, 660, 400, 680], '/FT /Tx /T (policy) /V (POL-66021)'),
          ],
        },
        is: 'Name: Orla Quint\n\nPolicy number: POL-66021',
      },
    ],
    [
      'a value is read once if the file has a picture of it',
      {
        file: {
          pages: [
            {
              content: text(50, 695, 'Name:'),
              annotations: [field([150, 690, 300, 710], '/FT /Tx /T (a) /V (Orla) /AP << /N $look >>')],
            },
          ],
          objects: { look: appearance('BT /F1 11 Tf 2 5 Td (Orla) Tj ET') },
        },
        is: 'Name: Orla',
      },
    ],
    [
      'the shown form of a number counts',
      {
        file: {
          pages: [
            {
              content: text(50, 695, 'Sum:'),
              annotations: [field([150, 690, 300, 710], '/FT /Tx /T (a) /V (1200) /AP << /N $look >>')],
            },
          ],
          objects: { look: appearance('BT /F1 11 Tf 2 5 Td (1.200,00 EUR) Tj ET') },
        },
        is: 'Sum: 1.200,00 EUR',
      },
    ],
    [
      'an empty picture of a value',
      {
        file: {
          pages: [
            {
              content: text(50, 695, 'Name:'),
              annotations: [field([150, 690, 300, 710], '/FT /Tx /T (a) /V (Orla) /AP << /N $look >>')],
            },
          ],
          objects: { look: appearance('') },
        },
        is: 'Name: Orla',
      },
    ],
    [
      'check boxes',
      {
        file: {
          pages: [
            {
              content: lines(70, 695, ['Approved', 'Rejected'], 30),
              annotations: [
                field([50, 692, 62, 704], '/FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes $yes /Off $no >> >>'),
                field([50, 662, 62, 674], '/FT /Btn /T (b) /V /Off /AS /Off /AP << /N << /Yes $yes /Off $no >> >>'),
              ],
            },
          ],
          objects: {
            za: '<< /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>',
            yes: appearance('BT /Za 11 Tf 2 2 Td (4) Tj ET'),
            no: appearance(''),
          },
        },
        is: '☒ Approved\n\n☐ Rejected',
      },
    ],
    [
      'radio buttons',
      {
        file: {
          pages: [{ content: lines(70, 695, ['Monthly', 'Yearly'], 30), annotations: ['$first', '$second'] }],
          objects: {
            group: '<< /FT /Btn /Ff 49152 /T (period) /V /year /Kids [$first $second] >>',
            first: field([50, 692, 62, 704], '/Parent $group /AS /Off /AP << /N << /month $look /Off $look >> >>'),
            second: field([50, 662, 62, 674], '/Parent $group /AS /year /AP << /N << /year $look /Off $look >> >>'),
            look: appearance(''),
          },
          catalog: '/AcroForm << /Fields [$group] >>',
        },
        is: '☐ Monthly\n\n☒ Yearly',
      },
    ],
    [
      'a choice shows its text and not its code',
      {
        file: {
          content: text(50, 695, 'Country:'),
          annotations: [
            field([150, 690, 300, 710], '/FT /Ch /Ff 131072 /T (c) /V (at) /Opt [[(de) (Germany)] [(at) (Austria)]]'),
          ],
        },
        is: 'Country: Austria',
        lacks: ['Germany'],
      },
    ],
    [
      'several choices',
      {
        file: {
          content: text(50, 695, 'Days:'),
          annotations: [field([150, 690, 300, 710], '/FT /Ch /Ff 2097152 /T (c) /V [(Mon) (Wed)] /Opt [(Mon) (Tue) (Wed)]')],
        },
        is: 'Days: Mon, Wed',
      },
    ],
    [
      'a field of several lines',
      {
        file: {
          content: text(50, 695, 'Remarks:'),
          annotations: [field([150, 650, 400, 710], '/FT /Tx /Ff 4096 /T (c) /V (First line\\nSecond line)')],
        },
        has: ['First line', 'Second line'],
      },
    ],
    [
      'hidden fields and passwords',
      {
        file: {
          content: lines(50, 695, ['Name:', 'Pin:'], 30),
          annotations: [
            '<< /Type /Annot /Subtype /Widget /F 2 /Rect [150 690 300 710] /FT /Tx /T (a) /V (hidden value) >>',
            '<< /Type /Annot /Subtype /Widget /F 32 /Rect [150 690 300 710] /FT /Tx /T (b) /V (unseen value) >>',
            field([150, 660, 300, 680], '/FT /Tx /Ff 8192 /T (pin) /V (4711)'),
          ],
        },
        is: 'Name:\n\nPin:',
        warns: ['hidden_text page 1 2'],
      },
    ],
    [
      'an empty field',
      { file: { content: text(50, 695, 'Name:'), annotations: [field([150, 690, 300, 710], '/FT /Tx /T (a)')] }, is: 'Name:' },
    ],
    [
      'a value without a page text',
      { file: { annotations: [field([150, 690, 300, 710], '/FT /Tx /T (a) /V (Only value)')] }, is: 'Only value' },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})

describe('PDF: notes and links', () => {
  const annotation = (kind: string, entries: string, rect = '[48 690 200 712]') =>
    `<< /Type /Annot /Subtype /${kind} /F 4 /Rect ${rect} ${entries} >>`
  test.each<[string, PdfCase]>([
    [
      'a note on the page is text',
      {
        file: {
          content: text(50, 700, 'Contract'),
          annotations: [annotation('FreeText', '/Contents (Valid from May) /DA (/Helv 11 Tf)', '[50 600 250 620]')],
        },
        is: 'Contract\n\nValid from May',
      },
    ],
    [
      'comments follow the page with their author',
      {
        file: {
          content: text(50, 700, 'The fee is 5 euro.'),
          annotations: [
            annotation('Text', '/Contents (Is this right?) /T (Mara)'),
            annotation('Highlight', '/Contents (Agreed)'),
            annotation('Underline', ''),
          ],
        },
        is: 'The fee is 5 euro.\n\n> **Comment by Mara:** Is this right?\n\n> **Comment:** Agreed',
      },
    ],
    [
      'a hidden comment',
      {
        file: {
          content: text(50, 700, 'Text'),
          annotations: ['<< /Type /Annot /Subtype /Text /F 2 /Rect [0 0 9 9] /Contents (secret) >>'],
        },
        is: 'Text',
        warns: ['hidden_text page 1 1'],
      },
    ],
    [
      'a link shows its target',
      {
        file: {
          content: text(50, 700, 'See the handbook for more.'),
          annotations: [annotation('Link', '/A << /S /URI /URI (https://example.com/x) >>', '[88 695 138 712]')],
        },
        is: 'See the [handbook](https://example.com/x) for more.',
      },
    ],
    [
      'a link over two lines',
      {
        file: {
          content: lines(50, 700, ['Read the travel', 'policy today.']),
          annotations: [
            annotation('Link', '/A << /S /URI /URI (https://example.com/t) >>', '[97 695 200 712]'),
            annotation('Link', '/A << /S /URI /URI (https://example.com/t) >>', '[48 681 79 694]'),
          ],
        },
        is: 'Read the [travel policy](https://example.com/t) today.',
      },
    ],
    [
      'an address that links to itself, and a link that runs a script',
      {
        file: {
          content: lines(50, 700, ['Go to example.com/a today.', 'Click me.']),
          annotations: [
            annotation('Link', '/A << /S /URI /URI (https://example.com/a) >>', '[78 695 156 712]'),
            annotation('Link', '/A << /S /URI /URI (javascript:x\\(\\)) >>', '[48 681 200 694]'),
          ],
        },
        is: 'Go to example.com/a today. Click me.',
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})
