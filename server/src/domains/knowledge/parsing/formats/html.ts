import TurndownService from 'turndown'

/** The part of turndown's nodes that is used here; browser types are not loaded. */
interface Element {
  readonly nodeName: string
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  closest(selector: string): Element | null
  getElementsByTagName(name: string): { readonly length: number }
  querySelectorAll(selector: string): { readonly length: number }
}

/** Elements without text of the page, such as scripts, navigation and forms. */
const DROPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS AUDIO VIDEO MATH NAV FOOTER BUTTON SELECT TEXTAREA INPUT DIALOG LINK META'.split(
    ' ',
  ),
)
const INVISIBLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?:\.0+)?(?:[a-z%]{1,3})?\s*(?:;|!|$))/i

/** Converts a web page to Markdown, with its title. Leaves out text that readers do not see. */
export function readHtml(html: string): { readonly markdown: string; readonly title: string | undefined } {
  const service = turndown()
  let title: string | undefined
  service.addRule('title', {
    filter: (node) => node.nodeName === 'TITLE',
    replacement: (content) => {
      title ??= content
      return ''
    },
  })
  return { markdown: service.turndown(html), title }
}

function turndown(): TurndownService {
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
  service.addRule('picture', {
    filter: 'img',
    replacement: (_, node) => node.getAttribute('alt')?.replace(/\s+/g, ' ').trim() ?? '',
  })
  service.addRule('code block', {
    filter: 'pre',
    replacement: (content) => {
      const longest = (content.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
      const fence = '`'.repeat(longest + 1)
      return content.trim() === '' ? '' : `\n\n${fence}\n${content.replace(/^\n+/, '').trimEnd()}\n${fence}\n\n`
    },
  })
  addTables(service)
  service.addRule('hidden', { filter: isHidden, replacement: () => '' })
  return service
}

function isHidden(node: Element): boolean {
  return (
    DROPPED.has(node.nodeName.toUpperCase()) ||
    node.hasAttribute('hidden') ||
    node.getAttribute('aria-hidden') === 'true' ||
    node.getAttribute('role') === 'navigation' ||
    INVISIBLE.test(node.getAttribute('style') ?? '')
  )
}

/** Converts data tables to pipe tables with the first row as header. Nested and one-cell tables are layout: cells become paragraphs. */
function addTables(service: TurndownService): void {
  const layouts = new WeakMap<Element, boolean>()
  const inLayout = (node: Element) => {
    const table = node.closest('table')
    if (!table) return true
    const isLayout =
      layouts.get(table) ?? (table.getElementsByTagName('table').length > 0 || table.querySelectorAll('td, th').length < 2)
    layouts.set(table, isLayout)
    return isLayout
  }
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) => {
      if (inLayout(node)) return `\n\n${content}\n\n`
      const empty = Math.min(Number(node.getAttribute('colspan')) || 1, 50) - 1
      return ` ${cellText(content)} |${'  |'.repeat(Math.max(0, empty))}`
    },
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
