import { type DomElement, type DomNode, elementsOf, TEXT, visitNodes } from './dom.ts'

/** Blocks that hold blocks: turndown reads their text only to see whether there is any. */
const CONTAINERS = new Set(
  'BODY DIV SECTION ARTICLE MAIN HEADER FOOTER ASIDE FORM FIELDSET BLOCKQUOTE FIGURE TABLE THEAD TBODY TFOOT TR TD TH UL OL LI DL DD'.split(
    ' ',
  ),
)

/**
 * turndown copies the page, which takes as much memory again, and collects the whole text of each element, which takes a time that grows
 * with the depth of the page: 26 s for a megabyte at 600 levels. So it gets the page itself, whose containers say only whether they are blank.
 */
export function prepareForTurndown(body: DomElement): void {
  const filled = new Set<DomNode>()
  visitNodes(body, (node) => {
    if (node.nodeType !== TEXT || node.textContent.trim() === '') return
    for (let at = node.parentNode; at && !filled.has(at); at = at.parentNode) filled.add(at)
  })
  for (const element of [body, ...elementsOf(body, CONTAINERS)])
    Object.defineProperty(element, 'textContent', { value: filled.has(element) ? 'x' : '' })
  Object.defineProperty(body, 'cloneNode', { value: () => body })
}
