import { describe, expect, test } from 'vitest'
import { part, powerPointFile, relations } from '../../../../../test/support/documents/office.ts'
import { parseFile } from '../parse-file.ts'
import type { Warning } from '../warning.ts'

const paragraph = (text: string, properties = '') => `<a:p>${properties}${text && `<a:r><a:t>${text}</a:t></a:r>`}</a:p>`
const shape = (paragraphs: string, { kind = '', at = '', hidden = '' } = {}) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="1" name="s"${hidden}/><p:nvPr>${kind && `<p:ph ${kind}/>`}</p:nvPr></p:nvSpPr><p:spPr>${at && `<a:xfrm><a:off ${at}/></a:xfrm>`}</p:spPr><p:txBody>${paragraphs}</p:txBody></p:sp>`
const box = (text: string, x = 0, y = 0) => shape(paragraph(text), { at: `x="${x}" y="${y}"` })
const title = shape(paragraph('Plan'), { kind: 'type="title"' })
const body = (paragraphs: string) => shape(paragraphs, { kind: 'idx="1"' })
const frame = (content: string) =>
  `<p:graphicFrame><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`
const cell = (text: string, attributes = '') => `<a:tc ${attributes}><a:txBody>${paragraph(text)}</a:txBody></a:tc>`
const numbered = (type: string) => `<a:pPr><a:buAutoNum type="${type}"/></a:pPr>`
const slideRelations = (...list: [string, string, string][]) => ({ 'ppt/slides/_rels/slide1.xml.rels': relations(list) })

type Case = [name: string, slide: string, markdown: string, more?: Record<string, string>, warnings?: Warning[]]

const CASES: Case[] = [
  [
    'the title and a list',
    title + body(paragraph('First') + paragraph('Sub', '<a:pPr lvl="1"/>') + paragraph('Second')),
    '## Plan\n\n- First\n    - Sub\n- Second',
  ],
  [
    'numbered lists as people see them',
    title +
      body(paragraph('a', numbered('arabicPeriod')) + paragraph('b', numbered('arabicPeriod'))) +
      shape(paragraph('c', numbered('alphaLcParenR')) + paragraph('d', numbered('alphaLcParenR'))),
    '## Plan\n\n1. a\n2. b\n- a) c\n- b) d',
  ],
  [
    'text boxes from top to bottom and left to right',
    box('third', 0, 3_000_000) + box('second', 5_000_000, 1_010_000) + box('first', 0, 1_000_000) + title,
    '## Plan\n\nfirst\n\nsecond\n\nthird',
  ],
  [
    'shapes at the place of their layout',
    title + box('low', 0, 4_000_000) + body(paragraph('high')),
    '## Plan\n\nhigh\n\nlow',
    {
      ...slideRelations(['l', 'slideLayout', '../slideLayouts/slideLayout1.xml']),
      'ppt/slideLayouts/slideLayout1.xml': part(
        'p:sldLayout',
        `<p:cSld><p:spTree>${shape(paragraph('Click to edit'), { kind: 'idx="1"', at: 'x="0" y="2000000"' })}</p:spTree></p:cSld>`,
      ),
    },
  ],
  [
    'fixed text of the layout, and no prompts of placeholders',
    title,
    '## Plan\n\nInternal use only',
    {
      ...slideRelations(['l', 'slideLayout', '../slideLayouts/slideLayout1.xml']),
      'ppt/slideLayouts/slideLayout1.xml': part(
        'p:sldLayout',
        `<p:cSld><p:spTree>${shape(paragraph('Click to edit'), { kind: 'idx="1"' })}${box('Internal use only')}</p:spTree></p:cSld>`,
      ),
    },
  ],
  [
    'shapes in groups',
    `${title}<p:grpSp><p:grpSp>${box('low', 0, 9_000_000)}</p:grpSp>${box('high', 0, 1_000_000)}</p:grpSp>`,
    '## Plan\n\nhigh\n\nlow',
  ],
  [
    'groups that move their shapes',
    `${title}<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="9000000"/><a:ext cx="100" cy="100"/><a:chOff x="0" y="0"/><a:chExt cx="100" cy="200"/></a:xfrm></p:grpSpPr>${box('moved', 0, 0)}</p:grpSp>${box('high', 0, 2_000_000)}`,
    '## Plan\n\nhigh\n\nmoved',
  ],
  [
    'tables with merged cells',
    title +
      frame(
        `<a:tbl><a:tr>${cell('Region')}${cell('Plan')}</a:tr><a:tr>${cell('North', 'rowSpan="2"')}${cell('Basic')}</a:tr><a:tr>${cell('', 'vMerge="1"')}${cell('Premium')}</a:tr></a:tbl>`,
      ),
    '## Plan\n\n| Region | Plan |\n| --- | --- |\n| North | Basic |\n| North | Premium |',
  ],
  [
    'no empty placeholders, page numbers and dates',
    title + body('<a:p/>') + shape(paragraph('7'), { kind: 'type="sldNum"' }) + shape(paragraph('1 May'), { kind: 'type="dt"' }),
    '## Plan',
  ],
  ['a slide without a title', box('Only text'), '## Slide 1\n\nOnly text'],
  [
    'line breaks, fields and powers',
    title +
      shape(
        '<a:p><a:r><a:t>10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:br/><a:fld type="x"><a:t>field</a:t></a:fld></a:p>',
      ),
    '## Plan\n\n10⁶\nfield',
  ],
  [
    'equations',
    title +
      shape(
        '<a:p><m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a:p>',
      ),
    '## Plan\n\nx^2',
  ],
  [
    'no hidden shapes: they are counted',
    title + shape(paragraph('secret'), { hidden: ' hidden="1"' }),
    '## Plan',
    {},
    [{ kind: 'hidden_text', place: 'slide 1', count: 1 }],
  ],
  [
    'pictures by their description: with a warning',
    `${title}<p:pic><p:nvPicPr><p:cNvPr id="2" name="x" descr="A map"/></p:nvPicPr></p:pic>`,
    '## Plan\n\nA map',
    {},
    [{ kind: 'picture', place: 'slide 1', count: 1 }],
  ],
  [
    'the notes',
    title,
    '## Plan\n\nNotes: Say hello\n\nSmile',
    {
      ...slideRelations(['n', 'notesSlide', '../notesSlides/notesSlide1.xml']),
      'ppt/notesSlides/notesSlide1.xml': part(
        'p:notes',
        `<p:cSld><p:spTree>${shape(paragraph('1'), { kind: 'type="sldNum"' })}${shape(paragraph('Say hello') + paragraph('Smile'), { kind: 'type="body"' })}</p:spTree></p:cSld>`,
      ),
    },
  ],
  [
    'charts and diagrams',
    title + frame('<c:chart r:id="c"/>') + frame('<dgm:relIds r:dm="d"/>'),
    '## Plan\n\n|  | North |\n| --- | --- |\n| May | 3 |\n\n- Build',
    {
      ...slideRelations(['c', 'chart', '../charts/chart1.xml'], ['d', 'diagramData', '../diagrams/data1.xml']),
      'ppt/charts/chart1.xml': part(
        'c:chartSpace',
        '<c:chart><c:ser><c:tx><c:v>North</c:v></c:tx><c:cat><c:strLit><c:pt idx="0"><c:v>May</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:pt idx="0"><c:v>3</c:v></c:pt></c:numLit></c:val></c:ser></c:chart>',
      ),
      'ppt/diagrams/data1.xml': part(
        'dgm:dataModel',
        `<dgm:ptLst><dgm:pt><dgm:t>${paragraph('Build')}</dgm:t></dgm:pt></dgm:ptLst>`,
      ),
    },
  ],
  [
    'no comments and embedded files: with warnings',
    title + frame('<p:oleObj progId="Excel.Sheet.12"/>'),
    '## Plan',
    {
      ...slideRelations(['c', 'comments', '../comments/comment1.xml']),
      'ppt/comments/comment1.xml': part('p:cmLst', '<p:cm/><p:cm/>'),
    },
    [
      { kind: 'attachment', place: 'slide 1', detail: 'Excel.Sheet.12', count: 1 },
      { kind: 'comment', place: 'slide 1', count: 2 },
    ],
  ],
]

describe('readPptx reads', () => {
  test.each(CASES)('%s', async (_, slide, markdown, more = {}, warnings = []) => {
    const result = await parseFile(powerPointFile([slide], more), { name: 'a.pptx' })
    expect(result.markdown).toBe(markdown)
    expect(result.warnings).toEqual(warnings)
  })

  test('slides in their order, footers once, and no hidden slides', async () => {
    const footer = shape(paragraph('ACME'), { kind: 'type="ftr"' })
    const file = powerPointFile([title + footer, `!${box('secret')}`, box('Last') + footer])
    const { markdown, warnings } = await parseFile(file, { name: 'a.pptx' })
    expect(markdown).toBe('## Plan\n\nACME\n\n## Slide 3\n\nLast')
    expect(warnings).toEqual([{ kind: 'hidden_text', place: 'slide 2', count: 1 }])
  })
})
