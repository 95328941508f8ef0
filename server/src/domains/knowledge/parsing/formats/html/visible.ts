import type { Warnings } from '../../warning.ts'
import { type DomDocument, type DomElement, lineOf, nameOf, remove, rename, textOf, visitElements } from './dom.ts'
import { isInvisible, stylesOf } from './styles.ts'

/** Elements whose content is not text for readers. */
const NO_TEXT = new Set(['SCRIPT', 'STYLE', 'LINK', 'META', 'DATALIST', 'METER', 'PROGRESS', 'NOEMBED', 'NOFRAMES', 'HEAD'])
/** Elements that browsers do not show. */
const NOT_SHOWN = new Set(['NOSCRIPT', 'TEMPLATE'])
/** Content that is not text. */
const EMBEDDED = new Set(['IFRAME', 'OBJECT', 'EMBED', 'CANVAS', 'AUDIO', 'VIDEO', 'APPLET'])
const BLOCK = /^(?:block|flex|grid|table|list-item|flow-root)$/
const INLINE = new Set(['SPAN', 'A', 'B', 'I', 'EM', 'STRONG', 'SMALL', 'LABEL', 'TIME', 'CITE'])

/** Removes the elements that readers do not see and adds warnings for their text. */
export function removeHidden(document: DomDocument, warnings: Warnings): void {
  const styleOf = stylesOf(document)
  const opened = controlledIds(document)
  const blocks: DomElement[] = []
  visitElements(document.documentElement, (element) => {
    const name = nameOf(element)
    if (NO_TEXT.has(name)) remove(element)
    else if (EMBEDDED.has(name)) {
      warnings.add('ignored_part', { detail: name.toLowerCase() })
      remove(element)
    } else if (isHidden(element, name, styleOf(element)) && !opened.has(element.id)) {
      if (lineOf(element) !== '' || (element.content && textOf(element.content).trim())) warnings.add('hidden_text')
      remove(element)
    } else {
      if (INLINE.has(name) && BLOCK.test(styleOf(element).get('display') ?? '')) blocks.push(element)
      return true
    }
    return false
  })
  for (const element of blocks) rename(element, 'div')
}

function isHidden(element: DomElement, name: string, style: ReadonlyMap<string, string>): boolean {
  return (
    NOT_SHOWN.has(name) ||
    (name === 'DIALOG' && !element.hasAttribute('open')) ||
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    // Scripts show a page whose body is hidden at first.
    (name !== 'BODY' && name !== 'HTML' && isInvisible(style))
  )
}

/** Parts of the page that a reader opens by a button or a tab. */
function controlledIds(document: DomDocument): ReadonlySet<string> {
  const ids = new Set<string>()
  visitElements(document.documentElement, (element) => {
    const controlled = element.getAttribute('aria-controls')
    if (controlled && (element.hasAttribute('aria-expanded') || element.getAttribute('role') === 'tab'))
      for (const id of controlled.split(/\s+/)) ids.add(id)
    return true
  })
  return ids
}
