import TurndownService from 'turndown'
import type { FileContent } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { childElements, type DomElement, elementsOf, lineOf, nameOf, parseHtml } from './html/dom.ts'
import { describePictures, showFields } from './html/forms.ts'
import { removeSurroundings } from './html/main-content.ts'
import { rewrite } from './html/rewrite.ts'
import { alignTables, isLayout } from './html/tables.ts'
import { prepareForTurndown } from './html/turndown-input.ts'
import { removeHidden } from './html/visible.ts'

/** Converts a web page to Markdown, with its title. Leaves out text that readers do not see. */
export function readHtml(html: string, warnings: Warnings): FileContent {
  const document = parseHtml(html)
  const title = elementsOf(document, new Set(['TITLE'])).find((element) => !element.closest('svg'))
  const text = title && lineOf(title)
  removeHidden(document, warnings)
  const { body } = document
  if (!body) return { markdown: '', title: text }
  removeSurroundings(body, warnings)
  warnings.add('picture', { count: describePictures(body) })
  showFields(body)
  rewrite(body)
  alignTables(body)
  const service = turndown(markersOf(body))
  prepareForTurndown(body)
  return { markdown: service.turndown(body as never), title: text }
}

function turndown(markers: ReadonlyMap<unknown, string>): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  })
  // turndown would escape characters in names and addresses; only text that would change the structure needs a backslash.
  service.escape = (text) => text.replace(/^([^\S\n]*)(#{1,6}\s|```|~~~)/gm, '$1\\$2')
  service.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement: (content, node) => {
      const target = node.getAttribute('href')?.trim() ?? ''
      const useful = content.trim() !== '' && content !== target && /^(?:https?:|mailto:)[^\s()<>]{1,500}$/i.test(target)
      return useful && !content.includes('\n') ? `[${content.trim()}](${target})` : content
    },
  })
  service.addRule('code block', {
    filter: 'pre',
    replacement: (content, node) => {
      const longest = (content.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
      const fence = '`'.repeat(longest + 1)
      const code = content.replace(/^\n+/, '').trimEnd()
      return code === '' ? '' : `\n\n${fence}${node.getAttribute('data-language') ?? ''}\n${code}\n${fence}\n\n`
    },
  })
  service.addRule('code in a block', {
    filter: (node) => node.nodeName === 'CODE' && node.parentNode?.nodeName === 'PRE',
    replacement: (content) => content,
  })
  service.addRule('deleted', {
    filter: ['del', 's', 'strike' as never],
    replacement: (content) => (content.trim() === '' ? content : `~~${content.trim()}~~`),
  })
  service.addRule('term', { filter: 'dt', replacement: (content) => `\n\n${content.trim()}\n` })
  service.addRule('definition', { filter: 'dd', replacement: (content) => `\n: ${content.trim().replace(/\n/g, '\n  ')}\n` })
  service.addRule('list item', {
    filter: 'li',
    replacement: (content, node) => {
      const marker = markers.get(node.getAttribute('data-item')) ?? '-'
      const prefix = marker.padEnd(Math.max(4, marker.length + 1))
      const text = content.trim().replace(/\n/g, `\n${' '.repeat(prefix.length)}`)
      return `${prefix}${text}${node.nextSibling && !text.endsWith('\n') ? '\n' : ''}`
    },
  })
  addTables(service)
  return service
}

/** The markers of list items, under a number that is set as an attribute. */
function markersOf(body: DomElement): Map<string, string> {
  const markers = new Map<string, string>()
  for (const list of elementsOf(body, new Set(['OL']))) {
    const items = childElements(list).filter((child) => nameOf(child) === 'LI')
    const isReversed = list.hasAttribute('reversed')
    let number = Number.parseInt(list.getAttribute('start') ?? '', 10) || (isReversed ? items.length : 1)
    for (const item of items) {
      number = Number.parseInt(item.getAttribute('value') ?? '', 10) || number
      const key = String(markers.size)
      markers.set(key, `${numeral(number, list.getAttribute('type') ?? '1')}.`)
      item.setAttribute('data-item', key)
      number += isReversed ? -1 : 1
    }
  }
  return markers
}

function numeral(number: number, type: string): string {
  if (number < 1 || number > 3_999 || !/^[aAiI]$/.test(type)) return String(number)
  const text = /a/i.test(type) ? letters(number) : roman(number)
  return type === type.toUpperCase() ? text.toUpperCase() : text
}

function letters(number: number): string {
  const rest = Math.floor((number - 1) / 26)
  return `${rest > 0 ? letters(rest) : ''}${String.fromCharCode(97 + ((number - 1) % 26))}`
}

const ROMAN: readonly (readonly [value: number, digits: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(number: number): string {
  let rest = number
  let text = ''
  for (const [value, digits] of ROMAN) for (; rest >= value; rest -= value) text += digits
  return text
}

/** Converts data tables to pipe tables with the first row as header. In tables for layout, cells become paragraphs. */
function addTables(service: TurndownService): void {
  const layouts = new WeakMap<object, boolean>()
  const inLayout = (node: { closest(selector: string): unknown }) => {
    const table = node.closest('table') as DomElement | null
    if (!table) return true
    const known = layouts.get(table) ?? isLayout(table)
    layouts.set(table, known)
    return known
  }
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) => (inLayout(node) ? `\n\n${content}\n\n` : ` ${cellText(content)} |`),
  })
  service.addRule('row', { filter: 'tr', replacement: (content, node) => (inLayout(node) ? content : `\n|${content}`) })
  service.addRule('rows', { filter: ['thead', 'tbody', 'tfoot', 'colgroup', 'col'], replacement: (content) => content })
  service.addRule('table caption', { filter: 'caption', replacement: () => '' })
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node) => {
      if (inLayout(node)) return `\n\n${content}\n\n`
      const [header = '', ...rows] = content.trim().split(/\n+/)
      const columns = Math.max(1, header.match(/(?<!\\)\|/g)?.length ?? 0) - 1
      const caption = node.querySelector('caption')?.textContent?.replace(/\s+/g, ' ').trim()
      return `\n\n${caption ? `${caption}\n\n` : ''}${[header, `|${' --- |'.repeat(Math.max(1, columns))}`, ...rows].join('\n')}\n\n`
    },
  })
}

/** Puts a cell in one line and escapes its bars. */
export function cellText(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<!\\)\|/g, '\\|')
}
