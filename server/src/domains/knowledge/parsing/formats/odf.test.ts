import { describe, expect, test } from 'vitest'
import { odfFile, odfPart } from '../../../../../test/support/documents/office.ts'
import { parseFile } from '../parse-file.ts'
import type { Warning } from '../warning.ts'

const p = (content: string, style = '') => `<text:p${style && ` text:style-name="${style}"`}>${content}</text:p>`
const cell = (text: string, attributes = '') => `<table:table-cell ${attributes}>${text && p(text)}</table:table-cell>`
const row = (cells: string, attributes = '') => `<table:table-row ${attributes}>${cells}</table:table-row>`
const table = (...rows: string[]) => `<table:table table:name="Prices">${rows.join('')}</table:table>`
const item = (content: string) => `<text:list-item>${content}</text:list-item>`
const style = (name: string, properties: string, more = '') =>
  `<style:style style:name="${name}" ${more}>${properties}</style:style>`
const HIDDEN = style('Secret', '<style:text-properties text:display="none"/>')
const LIST =
  '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'

type Case = [name: string, body: string, markdown: string, styles?: string, warnings?: Warning[], more?: Record<string, string>]

const TEXTS: Case[] = [
  ['headings and paragraphs', `<text:h text:outline-level="2">Rules</text:h>${p('Be &lt;kind&gt;.')}`, '## Rules\n\nBe <kind>.'],
  ['white space, tabs and breaks', p('a <text:s text:c="3"/>b<text:tab/>c<text:line-break/>d'), 'a  b\tc\nd'],
  [
    'lists with their numbers',
    `<text:list text:style-name="L">${item(`${p('One')}<text:list>${item(p('Sub'))}</text:list>`)}${item(p('Two'))}</text:list>`,
    '1. One\n    - a) Sub\n2. Two',
    LIST,
  ],
  ['lists without numbers', `<text:list>${item(p('One'))}${item(p('Two'))}</text:list>`, '- One\n- Two'],
  [
    'merged rows under their columns',
    table(
      row(cell('Region') + cell('Plan')),
      row(cell('North', 'table:number-rows-spanned="2"') + cell('Basic')),
      row(`<table:covered-table-cell/>${cell('Premium')}`),
    ),
    '| Region | Plan |\n| --- | --- |\n| North | Basic |\n| North | Premium |',
  ],
  [
    'merged columns and header rows',
    table(
      `<table:table-header-rows>${row(`${cell('Year', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>${cell('Sum')}`)}</table:table-header-rows>`,
      row(cell('1') + cell('2') + cell('3')),
    ),
    '| Year |  | Sum |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
  ],
  [
    'notes after their paragraph',
    p(
      'Fee<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Without tax</text:p></text:note-body></text:note> due',
    ),
    'Fee[^1] due\n\n[^1]: Without tax',
  ],
  [
    'links and ruby',
    p(
      '<text:a xlink:href="https://example.com/a">the page</text:a>, <text:ruby><text:ruby-base>経理</text:ruby-base><text:ruby-text>けいり</text:ruby-text></text:ruby>',
    ),
    '[the page](https://example.com/a), 経理(けいり)',
  ],
  [
    'text boxes and shapes after their paragraph',
    p('Text<draw:frame><draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame>') +
      p('<draw:custom-shape><text:p>In the shape</text:p></draw:custom-shape>'),
    'Text\n\nIn the box\n\nIn the shape',
  ],
  [
    'pictures by their description: with a warning',
    p('<draw:frame><draw:image xlink:href="a.png"/><svg:desc>A map</svg:desc></draw:frame>'),
    'A map',
    '',
    [{ kind: 'picture', count: 1 }],
  ],
  [
    'no hidden text: it is counted',
    p('Shown<text:span text:style-name="Secret">secret</text:span>') +
      p('secret', 'Secret') +
      `<text:section text:display="none">${p('secret')}</text:section>`,
    'Shown',
    HIDDEN,
    [{ kind: 'hidden_text', count: 3 }],
  ],
  [
    'no deleted text and no comments',
    `<text:tracked-changes><text:changed-region><text:deletion>${p('old')}</text:deletion></text:changed-region></text:tracked-changes>${p('new<office:annotation><text:p>a comment</text:p></office:annotation>')}`,
    'new',
    '',
    [
      { kind: 'hidden_text', count: 1 },
      { kind: 'comment', count: 1 },
    ],
  ],
  [
    'powers',
    p('10<text:span text:style-name="Up">6</text:span>'),
    '10⁶',
    style('Up', '<style:text-properties style:text-position="super 58%"/>'),
  ],
  [
    'equations as they are typed: with a warning',
    p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'),
    'a over b',
    '',
    [{ kind: 'equation', count: 1 }],
    {
      'Object 1/content.xml':
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>a</mi><annotation>a over b</annotation></semantics></math>',
    },
  ],
  [
    'the values of a chart',
    p('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'),
    '| Month | Sales |\n| --- | --- |\n| May | 3 |',
    '',
    [],
    {
      'Object 1/content.xml': odfPart(
        'document-content',
        `<office:body><office:chart><chart:chart>${table(row(cell('Month') + cell('Sales')), row(cell('May') + cell('3')))}</chart:chart></office:chart></office:body>`,
      ),
    },
  ],
  [
    'headers and footers of the pages',
    p('Body'),
    'Contract HDR-1\n\nBody\n\nInternal',
    '',
    [],
    {
      'styles.xml': odfPart(
        'document-styles',
        `<office:master-styles><style:master-page style:name="Standard"><style:header>${p('Contract HDR-1')}</style:header><style:footer>${p('Internal')}</style:footer></style:master-page><style:master-page style:name="Unused"><style:header>${p('never')}</style:header></style:master-page></office:master-styles>`,
      ),
    },
  ],
  ['marks of Markdown in text', p('# no heading'), '\\# no heading'],
]

const sheet = (...rows: string[]) => table(...rows)
const head = row(cell('Item') + cell('Price'))

const SHEETS: Case[] = [
  [
    'shown values',
    sheet(head, row(cell('Pen') + cell('3,00 €', 'office:value="3"'))),
    '| Item | Price |\n| --- | --- |\n| Pen | 3,00 € |',
  ],
  [
    'repeated cells and rows, and no empty ones',
    sheet(
      head,
      row(
        cell('0', 'table:number-columns-repeated="2"') + cell('', 'table:number-columns-repeated="1000"'),
        'table:number-rows-repeated="2"',
      ),
      row(cell('', 'table:number-columns-repeated="1024"'), 'table:number-rows-repeated="1048000"'),
    ),
    '| Item | Price |\n| --- | --- |\n| 0 | 0 |\n| 0 | 0 |',
  ],
  [
    'no hidden rows and columns: they are counted',
    sheet(
      '<table:table-column/><table:table-column table:visibility="collapse"/>',
      row(cell('Item') + cell('Cost')),
      row(cell('Pen') + cell('1')),
      row(cell('secret'), 'table:visibility="filter"'),
    ),
    'Item\n\nPen',
    '',
    [{ kind: 'hidden_text', place: 'sheet Prices', count: 3 }],
  ],
]

const page = (content: string, more = '') => `<draw:page ${more}>${content}</draw:page>`
const frame = (text: string, kind: string) =>
  `<draw:frame presentation:class="${kind}"><draw:text-box>${p(text)}</draw:text-box></draw:frame>`

describe('readOdf reads', () => {
  test.each(TEXTS)('%s', async (_, body, markdown, styles = '', warnings = [], more = {}) => {
    const result = await parseFile(odfFile('text', body, styles, more), { name: 'a.odt' })
    expect(result.markdown).toBe(markdown)
    expect(result.warnings).toEqual(warnings)
  })

  test.each(SHEETS)('of a spreadsheet: %s', async (_, body, markdown, styles = '', warnings = []) => {
    const result = await parseFile(odfFile('spreadsheet', body, styles), { name: 'a.ods' })
    expect(result.markdown).toBe(`## Prices\n\n${markdown}`)
    expect(result.warnings).toEqual(warnings)
  })

  test('the slides of a presentation with their notes, and no hidden ones', async () => {
    const notes = `<presentation:notes>${frame('Say hello', 'notes')}</presentation:notes>`
    const body =
      page(frame('Text', 'outline') + frame('Plan', 'title') + notes) +
      page(frame('secret', 'title'), 'draw:style-name="H"') +
      page(
        '<draw:frame presentation:class="title" presentation:placeholder="true"><draw:text-box/></draw:frame>' +
          frame('Last', 'outline'),
      )
    const styles = style('H', '<style:drawing-page-properties presentation:visibility="hidden"/>')
    const { markdown, warnings } = await parseFile(odfFile('presentation', body, styles), { name: 'a.odp' })
    expect(markdown).toBe('## Plan\n\nText\n\nNotes: Say hello\n\n## Slide 3\n\nLast')
    expect(warnings).toEqual([{ kind: 'hidden_text', place: 'slide 2', count: 1 }])
  })

  test('no hidden sheets', async () => {
    const styles = style('H', '<style:table-properties table:display="false"/>')
    const hidden = sheet(head).replace('table:name="Prices"', 'table:name="Costs" table:style-name="H"')
    const { markdown, warnings } = await parseFile(odfFile('spreadsheet', hidden + sheet(head), styles), { name: 'a.ods' })
    expect(markdown).toBe('## Prices\n\n| Item | Price |\n| --- | --- |')
    expect(warnings).toEqual([{ kind: 'hidden_text', place: 'sheet Costs', count: 1 }])
  })

  test('no files with a password', async () => {
    const file = odfFile('text', p('x'), '', { 'META-INF/manifest.xml': '<manifest:encryption-data/>' })
    await expect(parseFile(file, { name: 'a.odt' })).rejects.toMatchObject({ code: 'encrypted' })
  })
})
