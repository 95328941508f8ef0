import { describe, expect, test } from 'vitest'
import { type Parts, part, wordFile } from '../../../../../test/support/documents/office.ts'
import {
  box,
  cell,
  equation,
  field,
  letters,
  level,
  listed,
  numbering,
  paragraph,
  run,
  styles,
  table,
  text,
} from '../../../../../test/support/documents/word.ts'
import { parseFile } from '../parse-file.ts'
import type { Warning } from '../warning.ts'

const HIDDEN: Warning = { kind: 'hidden_text', count: 1 }

type Case = [name: string, body: string, markdown: string, parts?: Parts, warnings?: Warning[]]

const CASES: Case[] = [
  [
    'an equation in a sentence',
    paragraph(
      `${run('The late fee is ')}<m:oMath>${letters('0.05')}${letters('×')}${letters('balance')}</m:oMath>${run(' per month.')}`,
    ),
    'The late fee is 0.05×balance per month.',
  ],
  ['a fraction', equation(`<m:f><m:num>${letters('a+b')}</m:num><m:den>${letters('2')}</m:den></m:f>`), '(a+b)/2'],
  [
    'powers, indices and roots',
    equation(
      `<m:sSup><m:e>${letters('x')}</m:e><m:sup>${letters('2')}</m:sup></m:sSup>${letters('+')}<m:sSub><m:e>${letters('y')}</m:e><m:sub>${letters('n+1')}</m:sub></m:sSub>${letters('=')}<m:rad><m:deg/><m:e>${letters('z')}</m:e></m:rad>`,
    ),
    'x^2+y_(n+1)=sqrt(z)',
  ],
  [
    'a sum, parentheses and a function',
    equation(
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${letters('i=1')}</m:sub><m:sup>${letters('n')}</m:sup><m:e><m:d><m:e>${letters('i')}</m:e></m:d></m:e></m:nary>${letters('=')}<m:func><m:fName>${letters('sin')}</m:fName><m:e>${letters('x')}</m:e></m:func>`,
    ),
    '∑_(i=1)^n (i)=sin x',
  ],
  [
    'a matrix',
    `<m:oMathPara><m:oMath><m:m><m:mr><m:e>${letters('a')}</m:e><m:e>${letters('b')}</m:e></m:mr><m:mr><m:e>${letters('c')}</m:e><m:e>${letters('d')}</m:e></m:mr></m:m></m:oMath></m:oMathPara>`,
    '[a, b; c, d]',
  ],
  [
    'check boxes',
    text('Form TRV-8817') + paragraph(box('1', '☒') + run(' Approved')) + paragraph(box('0', '☐') + run(' Rejected')),
    'Form TRV-8817\n\n☒ Approved\n\n☐ Rejected',
  ],
  [
    'check boxes of old forms',
    paragraph(
      field('FORMCHECKBOX', '', '<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') +
        run(' Yes ') +
        field('FORMCHECKBOX', '', '<w:checkBox><w:default w:val="0"/></w:checkBox>') +
        run(' No'),
    ),
    '☒ Yes ☐ No',
  ],
  [
    'a drop-down field',
    paragraph(
      run('Plan: ') +
        field(
          'FORMDROPDOWN',
          '',
          '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Basic"/><w:listEntry w:val="Premium"/></w:ddList>',
        ),
    ),
    'Plan: Premium',
  ],
  [
    'a text field and a date control',
    paragraph(
      run('Name: ') +
        field('FORMTEXT', run('Ada'), '<w:textInput/>') +
        run(', ') +
        `<w:sdt><w:sdtPr><w:date/></w:sdtPr><w:sdtContent>${run('1 May 2026')}</w:sdtContent></w:sdt>`,
    ),
    'Name: Ada, 1 May 2026',
  ],
  [
    'simple fields',
    paragraph(`${run('Valid until ')}<w:fldSimple w:instr=" DOCPROPERTY End ">${run('2027-03-31')}</w:fldSimple>`),
    'Valid until 2027-03-31',
  ],
  [
    'fields in fields, without their instructions',
    paragraph(field('IF', field('MERGEFIELD x', run('inner')) + run(' result'))),
    'inner result',
  ],
  [
    'a link',
    paragraph(`<w:hyperlink r:id="link">${run('the page')}</w:hyperlink>`) +
      paragraph(field('HYPERLINK "https://example.com/b"', run('another'))),
    '[the page](https://example.com/a)\n\n[another](https://example.com/b)',
    { link: { type: 'hyperlink', content: 'https://example.com/a', external: true } },
  ],
  [
    'ruby',
    paragraph(
      `${run('申請先は')}<w:r><w:ruby><w:rubyPr/><w:rt>${run('けいり')}</w:rt><w:rubyBase>${run('経理')}</w:rubyBase></w:ruby></w:r>${run('部です。')}`,
    ),
    '申請先は経理(けいり)部です。',
  ],
  [
    'merged rows under their columns',
    table(
      cell('Region') + cell('Plan') + cell('Hours'),
      cell('North', '<w:vMerge w:val="restart"/>') + cell('Basic') + cell('48'),
      cell('', '<w:vMerge/>') + cell('Premium') + cell('4'),
      cell('South') + cell('Basic') + cell('24'),
    ),
    '| Region | Plan | Hours |\n| --- | --- | --- |\n| North | Basic | 48 |\n| North | Premium | 4 |\n| South | Basic | 24 |',
  ],
  [
    'merged columns and a row that starts later',
    table(
      cell('Year', '<w:gridSpan w:val="2"/>') + cell('Sum'),
      cell('2025') + cell('2026') + cell('9'),
      `<w:trPr><w:gridBefore w:val="2"/></w:trPr>${cell('10')}`,
    ),
    '| Year |  | Sum |\n| --- | --- | --- |\n| 2025 | 2026 | 9 |\n|  |  | 10 |',
  ],
  ['a table of one cell as a paragraph', table(cell('Note: call first')), 'Note: call first'],
  [
    'a table in a table',
    table(`<w:tc>${text('Left')}</w:tc><w:tc>${table(cell('a') + cell('b'), cell('1') + cell('2'))}</w:tc>`),
    'Left\n\n| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'rows in a content control',
    `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:sdt><w:sdtContent><w:tr>${cell('1')}${cell('2')}</w:tr></w:sdtContent></w:sdt></w:tbl>`,
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a table with a deleted row',
    table(cell('a') + cell('b'), `<w:trPr><w:del/></w:trPr>${cell('1')}${cell('2')}`),
    '| a | b |\n| --- | --- |',
    {},
    [HIDDEN],
  ],
  [
    'list numbers as people see them',
    listed('One', 1) + listed('Sub', 1, 1) + listed('Sub', 1, 1) + listed('Two', 1) + listed('Sub', 1, 1),
    '1. One\n    - 1.a Sub\n    - 1.b Sub\n2. Two\n    - 2.a Sub',
    numbering(level(0, 'decimal', '%1.') + level(1, 'lowerLetter', '%1.%2')),
  ],
  [
    'letters with a parenthesis, Roman numbers, bullets',
    listed('First', 1) + listed('Second', 1) + listed('Deep', 1, 1) + listed('Dot', 1, 2),
    '- a) First\n- b) Second\n    - (I) Deep\n        - Dot',
    numbering(level(0, 'lowerLetter', '%1)') + level(1, 'upperRoman', '(%2)') + level(2, 'bullet', '·')),
  ],
  [
    'numbers of headings',
    text('Scope', '<w:pStyle w:val="H1"/>') + text('Terms', '<w:pStyle w:val="H1"/>') + text('Fees', '<w:pStyle w:val="H2"/>'),
    '# 1 Scope\n\n# 2 Terms\n\n## 2.1 Fees',
    {
      ...styles(
        '<w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
      ),
      ...numbering(level(0, 'decimal', '%1') + level(1, 'decimal', '%1.%2')),
    },
  ],
  [
    'a list that starts again, and one that continues',
    listed('a', 1) + listed('b', 2) + listed('c', 3),
    '1. a\n2. b\n7. c',
    numbering(
      level(0, 'decimal', '%1.'),
      ['', '', '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>']
        .map((more, index) => `<w:num w:numId="${index + 1}"><w:abstractNumId w:val="0"/>${more}</w:num>`)
        .join(''),
    ),
  ],
  [
    'text of unknown elements',
    paragraph(`<w:smartTag>${run('Tagged')}</w:smartTag><w:customXml>${run(' text')}</w:customXml>`),
    'Tagged text',
  ],
  ['marks of Markdown in text', text('# no heading') + text('1 &lt; 2 | a_b'), '\\# no heading\n\n1 < 2 | a_b'],
  [
    'tabs, breaks and hyphens',
    paragraph(
      '<w:r><w:t>self</w:t><w:noBreakHyphen/><w:t>employed</w:t><w:tab/><w:t>co</w:t><w:softHyphen/><w:t>operation</w:t><w:br/><w:t>next</w:t></w:r>',
    ),
    'self-employed\tcooperation\nnext',
  ],
  [
    'powers and indices of text',
    paragraph(
      run('10') +
        run('6', '<w:vertAlign w:val="superscript"/>') +
        run(' m, H') +
        run('2', '<w:vertAlign w:val="subscript"/>') +
        run('O'),
    ),
    '10⁶ m, H₂O',
  ],
  [
    'text that is struck through',
    paragraph(run('10 ', '<w:strike/>') + run('days', '<w:strike/>') + run(' 14 days')),
    '~~10~~ ~~days~~ 14 days',
  ],
  [
    'symbols',
    paragraph(
      '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' +
        run(' done, ') +
        '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>' +
        run('b', '<w:rFonts w:ascii="Symbol"/>'),
    ),
    '☑ done, αβ',
  ],
  [
    'no unknown symbols: with a warning',
    paragraph(`${run('Route ')}<w:r><w:sym w:font="Webdings" w:char="F0AB"/></w:r>`),
    'Route',
    {},
    [{ kind: 'font_without_map', count: 1, detail: 'Webdings' }],
  ],
]

describe('readDocx reads', () => {
  test.each(CASES)('%s', async (_, body, markdown, parts = {}, warnings = []) => {
    const result = await parseFile(wordFile(body, parts), { name: 'a.docx' })
    expect(result.markdown).toBe(markdown)
    expect(result.warnings).toEqual(warnings)
  })

  test('the strict format and other prefixes of names', async () => {
    const strict = 'xmlns:ns0="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    const body = `<ns0:document ${strict}><ns0:body><ns0:p><ns0:r><ns0:t>Strict</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>`
    const file = wordFile('', {}, { 'word/document.xml': body })
    expect((await parseFile(file, { name: 'a.docx' })).markdown).toBe('Strict')
  })

  test('no entities of a DTD', async () => {
    const document = part('w:document', `<w:body>${text('a &b; c')}</w:body>`)
    const file = wordFile('', {}, { 'word/document.xml': document.replace('?>', '?><!DOCTYPE x [<!ENTITY b "boom">]>') })
    expect((await parseFile(file, { name: 'a.docx' })).markdown).not.toContain('boom')
  })

  test('no XML that is nested without end', async () => {
    const file = wordFile('<w:sdt>'.repeat(100_000) + '</w:sdt>'.repeat(100_000))
    await expect(parseFile(file, { name: 'a.docx' })).rejects.toMatchObject({ code: 'broken' })
  })
})
