import { describe, expect, test } from 'vitest'
import { excelFile, type Parts, part, relations, sheetPart } from '../../../../../test/support/documents/office.ts'
import { parseFile } from '../parse-file.ts'
import type { Warning } from '../warning.ts'

const cell = (ref: string, value: string, attributes = '') => `<c r="${ref}" ${attributes}><v>${value}</v></c>`
const text = (ref: string, value: string) => `<c r="${ref}" t="inlineStr"><is><t>${value}</t></is></c>`
const row = (number: number, cells: string, attributes = '') => `<row r="${number}" ${attributes}>${cells}</row>`
const data = (...rows: string[]) => `<sheetData>${rows.join('')}</sheetData>`
/** A sheet with a number in each of the formats. */
const formatted = (values: readonly (readonly [value: string, code: string | number])[]): [string, Parts] => {
  const own = values.map(([, code], index) =>
    typeof code === 'number' ? '' : `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
  )
  const styles = values.map(([, code], index) => `<xf numFmtId="${typeof code === 'number' ? code : 164 + index}"/>`)
  const rows = values.map(([value], index) =>
    row(index + 2, text(`A${index + 2}`, `v${index}`) + cell(`B${index + 2}`, value, `s="${index}"`)),
  )
  return [
    data(row(1, text('A1', 'Key') + text('B1', 'Value')), ...rows),
    {
      'styles.xml': {
        type: 'styles',
        content: sheetPart('styleSheet', `<numFmts>${own.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs>`),
      },
    },
  ]
}
const shown = (...values: string[]) =>
  `| Key | Value |\n| --- | --- |\n${values.map((value, index) => `| v${index} | ${value} |`).join('\n')}`
const table = (...rows: string[][]) =>
  rows.map((cells, index) => `| ${cells.join(' | ')} |${index === 0 ? `\n|${' --- |'.repeat(cells.length)}` : ''}`).join('\n')
const head = row(1, text('A1', 'Item') + text('B1', 'Price'))

type Case = [name: string, sheet: string, markdown: string, parts?: Parts, warnings?: Warning[], more?: Record<string, string>]

const CASES: Case[] = [
  [
    'numbers, percent, currency and leading zeros',
    ...withParts(
      formatted([
        ['1234.5', '#,##0.00'],
        ['0.256', 9],
        ['12', '&quot;€&quot; 0.00'],
        ['42', '00000'],
        ['0.1', 0],
        ['-3', '0;(0)'],
      ]),
      shown('1,234.50', '26%', '€ 12.00', '00042', '0.1', '(3)'),
    ),
  ],
  [
    'dates and times',
    ...withParts(
      formatted([
        ['45658', 14],
        ['45658.75', 'dd.mm.yyyy hh:mm'],
        ['1.5', 46],
        ['45658', 'd mmmm yyyy'],
      ]),
      shown('2025-01-01', '01.01.2025 18:00', '36:00:00', '1 January 2025'),
    ),
  ],
  [
    'long ids and sums as people see them',
    ...withParts(
      formatted([
        ['123456789012345', 0],
        ['0.30000000000000004', 0],
        ['1E-3', 0],
      ]),
      shown('123456789012345', '0.3', '0.001'),
    ),
  ],
  [
    'no values that their format hides',
    ...withParts(formatted([['5', ';;;']]), shown('')),
    [{ kind: 'hidden_text', place: 'sheet Prices', count: 1 }],
  ],
  ['numbers in a format that is not valid', ...withParts(formatted([['5', '[[']]), shown('5'))],
  [
    'truth values, errors and results of formulas',
    data(
      head,
      row(2, cell('A2', '1', 't="b"') + cell('B2', '#DIV/0!', 't="e"')),
      row(3, '<c r="A3" t="str"><f>A1</f><v>Pen</v></c><c r="B3"><f>1+1</f><v>2</v></c>'),
    ),
    table(['Item', 'Price'], ['TRUE', '#DIV/0!'], ['Pen', '2']),
  ],
  [
    'formulas that were never computed: with a warning',
    data(head, row(2, `${text('A2', 'Pen')}<c r="B2"><f>1+1</f></c>`)),
    table(['Item', 'Price'], ['Pen', '']),
    {},
    [{ kind: 'ignored_part', place: 'sheet Prices', detail: 'formula without a value', count: 1 }],
  ],
  [
    'shared and rich strings without their pronunciation',
    data(row(1, cell('A1', '0', 't="s"') + cell('B1', '1', 't="s"')), row(2, cell('A2', '2', 't="s"') + cell('B2', '7'))),
    table(['Plain', 'Rich text'], ['東京', '7']),
    {
      'sharedStrings.xml': {
        type: 'sharedStrings',
        content: sheetPart(
          'sst',
          '<si><t>Plain</t></si><si><r><t xml:space="preserve">Rich </t></r><r><rPr><b/></rPr><t>text</t></r></si><si><t>東京</t><rPh><t>トウキョウ</t></rPh></si>',
        ),
      },
    },
  ],
  [
    'escaped characters and bars in cells',
    data(head, row(2, text('A2', 'a_x000D_|b') + text('B2', 'two&#10;lines'))),
    table(['Item', 'Price'], ['a \\|b', 'two lines']),
  ],
  [
    'merged rows under their columns',
    `${data(row(1, text('A1', 'Region') + text('B1', 'Plan')), row(2, text('A2', 'North') + text('B2', 'Basic')), row(3, text('B3', 'Premium')))}<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`,
    table(['Region', 'Plan'], ['North', 'Basic'], ['North', 'Premium']),
  ],
  [
    'no hidden rows and columns: they are counted',
    `<cols><col min="2" max="2" hidden="1"/></cols>${data(row(1, text('A1', 'Item') + text('B1', 'Cost') + text('C1', 'Price')), row(2, text('A2', 'Pen') + cell('B2', '1') + cell('C2', '3')), row(3, text('A3', 'Secret'), 'hidden="1"'))}`,
    table(['Item', 'Price'], ['Pen', '3']),
    {},
    [{ kind: 'hidden_text', place: 'sheet Prices', count: 2 }],
  ],
  [
    'title lines before a table',
    data(
      row(1, text('A1', 'Price list 2026')),
      row(2, text('A2', 'Item') + text('B2', 'Price')),
      row(3, text('A3', 'Pen') + cell('B3', '3')),
    ),
    `Price list 2026\n\n${table(['Item', 'Price'], ['Pen', '3'])}`,
  ],
  [
    'two tables',
    data(
      head,
      row(2, text('A2', 'Pen') + cell('B2', '3')),
      row(4, text('A4', 'City') + text('B4', 'Zone')),
      row(5, text('A5', 'Bonn') + cell('B5', '1')),
    ),
    `${table(['Item', 'Price'], ['Pen', '3'])}\n\n${table(['City', 'Zone'], ['Bonn', '1'])}`,
  ],
  [
    'a table with an empty row in it',
    data(head, row(2, text('A2', 'Pen') + cell('B2', '3')), row(4, text('A4', 'Ink') + cell('B4', '5'))),
    table(['Item', 'Price'], ['Pen', '3'], ['Ink', '5']),
  ],
  [
    'cells and rows without references',
    '<sheetData><row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row><row><c><v>1</v></c><c><v>2</v></c></row></sheetData>',
    table(['a', 'b'], ['1', '2']),
  ],
  [
    'columns far to the right without the empty ones',
    data(row(1, text('B1', 'a') + text('AA1', 'b')), row(2, cell('B2', '1') + cell('AA2', '2'))),
    table(['a', 'b'], ['1', '2']),
  ],
  [
    'printed headers without their codes',
    `${data(head)}<headerFooter><oddHeader>&amp;C&amp;"Arial"&amp;12Confidential&amp;RPage &amp;P</oddHeader></headerFooter>`,
    `${table(['Item', 'Price'])}\n\nConfidential\nPage`,
  ],
  [
    'text boxes and charts; pictures with a warning',
    data(head),
    `${table(['Item', 'Price'])}\n\nIn the box\n\nSales`,
    {},
    [{ kind: 'picture', place: 'sheet Prices', count: 1 }],
    {
      'xl/worksheets/_rels/sheet1.xml.rels': relations([['d1', 'drawing', '../drawings/drawing1.xml']]),
      'xl/drawings/drawing1.xml': part(
        'xdr:wsDr',
        '<xdr:sp><xdr:txBody><a:p><a:r><a:t>In the box</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:pic/><xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="c1"/></a:graphicData></a:graphic></xdr:graphicFrame>',
      ),
      'xl/drawings/_rels/drawing1.xml.rels': relations([['c1', 'chart', '/xl/charts/chart1.xml']]),
      'xl/charts/chart1.xml': part(
        'c:chartSpace',
        '<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title></c:chart>',
      ),
    },
  ],
  [
    'no comments and form controls: with warnings',
    data(head),
    table(['Item', 'Price']),
    {},
    [
      { kind: 'comment', place: 'sheet Prices', count: 2 },
      { kind: 'form', place: 'sheet Prices', count: 1 },
    ],
    {
      'xl/worksheets/_rels/sheet1.xml.rels': relations([
        ['k1', 'comments', '../comments1.xml'],
        ['k2', 'ctrlProp', '../ctrlProps/ctrlProp1.xml'],
      ]),
      'xl/comments1.xml': sheetPart('comments', '<commentList><comment/><comment/></commentList>'),
    },
  ],
  [
    'dates that count from 1904',
    ...withParts(formatted([['44196', 14]]), shown('2025-01-01')),
    [],
    { workbook: '<workbookPr date1904="1"/>' },
  ],
]

function withParts([sheet, parts]: [string, Parts], markdown: string): [string, string, Parts] {
  return [sheet, markdown, parts]
}

describe('readXlsx reads', () => {
  test.each(CASES)('%s', async (_, sheet, markdown, parts = {}, warnings = [], more = {}) => {
    const result = await parseFile(excelFile({ Prices: sheet }, parts, more), { name: 'a.xlsx' })
    expect(result.markdown).toBe(`## Prices\n\n${markdown}`)
    expect(result.warnings).toEqual(warnings)
  })

  test('sheets in their order, and no hidden ones', async () => {
    const file = excelFile({ One: data(head), '!Two': data(row(1, text('A1', 'secret'))), Three: data(head), Empty: '' })
    const { markdown, warnings } = await parseFile(file, { name: 'a.xlsm' })
    expect(markdown).toBe(`## One\n\n${table(['Item', 'Price'])}\n\n## Three\n\n${table(['Item', 'Price'])}`)
    expect(warnings).toEqual([{ kind: 'hidden_text', place: 'sheet Two', count: 1 }])
  })

  test('long tables in parts of 50 rows', async () => {
    const rows = Array.from({ length: 120 }, (_, index) =>
      row(index + 2, text(`A${index + 2}`, 'Pen') + cell(`B${index + 2}`, '3')),
    )
    const { markdown } = await parseFile(excelFile({ One: data(head, ...rows) }), { name: 'a.xlsx' })
    expect(markdown.match(/^#+ .*/gm)).toEqual(['## One', '### Rows 1–50', '### Rows 51–100', '### Rows 101–120'])
    expect(markdown.match(/\| Item \| Price \|/g)).toHaveLength(3)
  })
})
