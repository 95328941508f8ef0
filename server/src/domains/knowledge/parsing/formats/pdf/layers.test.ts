import { describe, test } from 'vitest'
import { field, text } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase } from '../../../../../../test/support/documents/pdf-case.ts'

const ocg = (state: string, extra = '') => ({
  catalog: `/OCProperties << /OCGs [$on $off] /D << /Order [$on $off] ${state} >> ${extra} >>`,
})
const layers = { on: '<< /Type /OCG /Name (Final) >>', off: '<< /Type /OCG /Name (Draft) >>' }
const layered = (name: string, y: number, shown: string) => `/OC /${name} BDC\n${text(50, y, shown)}EMC\n`
const properties = '/Properties << /On $on /Off $off >>'

describe('PDF: layers', () => {
  test.each<[string, PdfCase]>([
    [
      'a layer that is off is hidden',
      {
        file: {
          pages: [
            {
              content: text(50, 700, 'The price is 90 euro.') + layered('Off', 660, 'Old draft: 40 euro.'),
              resources: properties,
            },
          ],
          objects: layers,
          ...ocg('/OFF [$off]'),
        },
        is: 'The price is 90 euro.',
        warns: ['hidden_text page 1 1'],
      },
    ],
    [
      'a layer that is on is shown',
      {
        file: {
          pages: [{ content: layered('On', 700, 'Final price.') + layered('Off', 600, 'Draft.'), resources: properties }],
          objects: layers,
          ...ocg('/OFF [$off]'),
        },
        is: 'Final price.',
        warns: ['hidden_text page 1 1'],
      },
    ],
    [
      'the base state is off',
      {
        file: {
          pages: [{ content: layered('On', 700, 'Final price.') + layered('Off', 600, 'Draft.'), resources: properties }],
          objects: layers,
          ...ocg('/BaseState /OFF /ON [$on]'),
        },
        is: 'Final price.',
        warns: ['hidden_text page 1 1'],
      },
    ],
    [
      'membership dictionaries: any on, all on, and an expression',
      {
        file: {
          pages: [
            {
              content:
                layered('Any', 700, 'Any of both.') +
                layered('All', 650, 'All of both.') +
                layered('Not', 600, 'Not off.') +
                layered('None', 550, 'None on.'),
              resources: '/Properties << /Any $any /All $all /Not $not /None $none >>',
            },
          ],
          objects: {
            ...layers,
            any: '<< /Type /OCMD /OCGs [$on $off] /P /AnyOn >>',
            all: '<< /Type /OCMD /OCGs [$on $off] /P /AllOn >>',
            not: '<< /Type /OCMD /OCGs [$off] /VE [/Not $off] >>',
            none: '<< /Type /OCMD /OCGs [$on $off] /P /AllOff >>',
          },
          ...ocg('/OFF [$off]'),
        },
        is: 'Any of both.\n\nNot off.',
        warns: ['hidden_text page 1 2'],
      },
    ],
    [
      'a form object on a layer that is off, and layers within layers',
      {
        file: {
          pages: [
            {
              content: `${text(50, 700, 'Shown.')}/Fm1 Do\n/OC /Off BDC ${layered('On', 600, 'Inner.')} EMC ${text(50, 500, 'After.')}`,
              resources: `${properties} /XObject << /Fm1 $form >>`,
            },
          ],
          objects: {
            ...layers,
            form: [
              '/Type /XObject /Subtype /Form /BBox [0 0 612 792] /OC $off /Resources << /Font << /F1 $F1 >> >>',
              text(50, 650, 'Form.'),
            ],
          },
          ...ocg('/OFF [$off]'),
        },
        is: 'Shown.\n\nAfter.',
        warns: ['hidden_text page 1 2'],
      },
    ],
    [
      'an annotation on a layer that is off',
      {
        file: {
          pages: [
            { content: text(50, 700, 'Name:'), annotations: [field([150, 695, 300, 710], '/FT /Tx /T (a) /V (Orla) /OC $off')] },
          ],
          objects: layers,
          ...ocg('/OFF [$off]'),
        },
        is: 'Name:',
        warns: ['hidden_text page 1 1'],
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})
