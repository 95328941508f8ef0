import type { Warnings } from '../../warning.ts'
import { type DomElement, elementsOf, lineOf, nameOf, remove, visitElements } from './dom.ts'

const PARTS = 'main, article, section, blockquote, figure, td, li, details'

/**
 * Removes the navigation and the footer of the page, unless they hold most of its text. A footer within an article or a quotation
 * names its source, and navigation with other text than links is read.
 */
export function removeSurroundings(body: DomElement, warnings: Warnings): void {
  const surroundings: DomElement[] = []
  let length = 0
  visitElements(body, (element) => {
    if (!isNavigation(element) && !isPageFooter(element)) return true
    surroundings.push(element)
    length += lineOf(element).length
    return false
  })
  if (length === 0 || 2 * length > lineOf(body).length) return
  for (const element of surroundings) {
    if (lineOf(element) !== '') warnings.add('navigation')
    remove(element)
  }
}

function isNavigation(element: DomElement): boolean {
  if (nameOf(element) !== 'NAV' && element.getAttribute('role') !== 'navigation') return false
  const links = elementsOf(element, new Set(['A', 'BUTTON'])).reduce((sum, link) => sum + lineOf(link).length, 0)
  const length = lineOf(element).length
  // The existing word of a short menu may have no link.
  return length < 40 || links * 2 > length
}

const isPageFooter = (element: DomElement): boolean =>
  (nameOf(element) === 'FOOTER' || element.getAttribute('role') === 'contentinfo') && !element.parentNode?.closest(PARTS)
