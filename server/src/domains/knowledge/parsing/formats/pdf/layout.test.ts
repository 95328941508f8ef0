import { describe, test } from 'vitest'
import { lines, text } from '../../../../../../test/support/documents/pdf.ts'
import { checkPdf, type PdfCase } from '../../../../../../test/support/documents/pdf-case.ts'

const left = ['The left column holds the first', 'part of this longer story, and', 'it ends at the last line of it.']
const right = ['The right column goes on with', 'what follows, and no one reads', 'across the gap between them.']
const story = `${left.join(' ')}\n\n${right.join(' ')}`
const rows = [
  ['Article', 'Units', 'Price'],
  ['Blue pen', '12', '1.10'],
  ['Stapler', '3', '24.00'],
]
const cellsAt = (table: readonly (readonly string[])[], places: readonly number[], top = 700, leading = 20) =>
  table.flatMap((row, line) => row.map((cell, at) => (cell ? text(places[at] ?? 0, top - leading * line, cell) : '')))

const page = (content: string, is: string): PdfCase => ({ file: { content }, is })
const table = '| Article | Units | Price |\n| --- | --- | --- |\n| Blue pen | 12 | 1.10 |\n| Stapler | 3 | 24.00 |'

describe('PDF: columns and tables', () => {
  test.each<[string, PdfCase]>([
    ['two columns, painted one after the other', page(lines(50, 700, left) + lines(320, 700, right), story)],
    [
      'two columns, painted line by line',
      page(left.map((line, at) => text(50, 700 - 14 * at, line) + text(320, 700 - 14 * at, right[at] ?? '')).join(''), story),
    ],
    ['columns with different lines', page(lines(50, 700, left) + lines(320, 695, right, 15), story)],
    [
      'a title above the columns and a line below them',
      page(
        text(50, 740, 'The title of the whole page goes from the left to the right side of it') +
          lines(50, 700, left) +
          lines(320, 700, right) +
          text(50, 560, 'Page 7 of the story, which is the last page of this nice booklet'),
        `The title of the whole page goes from the left to the right side of it\n\n${story}\n\nPage 7 of the story, which is the last page of this nice booklet`,
      ),
    ],
    [
      'columns of different length',
      page(
        lines(50, 700, [...left, 'One more line is on the left.']) + lines(320, 700, right),
        `${left.join(' ')} One more line is on the left.\n\n${right.join(' ')}`,
      ),
    ],
    [
      'three columns',
      page(
        lines(40, 700, ['one is here and', 'goes on to its end', 'over there.']) +
          lines(220, 700, ['two is here and', 'goes on to its end', 'over there.']) +
          lines(400, 700, ['three is here and', 'goes on to its end', 'over there.']),
        'one is here and goes on to its end over there.\n\ntwo is here and goes on to its end over there.\n\nthree is here and goes on to its end over there.',
      ),
    ],
    ['a table', page(cellsAt(rows, [50, 200, 300]).join(''), table)],
    [
      'a table painted column by column',
      page(
        [0, 1, 2]
          .map((column) =>
            cellsAt(
              rows.map((row) => row.map((cell, at) => (at === column ? cell : ''))),
              [50, 200, 300],
            ).join(''),
          )
          .join(''),
        table,
      ),
    ],
    [
      'a table with an empty cell',
      page(cellsAt([...rows, ['Ink', '', '9.00']], [50, 200, 300]).join(''), `${table}\n| Ink |  | 9.00 |`),
    ],
    [
      'numbers that end at the same place',
      page(
        [
          ['Item', 'Sum'],
          ['Rent', '1,200.00'],
          ['Power', '90.00'],
        ]
          .flatMap(([item = '', sum = ''], line) => [
            text(50, 700 - 16 * line, item),
            text(300 - 6 * sum.length, 700 - 16 * line, sum),
          ])
          .join(''),
        '| Item | Sum |\n| --- | --- |\n| Rent | 1,200.00 |\n| Power | 90.00 |',
      ),
    ],
    [
      'a cell of two lines',
      page(
        cellsAt(
          [
            ['Code', 'Meaning', 'Since'],
            ['A1', 'The first of the', '2020'],
          ],
          [50, 200, 400],
          700,
          30,
        ).join('') +
          text(200, 657, 'two codes') +
          cellsAt([['B2', 'Second', '2021']], [50, 200, 400], 630).join(''),
        '| Code | Meaning | Since |\n| --- | --- | --- |\n| A1 | The first of the two codes | 2020 |\n| B2 | Second | 2021 |',
      ),
    ],
    [
      'a bar in a cell',
      page(
        cellsAt(
          [
            ['a|b', 'c', 'd'],
            ['1', '2', '3'],
          ],
          [50, 200, 300],
        ).join(''),
        '| a\\|b | c | d |\n| --- | --- | --- |\n| 1 | 2 | 3 |',
      ),
    ],
    [
      'text before and after a table',
      page(
        text(50, 760, 'The prices of this year:') +
          cellsAt(rows, [50, 200, 300]).join('') +
          lines(50, 600, ['They do not contain the tax', 'of the country.']),
        `The prices of this year:\n\n${table}\n\nThey do not contain the tax of the country.`,
      ),
    ],
    [
      'a list with its marks apart',
      page(
        ['First item', 'Second item', 'Third item']
          .flatMap((item, at) => [text(50, 700 - 14 * at, `${at + 1}.`), text(80, 700 - 14 * at, item)])
          .join(''),
        '1. First item 2. Second item 3. Third item',
      ),
    ],
    ['a line with a gap', page(text(50, 700, 'Contract') + text(450, 700, 'Page 3'), 'Contract Page 3')],
    [
      'labels with their values',
      page(
        [
          ['Name:', 'Ann'],
          ['Day:', '3 May'],
          ['Place:', 'Graz'],
        ]
          .flatMap(([label = '', value = ''], at) => [text(50, 700 - 30 * at, label), text(200, 700 - 30 * at, value)])
          .join(''),
        'Name: Ann\n\nDay: 3 May\n\nPlace: Graz',
      ),
    ],
    [
      'headers and footers of pages stay',
      {
        file: {
          pages: [1, 2].map((number) => ({
            content: text(50, 770, 'Staff handbook') + text(50, 700, `Text ${number}`) + text(50, 30, `- ${number} -`),
          })),
        },
        is: '## Page 1\n\nStaff handbook\n\nText 1\n\n- 1 -\n\n## Page 2\n\nStaff handbook\n\nText 2\n\n- 2 -',
      },
    ],
  ])('%s', async (_, value) => checkPdf(value))
})
