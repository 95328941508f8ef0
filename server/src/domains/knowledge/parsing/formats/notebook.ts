import { DocumentError, tooMuchText } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { readHtml } from './html.ts'

interface Cell {
  readonly cell_type?: unknown
  readonly source?: unknown
  /** The field of notebooks of version 3 for the source of code. */
  readonly input?: unknown
  readonly level?: unknown
  readonly outputs?: unknown
  readonly attachments?: unknown
}

interface Notebook {
  readonly cells?: unknown
  readonly worksheets?: unknown
  readonly metadata?: { readonly title?: unknown; readonly language_info?: { readonly name?: unknown } } | null
}

/** Converts a notebook: its Markdown, its code as blocks, and the outputs that are text. */
export function readNotebook(text: string, limit: number, warnings: Warnings): { markdown: string; title: unknown } {
  const notebook = parse(text)
  if (!notebook) throw new DocumentError('broken', 'The notebook is not valid JSON. Save it again in Jupyter.')
  const language = notebook.metadata?.language_info?.name
  const pieces: string[] = []
  let length = 0
  for (const [index, cell] of cellsOf(notebook).entries()) {
    for (const piece of readCell(cell, typeof language === 'string' ? language : '', `cell ${index + 1}`, warnings)) {
      if (piece.trim() === '') continue
      length += piece.length
      if (length > limit) throw tooMuchText(limit)
      pieces.push(piece)
    }
  }
  return { markdown: pieces.join('\n\n'), title: notebook.metadata?.title }
}

function cellsOf({ cells, worksheets }: Notebook): readonly Cell[] {
  const sheets = list(worksheets) as readonly { readonly cells?: unknown }[]
  return [cells, ...sheets.map((sheet) => sheet?.cells)].flatMap(list).filter(isObject) as readonly Cell[]
}

function* readCell(cell: Cell, language: string, place: string, warnings: Warnings): Generator<string> {
  const source = joined(cell.source ?? cell.input)
  if (isObject(cell.attachments)) warnings.add('picture', { place, count: Object.keys(cell.attachments).length })
  if (cell.cell_type === 'code') {
    const named = /^[\w+#-]{1,30}$/.test(language) ? language : ''
    yield fenced(source, named)
    for (const output of list(cell.outputs).filter(isObject)) yield* readOutput(output, place, warnings)
  } else if (cell.cell_type === 'heading') {
    yield `${'#'.repeat(Math.min(6, Number(cell.level) || 1))} ${source.replace(/\s+/g, ' ')}`
  } else if (cell.cell_type === 'raw') {
    yield fenced(source, '')
  } else {
    yield source.replace(DATA_URL, () => {
      warnings.add('picture', { place })
      return ''
    })
  }
}

/** A picture inside of the text of a cell. */
const DATA_URL = /!\[[^\]\n]{0,1000}\]\(data:[^()\s]*\)|data:image\/[\w.+-]{1,40};base64,[A-Za-z0-9+/=]*/g

interface Output {
  readonly data?: unknown
  readonly text?: unknown
  readonly html?: unknown
  readonly traceback?: unknown
  readonly ename?: unknown
  readonly evalue?: unknown
}

function* readOutput(output: Output, place: string, warnings: Warnings): Generator<string> {
  // Version 3 has the types of `data` beside the other fields, without the prefix.
  const data = (isObject(output.data) ? output.data : {}) as Readonly<Record<string, unknown>>
  const kinds = Object.keys(data).length > 0 ? Object.keys(data) : Object.keys(output)
  const picture = kinds.some((kind) => /^image\/|^(?:png|jpeg|svg)$/.test(kind))
  const html = joined(data['text/html'] ?? output.html)
  const plain = joined(data['text/markdown']) || joined(data['text/latex'])
  const text = joined(data['text/plain'] ?? output.text)
  if (picture) warnings.add('picture', { place })
  if (kinds.some((kind) => /^application\/(?!json|javascript)|^application\/javascript/.test(kind)) && !picture)
    warnings.add('ignored_part', { place, detail: 'interactive output' })
  if (html !== '') yield readHtml(html, warnings).markdown
  else if (plain !== '') yield plain
  // Beside a picture, the text only names its class.
  else if (!picture) yield fenced(withoutColours(text), '')
  const error = joined(output.traceback, '\n') || [output.ename, output.evalue].filter((part) => part !== undefined).join(': ')
  if (error !== '') yield fenced(withoutColours(error), '')
}

/** Terminal sequences for colours and the cursor. */
const withoutColours = (text: string): string => text.replace(/\p{Cc}\[[\d;]{0,30}[A-Za-z]/gu, '')

function fenced(code: string, language: string): string {
  const content = code.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
  if (content === '') return ''
  const longest = (content.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${content}\n${fence}`
}

/** A text of a notebook is a string, or a list of lines. */
const joined = (text: unknown, separator = ''): string =>
  typeof text === 'string'
    ? text
    : list(text)
        .filter((line) => typeof line === 'string')
        .join(separator)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): Notebook | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
