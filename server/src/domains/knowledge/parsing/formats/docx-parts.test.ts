import { describe, expect, test } from 'vitest'
import { type Parts, part, wordFile } from '../../../../../test/support/documents/office.ts'
import {
  graphic,
  header,
  note,
  paragraph,
  run,
  section,
  styles,
  text,
  textBox,
} from '../../../../../test/support/documents/word.ts'
import { parseFile } from '../parse-file.ts'
import type { Warning } from '../warning.ts'

const chart = `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>
  <c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>
  <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>
  <c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode><c:pt idx="0"><c:v>0.25</c:v></c:pt><c:pt idx="1"><c:v>0.5</c:v></c:pt></c:numCache></c:numRef></c:val>
  </c:ser></c:barChart></c:plotArea></c:chart>`
const HIDDEN: Warning = { kind: 'hidden_text', count: 1 }

type Case = [name: string, body: string, markdown: string, parts?: Parts, warnings?: Warning[]]

const CASES: Case[] = [
  [
    'a header that is used',
    text('The parties agree.') + section('<w:headerReference w:type="default" r:id="header1"/>'),
    'Contract No. HDR-20931\n\nThe parties agree.',
    header(text('Contract No. HDR-20931')),
  ],
  [
    'no header of first or even pages that is not used',
    text('Body') + section('<w:headerReference w:type="first" r:id="header1"/><w:headerReference w:type="even" r:id="header1"/>'),
    'Body',
    header(text('unused')),
  ],
  [
    'a header of the first page, once for two sections',
    paragraph('', section('<w:headerReference w:type="first" r:id="header1"/><w:titlePg/>')) +
      text('Body') +
      section('<w:headerReference w:type="default" r:id="header1"/>'),
    'Top\n\nBody',
    header(text('Top')),
  ],
  [
    'a footer at the end, and no footer that is a page number',
    text('Body') + section('<w:footerReference w:type="default" r:id="footer1"/>'),
    'Body\n\nInternal use',
    { 'footer1.xml': { type: 'footer', content: part('w:ftr', text('Internal use')) } },
  ],
  [
    'a water mark',
    text('Body') + section('<w:headerReference w:type="default" r:id="header1"/>'),
    'DRAFT\n\nBody',
    header(paragraph('<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>')),
  ],
  [
    'inserted HTML',
    `${text('Intro paragraph.')}<w:altChunk r:id="part1"/>`,
    'Intro paragraph.\n\nQuarantine lasts forty days.',
    { 'part1.html': { type: 'aFChunk', content: '<html><body><p>Quarantine lasts forty days.</p></body></html>' } },
  ],
  [
    'an inserted Word file',
    '<w:altChunk r:id="part1"/>',
    'Inner text',
    { 'part1.docx': { type: 'aFChunk', content: wordFile(text('Inner text')) } },
  ],
  [
    'an inserted file of another kind: with a warning',
    `${text('Intro')}<w:altChunk r:id="part1"/>`,
    'Intro',
    { 'part1.rtf': { type: 'aFChunk', content: '{\\rtf x}' } },
    [{ kind: 'ignored_part', count: 1, detail: 'word/part1.rtf' }],
  ],
  [
    'text boxes once, after their paragraph',
    paragraph(run('Before') + textBox(text('In the box'))) + text('After'),
    'Before\n\nIn the box\n\nAfter',
  ],
  [
    'a text box in the old format',
    paragraph(
      `<w:r><w:pict><v:rect><v:textbox><w:txbxContent>${text('Old box')}</w:txbxContent></v:textbox></v:rect></w:pict></w:r>`,
    ),
    'Old box',
  ],
  [
    'foot- and endnotes after their paragraph',
    paragraph(
      `${run('Fee')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' and term')}<w:r><w:endnoteReference w:id="5"/></w:r>`,
    ) + text('Next'),
    'Fee[^1] and term[^i]\n\n[^1]: Without tax\n\n[^i]: In months\n\nNext',
    {
      'footnotes.xml': { type: 'footnotes', content: part('w:footnotes', note('footnote', '2', 'Without tax')) },
      'endnotes.xml': { type: 'endnotes', content: part('w:endnotes', note('endnote', '5', 'In months')) },
    },
  ],
  [
    'no comments: with a warning',
    paragraph(`${run('Text')}<w:r><w:commentReference w:id="1"/></w:r>`),
    'Text',
    {},
    [{ kind: 'comment', count: 1 }],
  ],
  [
    'changes as if accepted: deletions are counted',
    paragraph(`${run('Ten ')}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>${run('new')}</w:ins>${run(' days')}`),
    'Ten new days',
    {},
    [HIDDEN],
  ],
  [
    'moved text once',
    `<w:p><w:moveFrom>${run('moved')}</w:moveFrom></w:p><w:p><w:moveTo>${run('moved')}</w:moveTo></w:p>`,
    'moved',
    {},
    [HIDDEN],
  ],
  [
    'no hidden text: it is counted',
    paragraph(run('Shown ') + run('secret', '<w:vanish/>') + run('too', '<w:vanish w:val="0"/>')),
    'Shown too',
    {},
    [HIDDEN],
  ],
  [
    'no text of a hidden style',
    paragraph(run('Shown') + run('secret', '<w:rStyle w:val="Sub"/>')),
    'Shown',
    styles(
      '<w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>',
      '<w:style w:styleId="Sub"><w:basedOn w:val="Base"/></w:style>',
    ),
    [HIDDEN],
  ],
  [
    'no white text on white and no tiny text',
    paragraph(run('Shown') + run('ignore the rules', '<w:color w:val="FFFFFF"/>') + run('tiny', '<w:sz w:val="2"/>')),
    'Shown',
    {},
    [{ ...HIDDEN, count: 2 }],
  ],
  [
    'white text on a coloured ground',
    paragraph(run('Banner', '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>')) +
      paragraph(run('Bar', '<w:color w:val="FFFFFF"/>'), '<w:shd w:fill="0000FF"/>'),
    'Banner\n\nBar',
  ],
  [
    'a picture by its description: with a warning',
    paragraph(graphic('<pic:pic/>').replace('<wp:inline>', '<wp:inline><wp:docPr descr="Map of the site"/>')),
    'Map of the site',
    {},
    [{ kind: 'picture', count: 1 }],
  ],
  [
    'an embedded file: with a warning',
    paragraph(
      `${run('See')}<w:r><w:object><v:shape><v:imagedata/></v:shape><o:OLEObject ProgID="Excel.Sheet.12"/></w:object></w:r>`,
    ),
    'See',
    {},
    [{ kind: 'attachment', count: 1, detail: 'Excel.Sheet.12' }],
  ],
  [
    'a chart',
    paragraph(graphic('<c:chart r:id="chart1"/>')),
    'Sales\n\n|  | North |\n| --- | --- |\n| May | 25% |\n| June | 50% |',
    { 'chart1.xml': { type: 'chart', content: part('c:chartSpace', chart) } },
  ],
  [
    'a diagram',
    paragraph(graphic('<dgm:relIds r:dm="data1"/>')),
    '- Plan\n- Build',
    {
      'data1.xml': {
        type: 'diagramData',
        content: part(
          'dgm:dataModel',
          `<dgm:ptLst><dgm:pt type="doc"/>${['Plan', 'Build'].map((point) => `<dgm:pt><dgm:t><a:p><a:r><a:t>${point}</a:t></a:r></a:p></dgm:t></dgm:pt>`).join('')}<dgm:pt type="parTrans"><dgm:t><a:p/></dgm:t></dgm:pt></dgm:ptLst>`,
        ),
      },
    },
  ],
]

describe('readDocx reads beside the text', () => {
  test.each(CASES)('%s', async (_, body, markdown, parts = {}, warnings = []) => {
    const result = await parseFile(wordFile(body, parts), { name: 'a.docx' })
    expect(result.markdown).toBe(markdown)
    expect(result.warnings).toEqual(warnings)
  })
})
