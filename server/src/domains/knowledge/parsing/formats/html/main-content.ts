import type { Warnings } from '../../warning.ts'
import { type DomElement, elementsOf, lineOf, nameOf, remove, visitElements } from './dom.ts'

const PARTS = 'main, article, section, blockquote, figure, td, li, details'

/**
 * Removes the navigation, the header and the footer of the page, unless they hold most of its text. A header or footer within an article
 * or a quotation belongs to it, and navigation and headers with other text than links are read.
 */
export function removeSurroundings(body: DomElement, warnings: Warnings): void {
  const surroundings: DomElement[] = []
  let length = 0
  visitElements(body, (element) => {
    if (!isNavigation(element) && !isPageHeader(element) && !isPageFooter(element)) return true
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
  // The existing word of a short menu may have no link.
  return lineOf(element).length < 40 || isMostlyLinks(element)
}

const LINKS = new Set(['A', 'BUTTON'])
const HEADINGS = new Set(['H1', 'H2', 'H3'])

function isMostlyLinks(element: DomElement): boolean {
  const links = elementsOf(element, LINKS).reduce((sum, link) => sum + lineOf(link).length, 0)
  return links * 2 > lineOf(element).length
}

const isPageHeader = (element: DomElement): boolean =>
  (nameOf(element) === 'HEADER' || element.getAttribute('role') === 'banner') &&
  !element.parentNode?.closest(PARTS) &&
  elementsOf(element, HEADINGS).length === 0 &&
  isMostlyLinks(element)

const isPageFooter = (element: DomElement): boolean =>
  (nameOf(element) === 'FOOTER' || element.getAttribute('role') === 'contentinfo') && !element.parentNode?.closest(PARTS)
